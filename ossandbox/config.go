package ossandbox

import (
	"path/filepath"
	"strings"
)

// settle checks a configuration and fills in what follows from it.
func (cfg Config) settle() (Config, error) {
	for name, p := range map[string]string{"workspace": cfg.Root, "home folder": cfg.Home, "state folder": cfg.State} {
		if !filepath.IsAbs(p) {
			return cfg, &SetupError{Cause: "the " + name + " " + quoted(p) + " is not an absolute path"}
		}
	}
	cfg.Root, cfg.Home, cfg.State = filepath.Clean(cfg.Root), filepath.Clean(cfg.Home), filepath.Clean(cfg.State)
	var err error
	if cfg.work, err = filepath.EvalSymlinks(cfg.Root); err != nil {
		return cfg, &SetupError{Cause: "no such workspace", Err: err}
	}
	if !isDir(cfg.work) {
		return cfg, &SetupError{Cause: "the workspace " + cfg.Root + " is not a folder"}
	}
	cfg.realHome, cfg.realState = resolvedAsFar(cfg.Home), resolvedAsFar(cfg.State)
	if err := cfg.mayWrite(cfg.work); err != nil {
		return cfg, err
	}
	if _, ok := below(cfg.realState, cfg.work); ok {
		return cfg, &SetupError{Cause: "the workspace lies in our own state folder " + cfg.State, Mend: "choose another folder"}
	}
	if unusableHome(cfg.realHome) {
		// Service accounts have such homes. Commands get an empty one.
		cfg.Home, cfg.realHome = "/tmp/home", "/tmp/home"
	}
	cfg.Limits = cfg.Limits.orDefault()
	return cfg, nil
}

// mayWrite refuses folders that must never be writable as a whole.
func (cfg *Config) mayWrite(dir string) error {
	switch {
	case dir == "/":
		return &SetupError{Cause: "/ is everything", Mend: "choose a folder with --root"}
	case dir == cfg.realHome || dir == cfg.Home:
		return &SetupError{Cause: dir + " is the home folder itself", Mend: "choose a folder in it"}
	}
	for _, p := range []string{"/proc", "/sys", "/dev"} {
		if _, ok := below(p, dir); ok && dir != "/dev/shm" && !strings.HasPrefix(dir, "/dev/shm/") {
			return &SetupError{Cause: dir + " is the kernel's: who may write there sets up the machine", Mend: "choose a folder with files of your own"}
		}
	}
	for _, p := range []string{cfg.realHome, cfg.Home} {
		if _, ok := below(dir, p); ok {
			return &SetupError{Cause: dir + " holds the home folder", Mend: "choose a narrower folder"}
		}
	}
	for _, p := range []string{cfg.realState, cfg.State} {
		if _, ok := below(dir, p); ok {
			return &SetupError{Cause: dir + " holds our own state folder " + p, Mend: "choose a narrower folder, or another --home"}
		}
	}
	return nil
}

// secretIn names a known secret that showing p would show, "" for none.
func (cfg *Config) secretIn(p string) string {
	if _, ok := below(p, cfg.realState); ok {
		return "our own state"
	}
	if _, ok := below(p, cfg.realHome); ok {
		return "the whole home folder"
	}
	for _, home := range []string{cfg.Home, cfg.realHome} {
		if s := secretOf(home, p, globbed); s != "" {
			return s
		}
	}
	return ""
}

func globbed(pattern string) []string {
	hits, err := filepath.Glob(pattern)
	if err != nil {
		return nil // patterns are ours and well formed; HOME may hold a bracket
	}
	return hits
}

// resolvedAsFar resolves the links of the part of p that exists.
func resolvedAsFar(p string) string {
	if real, err := filepath.EvalSymlinks(p); err == nil {
		return real
	}
	dir, base := filepath.Split(p)
	dir = filepath.Clean(dir)
	if dir == p {
		return p
	}
	return filepath.Join(resolvedAsFar(dir), base)
}

func unusableHome(home string) bool {
	if home == "/" {
		return true
	}
	for _, dir := range append([]string{"/dev", "/proc", "/sys", "/run", "/boot"}, systemFolders...) {
		if _, ok := below(dir, home); ok {
			return true
		}
	}
	return false
}

// orDefault fills the zero fields.
func (l Limits) orDefault() Limits {
	def := func(v *int64, d int64) {
		if *v <= 0 {
			*v = d
		}
	}
	def(&l.Memory, 4<<30)
	def(&l.FileSize, 2<<30)
	def(&l.Temp, 1<<30)
	def(&l.Disk, 8<<30)
	def(&l.Output, 64<<20)
	if l.Processes <= 0 {
		l.Processes = 512
	}
	if l.OpenFiles <= 0 {
		l.OpenFiles = 4096
	}
	return l
}
