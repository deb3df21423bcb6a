package local

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/tera-pilot/tera-pilot/internal/statedir"
)

// A Choice is the model that the person took on the start screen. It is used
// where flags, environment and settings name none.
type Choice struct {
	Provider string `json:"provider"`          // a preset's id
	Address  string `json:"address,omitempty"` // base URL; empty: the preset's
	Model    string `json:"model"`
}

// IsZero says that nothing was chosen.
func (c Choice) IsZero() bool { return c == Choice{} }

func choiceFile(state string) string { return filepath.Join(state, "chosen_model.json") }

// Chosen is the choice that is kept in a state folder; zero when there is none.
func Chosen(state string) (Choice, error) {
	var c Choice
	data, err := statedir.Read(choiceFile(state), false)
	if err != nil || len(data) == 0 {
		return c, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil || c.Provider == "" || c.Model == "" {
		return Choice{}, fmt.Errorf("%s is no choice of a model: remove it and choose again", choiceFile(state))
	}
	return c, nil
}

// Choose keeps a choice.
func Choose(state string, c Choice) error {
	err := statedir.Update(choiceFile(state), func([]byte) ([]byte, error) { return json.MarshalIndent(c, "", "  ") })
	if err != nil {
		return fmt.Errorf("the choice of a model is not kept: %w", err)
	}
	return nil
}
