#!/bin/sh
# kind: use
# holds: tools want a home and xdg folders
# post: out mytool-ok
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
mkdir -p ~/.config/x ~/.local/share/x; echo a > ~/.config/x/y; python3 -c "import tempfile,pathlib; pathlib.Path.home().joinpath('z').write_text('1')"; git config --global user.name; git config --global foo.bar 1 2>/dev/null || echo "no global write"; [ -z "$XDG_RUNTIME_DIR" ] || mkdir -p "$XDG_RUNTIME_DIR"; echo ${XDG_RUNTIME_DIR-unset}; [ -d "${TMPDIR:-/tmp}" ]; [ -d "${XDG_CACHE_HOME:-$HOME/.cache}" ]; touch "${XDG_CACHE_HOME:-$HOME/.cache}/q"; ~/.local/bin/mytool
