// Package tinymodel serves the tiny real model of testdata/tiny-model to tests:
// 0.7 million weights of our own behind llama.cpp, at a port of loopback.
//
// It is for tests alone. What it needs from npm is locked, installed once into
// .cache at the top of the tree, and runs nothing at the installation; where it
// cannot be had, the test is skipped with the reason.
package tinymodel
