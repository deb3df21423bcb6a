package agent

import (
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tera-pilot/tera-pilot/agent/tool"
)

// callOK is the status of a call that may go to the gate.
const callOK = "ok"

// checkArgs holds a call's arguments to the tool's schema. The error tells the
// model what the tool takes.
func checkArgs(spec tool.Spec, args json.RawMessage) error {
	var schema jsonschema.Schema
	if err := json.Unmarshal(spec.Schema, &schema); err != nil {
		return fmt.Errorf("schema of %s: %w", spec.Name, err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return fmt.Errorf("schema of %s: %w", spec.Name, err)
	}
	var value any
	if err := json.Unmarshal(args, &value); err != nil {
		return fmt.Errorf("the arguments of %s are not JSON: %w", spec.Name, err)
	}
	if err := resolved.Validate(value); err != nil {
		return fmt.Errorf("the arguments of %s do not fit: %w\nIt takes: %s", spec.Name, err, spec.Schema)
	}
	return nil
}
