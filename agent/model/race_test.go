//go:build race

package model

// cutStep is the distance of the cuts in TestSuiteCut: the race detector makes
// everything ten times slower, and looks at a share.
const cutStep = 7
