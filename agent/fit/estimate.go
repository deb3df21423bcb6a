package fit

import "github.com/tera-pilot/tera-pilot/agent/model"

// Bytes a token, times ten: prose, code and results, and scripts without
// spaces between words (docs/context.md says where the numbers are from).
const (
	proseBytes = 36
	codeBytes  = 30
	denseBytes = 20
	perMessage = 8 // tokens around each message
)

// Tokens estimates a text, in tokens, before the factor of the model.
func Tokens(text string, code bool) int64 {
	dense := 0
	for i := 0; i < len(text); i++ {
		if text[i] >= 0xe2 { // three bytes and more: CJK and the like
			dense++
		}
	}
	dense = min(dense*3, len(text))
	per := int64(proseBytes)
	if code {
		per = codeBytes
	}
	return (int64(len(text)-dense)*10+per-1)/per + (int64(dense)*10+denseBytes-1)/denseBytes
}

// Message estimates one message for a model that counts pictures so.
func Message(m model.Message, pictures Pictures) int64 {
	n := int64(perMessage)
	for _, p := range m.Parts {
		switch p.Kind {
		case model.PartText, model.PartReasoning:
			n += Tokens(p.Text, false)
		case model.PartResult:
			n += Tokens(p.Text, true)
		case model.PartCall:
			n += Tokens(p.Name, true) + Tokens(string(p.Args), true)
		case model.PartOpaque:
			if p.Opaque != nil {
				n += Tokens(p.Opaque.Value, true)
			}
		case model.PartImage:
			if p.Image != nil {
				n += pictures.of(p.Image.Data)
			}
		default:
			n += Tokens(p.Text, true)
		}
	}
	return n
}

// Request estimates a whole request: system prompt, tools and messages.
func Request(r model.Request, pictures Pictures) int64 {
	n := perMessage + Tokens(r.System, false)
	for _, t := range r.Tools {
		n += perMessage + Tokens(t.Name, true) + Tokens(t.Description, false) + Tokens(string(t.Schema), true)
	}
	for _, m := range r.Messages {
		n += Message(m, pictures)
	}
	return n
}
