//go:build !race

package model

// cutStep is the distance of the cuts in TestSuiteCut: every byte.
const cutStep = 1
