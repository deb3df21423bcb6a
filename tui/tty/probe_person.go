package tty

import (
	"context"
	"strings"
	"time"
)

// pressed asks the person for a key that terminals send in many ways.
func (p *Probe) pressed(ctx context.Context) error {
	if !p.Ask {
		return nil
	}
	got, err := p.person(ctx, "press shift+enter   (esc leaves it out)", func(s string) bool { return s != "" })
	switch {
	case err != nil:
		return err
	case got == "" || got == "\x1b" || got == "\x1b[27u":
		p.say("shift+enter", "skip", "left out", "")
	case got == "\r" || got == "\n":
		p.say("shift+enter", "warn", "it arrives as enter, which sends", "ctrl+j or alt+enter is a new line everywhere")
	case strings.HasSuffix(got, ";2u") || strings.HasSuffix(got, "13;2~") || strings.HasSuffix(got, ";2;13~"):
		p.say("shift+enter", "ok", "it arrives as itself", "")
	default:
		p.say("shift+enter", "warn", "it arrives as something else", "ctrl+j or alt+enter is a new line everywhere")
	}
	return nil
}

// pasted asks the person for a paste, and looks at its brackets alone.
func (p *Probe) pasted(ctx context.Context) error {
	if !p.Ask {
		return nil
	}
	p.undo = "\x1b[?2004l" + p.undo
	if err := p.write("\x1b[?2004h"); err != nil {
		return err
	}
	const from, to = "\x1b[200~", "\x1b[201~"
	got, err := p.person(ctx, "paste something of one line; it is neither shown nor kept   (esc leaves it out)", func(s string) bool {
		return s != "" && (!strings.HasPrefix(s, from) || strings.Contains(s, to))
	})
	switch {
	case err != nil:
		return err
	case got == "" || got == "\x1b" || got == "\x1b[27u":
		p.say("a paste", "skip", "left out", "")
	case strings.HasPrefix(got, from) && strings.HasSuffix(got, to):
		p.say("a paste", "ok", "it comes in brackets: nothing in it is a key", "")
	default:
		p.say("a paste", "warn", "it comes without brackets, as if it were typed", "a question is answered by a letter that comes alone, so a paste answers none")
	}
	return nil
}

// person waits until enough came, or the time is over: "" then. What comes close
// behind belongs to it.
func (p *Probe) person(ctx context.Context, says string, enough func(string) bool) (got string, err error) {
	if err := p.write("\r\x1b[K" + says + " "); err != nil {
		return "", err
	}
	limit := time.NewTimer(p.Press)
	defer limit.Stop()
	var quiet <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-limit.C:
			return "", nil
		case <-quiet:
			return got, p.write("\r\x1b[K")
		case b, ok := <-p.in:
			if !ok {
				return "", nil
			}
			if got += string(b); len(got) > 1<<20 {
				got = got[:1<<20]
			}
			if got == "\x03" || strings.HasSuffix(got, "\x1b[99;5u") { // ctrl+c
				return "", errStopped
			}
			if enough(got) {
				quiet = time.After(p.Wait / 4)
			}
		}
	}
}
