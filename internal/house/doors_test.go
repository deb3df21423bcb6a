package house

import (
	"go/ast"
	"go/parser"
	"slices"
	"strings"
	"testing"
)

// A door is something that reaches out of the process. rooms are the only ones
// that may use it. There is no comment that lifts a line.
type door struct {
	what  string
	pkg   string   // import path
	names []string // of functions and types; nil: importing is using
	rooms []string
}

var doors = []door{
	{"starts a process", "os/exec", nil, []string{"ossandbox", "gitsafe", "internal/house/perf", "internal/house/tally", "internal/termtest", "internal/tinymodel", "internal/editor", "contrib/release"}},
	{"starts a process", "os", []string{"StartProcess"}, []string{"ossandbox"}},
	{"starts a process", "syscall", []string{"ForkExec", "StartProcess", "Exec", "RawSyscall", "RawSyscall6", "Syscall", "Syscall6"}, []string{"ossandbox", "ossandbox/reexec"}},
	{"starts a process", "golang.org/x/sys/unix", []string{"Exec", "RawSyscall", "RawSyscall6", "Syscall", "Syscall6", "SyscallNoError"}, []string{"ossandbox", "ossandbox/reexec", "audit"}},
	{"loads code", "plugin", nil, nil},
	{"opens a connection", "net", []string{"Dial", "DialTimeout", "DialTCP", "DialUDP", "DialIP", "DialUnix", "Dialer", "Listen", "ListenTCP", "ListenPacket", "ListenUDP", "ListenUnix", "ListenConfig", "Resolver", "LookupHost", "LookupIP", "LookupAddr", "DefaultResolver"}, []string{"internal/netguard", "ossandbox", "internal/fakemodel", "internal/tinymodel"}},
	{"opens a connection", "net/http", []string{"Get", "Post", "PostForm", "Head", "DefaultClient", "DefaultTransport", "Client", "Transport", "ListenAndServe", "Serve"}, []string{"internal/netguard", "agent/model", "internal/fakemodel", "ossandbox"}},
	{"opens a connection", "crypto/tls", []string{"Dial", "DialWithDialer", "Dialer", "Listen"}, nil},
	{"opens a connection", "net/rpc", nil, nil},
	{"opens a connection", "net/smtp", nil, nil},
	{"opens a connection", "log/syslog", nil, nil},
	{"is for tests alone", "github.com/tera-pilot/tera-pilot/internal/tinymodel", nil, nil},
}

func TestDoors(t *testing.T) {
	used := map[string]bool{}
	for _, f := range sources(t, parser.SkipObjectResolution) {
		if f.test {
			continue
		}
		names := importNames(f.ast)
		for _, d := range doors {
			name, imported := names[d.pkg]
			if !imported || inRooms(f.room, d.rooms) {
				used[d.pkg] = used[d.pkg] || imported
				continue
			}
			for _, use := range uses(f.ast, name, d) {
				t.Errorf("%s: %s %s (%s.%s); only these may: %v", f.fset.Position(use.Pos()), f.room, d.what, d.pkg, use.Sel.Name, d.rooms)
			}
			if d.names == nil {
				t.Errorf("%s: %s %s by importing %s; only these may: %v", f.name, f.room, d.what, d.pkg, d.rooms)
			}
			if name == "." {
				t.Errorf("%s imports %s into its own names: what it uses could not be seen", f.name, d.pkg)
			}
		}
	}
	for _, must := range []string{"os/exec", "net"} {
		if !used[must] {
			t.Errorf("nobody uses %s: the test looks at the wrong tree", must)
		}
	}
}

func inRooms(folder string, rooms []string) bool {
	return slices.ContainsFunc(rooms, func(r string) bool { return folder == r || strings.HasPrefix(folder, r+"/") })
}

// importNames maps import paths to the names they have in a file.
func importNames(f *ast.File) map[string]string {
	out := map[string]string{}
	for _, s := range f.Imports {
		path := importPath(s)
		name := path[strings.LastIndex(path, "/")+1:]
		if s.Name != nil {
			name = s.Name.Name
		}
		out[path] = name
	}
	return out
}

// uses finds selections of the door's names. A name that is kept in a variable
// is found too, since any selection counts and not only calls.
func uses(f *ast.File, name string, d door) []*ast.SelectorExpr {
	var out []*ast.SelectorExpr
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == name && slices.Contains(d.names, sel.Sel.Name) {
			out = append(out, sel)
		}
		return true
	})
	return out
}

// TestTerminalIsWrittenInTwoPlaces: what reaches the screen of the interactive
// session goes through the gate of tui/tty, or is a line of tui/lines.
func TestTerminalIsWrittenInTwoPlaces(t *testing.T) {
	for _, f := range sources(t, parser.SkipObjectResolution) {
		if f.test || !strings.HasPrefix(f.room, "tui") || f.room == "tui/tty" || f.room == "tui/lines" {
			continue
		}
		names := importNames(f.ast)
		if name, ok := names["fmt"]; ok {
			for _, u := range uses(f.ast, name, door{names: []string{"Print", "Println", "Printf"}}) {
				t.Errorf("%s: prints past the gate (fmt.%s)", f.fset.Position(u.Pos()), u.Sel.Name)
			}
		}
		if name, ok := names["charm.land/bubbletea/v2"]; ok {
			for _, u := range uses(f.ast, name, door{names: []string{"Println", "Printf", "Raw", "SetClipboard", "SetPrimaryClipboard", "ReadClipboard", "Exec", "ExecProcess"}}) {
				t.Errorf("%s: sends raw bytes past the views (tea.%s)", f.fset.Position(u.Pos()), u.Sel.Name)
			}
		}
	}
}
