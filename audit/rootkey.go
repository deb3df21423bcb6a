package audit

// rootKey reads the public key. Without one it is derived from the key of an
// installation that has no log yet, or made when there is nothing at all.
func (w *writer) rootKey(empty bool) (PublicKey, error) {
	l := w.l.layer
	root, err := readPublic(l)
	if !missing(err) {
		return root, err
	}
	key, err := readKey(l, fileKey)
	switch {
	case err == nil && !empty:
		return root, &KeyError{fileKeyPub + " is missing, and the log cannot be read without it", waysOut}
	case err == nil:
	case !missing(err):
		return root, err
	case !empty:
		return root, &KeyError{"there is a log, but neither " + fileKey + " nor " + fileKeyPub, waysOut}
	case !w.mayMake:
		return root, ErrNoLog
	default:
		if key, err = w.makeKey(); err != nil {
			return root, err
		}
	}
	defer key.forget()
	root = key.public()
	return root, replaceFile(l, fileKeyPub, fileKeyPub+".tmp", root.File())
}

func (w *writer) makeKey() (signer, error) {
	key, seed, err := freshSigner(w.l.o.Rand)
	if err != nil {
		return signer{}, err
	}
	defer clear(seed)
	return key, replaceFile(w.l.layer, fileKey, fileKeyTemp, seed)
}

// epochKey sees to it that the key on disk is the one that the log says is in
// force, finishing a hand-over that a crash interrupted.
func (w *writer) epochKey() error {
	l := w.l.layer
	if err := l.Remove(fileKeyTemp); err != nil && !missing(err) {
		return err
	}
	next, err := readKey(l, fileKeyNext)
	switch {
	case missing(err):
	case err == nil && next.public() == w.walk.epoch:
		next.forget()
		if err := renameSynced(l, fileKeyNext, fileKey); err != nil {
			return err
		}
	default: // it was made for an open that was never written, or is torn
		if err := l.Remove(fileKeyNext); err != nil {
			return err
		}
		if err := l.SyncDir(""); err != nil {
			return err
		}
	}
	key, err := readKey(l, fileKey)
	if missing(err) {
		return &KeyError{fileKey + " is missing", waysOut}
	}
	if err != nil {
		return err
	}
	defer key.forget()
	if key.public() == w.walk.epoch {
		return nil
	}
	if err := w.cutShort(key.public()); err != nil {
		return err
	}
	return &KeyError{fileKey + " is not the key that the log says is in force: an old copy, the key of another log, or the log is the older copy (`tera-pilot audit verify` says more)", waysOut}
}

// cutShort says that the log lost its end: the head file, signed by the key on
// disk, vouches for more records than there are. Each open brings a new key, so
// that a log cut before the last open does not name the key that is in force.
func (w *writer) cutShort(key PublicKey) error {
	slots, _, err := readSlots(w.l.layer)
	if err != nil {
		return err
	}
	for _, c := range slots {
		if c.size > w.walk.size && (w.walk.size == 0 || c.log == w.walk.log) && c.signedBy(key) {
			return endCutOff(w.walk.size, c.size)
		}
	}
	return nil
}
