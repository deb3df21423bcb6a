package gate

// Decide answers for a planned set. It is pure, and never panics.
func Decide(in Input) Decision {
	return Decision{Set: in.Set, Level: in.level(&in.Limits), By: ByFloor, Reason: "not decided"}
}
