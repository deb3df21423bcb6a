package agent

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/tera-pilot/tera-pilot/agent/event"
	"github.com/tera-pilot/tera-pilot/agent/model"
)

// maxSchema bounds the schema that stands behind a problem, in bytes.
const maxSchema = 4 << 10

// unusable is what a model is told of a call that has no plan: what is wrong,
// and what would be right. The names of other agents' tools, and of the
// original's, have their counterparts; arguments that do not fit have their
// schema behind the problem, but for a server's tools, whose words are foreign.
func (d *Dispatcher) unusable(c event.Call) error {
	t, err := d.tools.Lookup(c.Tool)
	switch {
	case c.Status == model.CallUnknownTool.String() && err != nil:
		return err
	case c.Status == model.CallInvalidArgs.String() && err == nil && !t.Spec().Foreign:
		var schema bytes.Buffer
		if json.Compact(&schema, t.Spec().Schema) == nil && schema.Len() <= maxSchema {
			return errors.New(c.Problem + "\nits arguments are " + schema.String())
		}
	}
	return errors.New(c.Problem)
}
