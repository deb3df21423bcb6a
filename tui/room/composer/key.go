package composer

import "github.com/tera-pilot/tera-pilot/internal/secret"

// Key says which kind of key or token a text seems to hold; "" for none. It
// goes by looks: a password in plain words is not seen.
func Key(text string) string {
	if found := secret.New().Find(text); len(found) > 0 {
		return found[0].Kind
	}
	return ""
}
