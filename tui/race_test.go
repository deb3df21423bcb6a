//go:build race

package tui_test

// raceDetector says that the race detector makes everything ten times slower.
const raceDetector = true
