// Package fit fits a conversation into a model's window.
//
// # Promised
//
// It estimates tokens without a tokeniser and learns from what servers report.
// It chooses which old results are no longer sent, and where a conversation is
// cut for a summary. It writes what stands in the summary word for word: what
// the person said, what was refused, the tasks, the level. A model's part of a
// summary is checked, and framed as data: it gives no permission.
//
// It is pure but for [Store], which keeps what was learnt.
//
// # Not promised
//
// That a model's summary is true. The log keeps everything, and a compaction
// can be taken back.
package fit
