package agent

import (
	"encoding/json"
	"fmt"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// redactEvent masks known secrets in an event before it is stored or shown. It
// works on the event's JSON, so that no member can be forgotten; an event that
// does not come back whole is replaced by the fact that it could not be shown.
func redactEvent(mask func([]byte) []byte) func(event.Body) event.Body {
	return func(body event.Body) event.Body {
		plain, err := json.Marshal(event.Event{Body: body})
		if err != nil {
			return event.Notice{Severity: "error", Text: fmt.Sprintf("an event of type %s could not be stored: %v", body.Type(), err)}
		}
		masked := mask(plain)
		if string(masked) == string(plain) {
			return body
		}
		var e event.Event
		if err := json.Unmarshal(masked, &e); err != nil {
			return event.Notice{Severity: "error", Text: fmt.Sprintf("an event of type %s held a secret and could not be stored without it", body.Type())}
		}
		return e.Body
	}
}
