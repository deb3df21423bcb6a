// Package fakemodel is a model server that plays a scenario: over real HTTP on
// loopback, or in process, in five protocols (OpenAI-compatible chat, OpenAI
// Responses, Anthropic Messages, Gemini, Ollama), streamed or whole, with the
// faults that the scenario asks for. It is what the demo and the tests put in
// the place of a model; the client in front of it is the real one.
//
// # Promised
//
// Every request, of whatever session, takes the next step of the one script,
// but for the question how tools are called, which is answered beside it.
// The bytes that a step becomes depend on the step alone. A script with nothing
// left to play answers with an error that says so.
//
// # Not promised
//
// That vendors send exactly these bytes.
package fakemodel
