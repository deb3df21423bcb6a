package commandpolicy

// A hook judges a program whose command line needs more than a table. When it
// returns true it has judged everything; else the grammar goes on.
type hook func(*judged) bool

// hookFor finds the hook of a program, or nil.
func hookFor(name string) hook {
	for _, family := range []func(string) hook{builtinHook, textHook, fileHook, systemHook, wrapperHook} {
		if h := family(name); h != nil {
			return h
		}
	}
	return nil
}

func builtinHook(name string) hook {
	switch name {
	case "echo":
		return (*judged).echo
	case "printf":
		return (*judged).printf
	case "pwd":
		return (*judged).pwd
	case "cd", "pushd", "popd":
		return (*judged).cd
	case "eval":
		return (*judged).eval
	case "source", ".":
		return (*judged).source
	case "command", "builtin", "exec":
		return (*judged).command
	case "trap":
		return (*judged).trap
	case "set":
		return (*judged).set
	case "shopt":
		return (*judged).shopt
	case "read", "mapfile", "readarray":
		return (*judged).read
	case "unset":
		return (*judged).unset
	case "alias":
		return (*judged).alias
	case "getopts", "export", "declare", "typeset", "local", "readonly":
		return (*judged).export
	case "hash":
		return (*judged).hashCommand
	case "history", "fc":
		return (*judged).history
	case "test", "[":
		return (*judged).testBuiltin
	}
	return nil
}

func textHook(name string) hook {
	switch name {
	case "cat":
		return (*judged).cat
	case "rev", "base64", "xxd":
		return (*judged).decode
	case "sed":
		return (*judged).sed
	case "awk":
		return (*judged).awk
	case "jq":
		return (*judged).jq
	case "grep", "rg", "ag":
		return (*judged).grep
	case "diff", "gofmt":
		return (*judged).folders
	case "strings", "size", "nm", "readelf", "objdump":
		return (*judged).binutils
	case "date":
		return (*judged).date
	case "printenv":
		return (*judged).printenv
	}
	return nil
}

func fileHook(name string) hook {
	switch name {
	case "find":
		return (*judged).find
	case "cp", "mv", "install", "ln":
		return (*judged).copies
	case "dd":
		return (*judged).dd
	case "tar":
		return (*judged).tar
	case "rm", "shred":
		return (*judged).remove
	case "chmod", "chown", "chgrp":
		return (*judged).chmod
	case "git":
		return (*judged).git
	case "go":
		return (*judged).goTool
	case "curl":
		return (*judged).curl
	case "wget":
		return (*judged).wget
	case "ssh":
		return (*judged).ssh
	case "scp", "rsync", "sftp":
		return (*judged).transfer
	case "nc", "socat":
		return (*judged).netcat
	}
	return nil
}

func systemHook(name string) hook {
	switch name {
	case "kill":
		return (*judged).kill
	case "pkill", "pgrep", "killall":
		return (*judged).pkill
	case "ps":
		return (*judged).ps
	case "systemctl", "loginctl":
		return (*judged).systemctl
	case "init", "telinit":
		return (*judged).initLevel
	case "crontab":
		return (*judged).crontab
	case "fuser":
		return (*judged).fuser
	case "mkfs":
		return (*judged).disks
	case "tera-pilot":
		return (*judged).own
	}
	return nil
}

func wrapperHook(name string) hook {
	switch name {
	case "env":
		return (*judged).env
	case "xargs":
		return (*judged).xargs
	case "su", "sg", "script", "watch", "flock", "parallel":
		return (*judged).shellWords
	case "chroot":
		return (*judged).anyCommand
	case "openssl":
		return (*judged).openssl
	case "gpg":
		return (*judged).gpg
	case "busybox", "toybox":
		return (*judged).busybox
	case "python", "perl", "ruby", "node", "php", "lua", "deno", "tclsh", "osascript", "julia", "guile", "pwsh":
		return (*judged).interpreter
	}
	if shellNames[name] {
		return (*judged).shell
	}
	return nil
}
