package acp

import (
	"context"
	"errors"
	"time"

	"github.com/tera-pilot/tera-pilot/agent/acp/wire"
	"github.com/tera-pilot/tera-pilot/internal/strictjson"
)

// fileTime is how long an editor may take for one file.
const fileTime = 30 * time.Second

// An Editor reads and writes files by way of the client, as far as it said
// that it can (agent/world.Editor).
type Editor struct {
	conn          *wire.Conn
	id            string // of the session; it and folder are set before its first turn
	folder        folder
	reads, writes bool
}

// Reads says that the client gives the text of files.
func (e *Editor) Reads() bool { return e.reads }

// Writes says that the client takes text for files.
func (e *Editor) Writes() bool { return e.writes }

// errFile says that the client failed. Its words are not passed on.
var errFile = errors.New("it answered with an error")

// ReadText is the text of a file as the person sees it.
func (e *Editor) ReadText(ctx context.Context, abs string) (string, error) {
	result, err := e.call(ctx, "fs/read_text_file", map[string]string{"sessionId": e.id, "path": e.folder.name(abs)})
	if err != nil {
		return "", err
	}
	members, err := strictjson.Object(result)
	if err != nil {
		return "", errFile
	}
	text, ok := stringOf(members["content"])
	if !ok {
		return "", errFile
	}
	return text, nil
}

// WriteText gives a file new text.
func (e *Editor) WriteText(ctx context.Context, abs, text string) error {
	_, err := e.call(ctx, "fs/write_text_file", map[string]string{"sessionId": e.id, "path": e.folder.name(abs), "content": text})
	return err
}

func (e *Editor) call(ctx context.Context, method string, p any) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, fileTime)
	defer cancel()
	result, failed := e.conn.Call(limited, method, p)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, errors.New("it did not answer within " + fileTime.String())
	case failed != nil:
		return nil, errFile
	}
	return result, nil
}
