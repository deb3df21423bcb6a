// Package house holds the tests of the plan of the house: who may import whom,
// who may start a process or open a connection, who may run a tool, and
// whether what the documents name exists (docs/architecture.md).
package house
