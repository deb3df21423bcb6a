//go:build !race

package tui_test

const raceDetector = false
