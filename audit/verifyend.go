package audit

// rest checks what stands beside the records of an export.
func (x *exportTrial) rest() (spot, *fault) {
	if x.format != exportFormat {
		return spot{}, faultf(kindFormat, "there is no member format %q", exportFormat)
	}
	c, f := x.endCheckpoint()
	if f != nil {
		return x.end(), f
	}
	if x.walk.partial {
		if f := x.partial(&c); f != nil {
			return x.end(), f
		}
	}
	if _, ok := x.seen["disclosures"]; ok {
		return x.disclosed()
	}
	return spot{}, nil
}

// endCheckpoint compares the end of the records with what the checkpoint
// states. Without one, nobody could see that the end was cut off.
func (x *exportTrial) endCheckpoint() (checkpoint, *fault) {
	w := x.walk
	if x.checkpoint == nil {
		return checkpoint{}, faultf(kindCheckpoint, "there is no signed checkpoint, so that a cut end would not be seen")
	}
	c, f := parseCheckpoint(x.checkpoint, false)
	switch {
	case f != nil:
		return c, f
	case c.size > w.size:
		return c, faultf(kindTruncated, "the checkpoint states %d records, and the export ends with record %d", c.size, w.size-1)
	case c.size < w.size || c.head != w.head:
		return c, faultf(kindCheckpoint, "the checkpoint does not state the record that the export ends with")
	case c.log != w.log:
		return c, faultf(kindSplice, "the checkpoint belongs to the log %s and not to %s", c.log, w.log)
	case !c.signedBy(w.epoch):
		return c, faultf(kindSignature, "the checkpoint is not signed by the key in force at the end")
	case !w.partial && c.root != w.tree.Root():
		return c, faultf(kindCheckpoint, "the checkpoint states another tree hash")
	}
	return c, nil
}
