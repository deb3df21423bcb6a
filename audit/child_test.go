package audit_test

// runChild is the other program that this test binary can be.
func runChild() bool { return false }
