package world

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"path"

	"github.com/pelletier/go-toml/v2"
)

// Syntax says what is wrong with a file's content as Go, JSON or TOML, by the
// ending of its name; nil for files of other kinds. It is tool.Options'.
func Syntax(name string, content []byte) error {
	switch path.Ext(name) {
	case ".go":
		_, err := parser.ParseFile(token.NewFileSet(), name, content, parser.SkipObjectResolution)
		var list scanner.ErrorList
		if errors.As(err, &list) && len(list) > 0 {
			return fmt.Errorf("line %d: %s", list[0].Pos.Line, list[0].Msg)
		}
		return err
	case ".json":
		d := json.NewDecoder(bytes.NewReader(content))
		for {
			var v any
			if err := d.Decode(&v); err != nil {
				if errors.Is(err, io.EOF) {
					return nil
				}
				return fmt.Errorf("after byte %d: %w", d.InputOffset(), err)
			}
		}
	case ".toml":
		var v any
		err := toml.Unmarshal(content, &v)
		var bad *toml.DecodeError
		if errors.As(err, &bad) {
			line, _ := bad.Position()
			return fmt.Errorf("line %d: %w", line, err)
		}
		return err
	default:
		return nil
	}
}
