package model

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/tera-pilot/tera-pilot/agent/model/wire"
)

// Protocol names a way of speaking to a model server.
type Protocol string

// The protocols. The names are those of the model-reply cases, without the
// framing of the reply, which is found out by looking at it.
const (
	ProtocolChat      Protocol = "openai-chat"
	ProtocolResponses Protocol = "openai-responses"
	ProtocolAnthropic Protocol = "anthropic"
	ProtocolGemini    Protocol = "gemini"
	ProtocolOllama    Protocol = "ollama"
)

// An adapter is one protocol: requests out, deltas in.
type adapter interface {
	// request gives the path below the base URL, extra headers, and the body.
	request(Request, settings) (path string, header http.Header, body []byte, err error)
	// decoder starts reading one reply.
	decoder() decoder
}

// A decoder turns the events of one reply into deltas.
type decoder interface {
	// event reads one event. Its error is one that the server reported.
	event(e wire.Event, emit func(Delta)) error
}

// settings are what a client knows about its endpoint when it makes a request.
type settings struct {
	preset  Preset
	profile Profile
	key     Key
	folded  bool // the template takes no system role and no two messages of one role in a row
	info    Info // what the catalogue knows of the model
}

func (p Protocol) adapter() adapter {
	switch p {
	case ProtocolChat:
		return chat{}
	case ProtocolResponses:
		return responses{}
	case ProtocolAnthropic:
		return anthropic{}
	case ProtocolGemini:
		return gemini{}
	case ProtocolOllama:
		return ollama{}
	}
	return nil
}

// A badEventError says that an event could not be read.
type badEventError struct{ text string }

func (e *badEventError) Error() string { return e.text }

// unmarshal reads an event into v. What is no JSON is what the server says is
// wrong, if it says anything.
func unmarshal(data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return &badEventError{"the server sent an event that cannot be read: " + printable(string(data[:min(len(data), 200)]))}
	}
	return nil
}

// present says that a member is there and not null.
func present(raw json.RawMessage) bool {
	return len(raw) > 0 && string(raw) != "null"
}

// reported is the error that the server put into a stream.
func reported(raw []byte) error { return readComplaint(0, raw).toError() }

// count is a number of tokens, in whatever spelling.
type count int64

// UnmarshalJSON implements json.Unmarshaler.
func (c *count) UnmarshalJSON(b []byte) error {
	text := strings.Trim(string(b), `"`)
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || f < 0 || f > 1e15 {
		f = 0
	}
	*c = count(f)
	return nil
}

// optional is a count that a server may leave out.
type optional = *count

func value(c optional) int64 {
	if c == nil {
		return 0
	}
	return int64(*c)
}

// set writes c over n if it is there.
func set(n *int64, c optional) {
	if c != nil {
		*n = int64(*c)
	}
}

// argsPart gives arguments that may be a string or an object. wantsString says
// which of the two the protocol has.
func argsPart(raw json.RawMessage, wantsString bool) (args string, object bool, err error) {
	switch {
	case !present(raw):
		return "", false, nil
	case raw[0] == '"' && wantsString:
		var t wire.Text
		err := json.Unmarshal(raw, &t)
		return string(t), false, err
	}
	return string(raw), wantsString && raw[0] == '{', nil
}

// dataURL writes an image as protocols of the OpenAI kind want it.
func dataURL(i *Image) string { return "data:" + i.MediaType + ";base64," + base64Of(i.Data) }
