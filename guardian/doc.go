// Package guardian says how risky an effect looks, and what a model that was
// asked to review it may do about that.
//
// # Promised
//
// [Score] is a pure function of the planned effect: it reads argv, never the
// raw text of a command, and what it does not know it calls high. A review can
// only tighten: the strongest thing that a [Verdict] can do for an act is to
// leave the decision as it stands. An answer that is not exactly one JSON
// object of the wanted form, that does not cite every effect by its id, that
// came too late or not at all, is a failed review, and a failed review raises.
//
// # From whom
//
// From a model that writes commands, and from the text that both models read:
// whatever is not our own words stands between markers made of a nonce that
// this text cannot know.
//
// # Not promised
//
// That a low score is safe: the score is shown to a person and decides whether
// a model looks; agent/gate decides. That the reviewing model judges well.
//
// The package stands on agent/effect alone; the model is a function handed in.
package guardian
