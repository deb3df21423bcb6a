package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/tera-pilot/tera-pilot/agent/session"
	"github.com/tera-pilot/tera-pilot/agent/undo"
	"github.com/tera-pilot/tera-pilot/audit"
	"github.com/tera-pilot/tera-pilot/internal/keystore"
	"github.com/tera-pilot/tera-pilot/internal/seal"
	"github.com/tera-pilot/tera-pilot/internal/secret"
)

// Our own secrets in the environment. No process that is started gets them.
const (
	sessionKeyEnv = "TERA_PILOT_SESSION_KEY"
	promptKeyEnv  = "TERA_PILOT_PROMPT_KEY"
)

var ownSecrets = []string{sessionKeyEnv, promptKeyEnv, keystore.Passphrase}

// takeSecrets moves our own secrets out of an environment.
func takeSecrets(env []string) (rest []string, own map[string]string) {
	own = map[string]string{}
	for _, kv := range env {
		if k, v, _ := strings.Cut(kv, "="); slices.Contains(ownSecrets, k) {
			own[k] = v
		} else {
			rest = append(rest, kv)
		}
	}
	return rest, own
}

// registerSecrets hides our own secrets wherever they would show.
func (a *app) registerSecrets(r *secret.Redactor) {
	for _, v := range a.own {
		if v != "" {
			r.Add(v)
		}
	}
	a.opened.mu.Lock()
	defer a.opened.mu.Unlock()
	r.Add(a.opened.own...)
}

// Names of our own keys in the key store, beside those of providers.
const (
	sessionKeyName = "sessions"
	promptKeyName  = "prompt"
)

// ownKey is a secret of ours: of the environment, else of the key store.
func (a *app) ownKey(state, env, name string) (string, error) {
	if v := a.getenv(env); v != "" {
		return v, nil
	}
	v, err := a.keys(state).Must(name, a.getenv)
	if err != nil {
		return "", usage("%w", err)
	}
	if v != "" {
		a.opened.mu.Lock()
		defer a.opened.mu.Unlock()
		if !slices.Contains(a.opened.own, v) {
			a.opened.own = append(a.opened.own, v)
		}
	}
	return v, nil
}

// stores are what was opened, shared by all sessions of the process.
type stores struct {
	mu      sync.Mutex // an editor opens sessions side by side
	byState map[string]*session.Store
	keys    map[string]*keystore.Store
	logins  map[string]*keystore.Store
	own     []string // keys that were resolved from the key store
}

func newStores() *stores {
	return &stores{byState: map[string]*session.Store{}, keys: map[string]*keystore.Store{}, logins: map[string]*keystore.Store{}}
}

// keySessions makes the sessions' key when one was stored, so that from now on
// nothing is written in the open, and holds another key to the one there was.
func (a *app) keySessions(state string) error {
	key, err := a.keys(state).Must(sessionKeyName, a.getenv)
	if err == nil {
		err = sessionsIn(state, key).Prepare()
	}
	if err != nil {
		return usage("it is stored, but it is of no use: %w", err)
	}
	return nil
}

func sessionsIn(state, key string) *session.Store {
	return session.NewStore(filepath.Join(state, "sessions")).With(key)
}

// sessions is the store of a state folder, one a process, so that its key is
// made once.
func (a *app) sessions(state string) (*session.Store, error) {
	a.opened.mu.Lock()
	s := a.opened.byState[state]
	a.opened.mu.Unlock()
	if s != nil {
		return s, nil
	}
	key, err := a.ownKey(state, sessionKeyEnv, sessionKeyName)
	if _, locked := errors.AsType[*keystore.LockedError](err); locked && !sessionsIn(state, "").Sealed() {
		err = nil // none of its keys is the sessions': that one would have made the header
	}
	if err != nil {
		return nil, err
	}
	a.opened.mu.Lock()
	defer a.opened.mu.Unlock()
	if a.opened.byState[state] == nil {
		a.opened.byState[state] = sessionsIn(state, key)
	}
	return a.opened.byState[state], nil
}

// unlocked gives the want of a key the exit code of a mistake in the call.
func unlocked(err error) error {
	_, locked := errors.AsType[*session.LockedError](err)
	_, wrong := errors.AsType[*seal.WrongKeyError](err)
	if locked || wrong {
		return usage("%w", err)
	}
	return err
}

func (a *app) encryptCommand() *cobra.Command {
	var recover bool
	cmd := &cobra.Command{
		Use: "encrypt", Short: "Encrypt the stored sessions that are not encrypted yet", Args: cobra.NoArgs,
		Long: `Encrypt the stored sessions that are not encrypted yet, with what undo keeps of
them. The key is TERA_PILOT_SESSION_KEY, else the one that is stored with
tera-pilot keys set sessions. Once a key is set, new sessions are encrypted at
once. A lost key is lost data.`,
		Example: "  tera-pilot keys set sessions --from file:/home/me/session.key\n  tera-pilot sessions encrypt",
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := a.stateHome()
			if err != nil {
				return err
			}
			store, err := a.sessions(state)
			if err != nil {
				return err
			}
			var done []string
			err = a.recorded(cmd.Context(), state, audit.SettingsChange("sessions encrypted", "", "", "sessions"), func() (err error) {
				done, err = store.Encrypt(recover, func(id string, key seal.Key) error {
					return undo.Seal(filepath.Join(state, "undo", id), key)
				})
				return err
			})
			fmt.Fprintf(a.stdout, "sessions: %d encrypted\n", len(done))
			if err != nil {
				return usage("%w", err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&recover, "recover", false, "seal.json is gone: make it anew from the encrypted sessions")
	return cmd
}
