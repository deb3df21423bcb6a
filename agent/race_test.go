//go:build race

package agent

// raceDetector says that the race detector makes everything ten times slower.
// What is long runs in a short form under it, and in full without it:
// internal/house/tally names it.
const raceDetector = true
