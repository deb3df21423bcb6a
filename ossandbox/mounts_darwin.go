package ossandbox

// kernelMounts lists nothing: macOS has no such file systems.
func kernelMounts(string, string) ([]string, error) { return nil, nil }
