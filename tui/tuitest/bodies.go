package tuitest

import (
	"reflect"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/event"
)

// EveryBody is one event of each kind, with every text in it set to s. It goes
// through the fields by reflection, so that a new one cannot be forgotten.
func EveryBody(s string) []event.Body {
	bodies := []event.Body{
		event.Opened{}, event.TurnStarted{}, event.TextDelta{}, event.ReasoningDelta{}, event.Reply{}, event.CallStarted{}, event.CallDecided{},
		event.CallPreview{}, event.OutputDelta{}, event.CallResult{Exit: new(int)}, event.TodoChanged{}, event.LevelChanged{}, event.ModelChanged{}, event.Notice{}, event.Recovered{},
		event.Tainted{}, event.Renamed{}, event.Interjected{}, event.WindowChanged{}, event.PolicyChanged{}, event.ThoughtChanged{},
		event.Masked{}, event.Compacted{}, event.Uncompacted{}, event.JobChanged{}, event.Egress{}, event.Refused{}, event.Spent{}, event.AuditHead{}, event.Working{}, event.Queued{}, event.QuestionOpened{}, event.QuestionClosed{},
		event.QuestionOpened{}, event.Archived{}, event.Nudged{}, event.Instructed{}, event.Offered{}, event.UndoPoints{}, event.UndoPlan{}, event.Closed{}, event.TurnEnded{},
	}
	for i, b := range bodies {
		v := reflect.New(reflect.TypeOf(b)).Elem()
		v.Set(reflect.ValueOf(b))
		setText(v, s)
		bodies[i] = v.Interface().(event.Body)
	}
	return bodies
}

// Filled is a value of which every text is s, and every list has two elements.
func Filled[T any](s string) T {
	var out T
	setText(reflect.ValueOf(&out).Elem(), s)
	return out
}

func setText(v reflect.Value, s string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			setText(v.Field(i), s)
		}
	case reflect.Pointer:
		if v.Type().Elem().Kind() == reflect.String {
			v.Set(reflect.ValueOf(&s))
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(`{}`))
			return
		}
		one := reflect.MakeSlice(v.Type(), 2, 2)
		for i := range one.Len() {
			setText(one.Index(i), s)
		}
		v.Set(one)
	}
}
