#!/bin/bash
# Makes docs/pictures anew: the real program with a scripted model, in tmux.
# Needs tmux, git and Go. Nothing leaves this machine.
set -eu
cd "$(dirname "$0")/../.."
out=docs/pictures work=$(mktemp -d) n=0
tmux="tmux -L pictures-$$-0 -f /dev/null"
trap '$tmux kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
go build -trimpath -o "$work/bin/tera-pilot" ./cmd/tera-pilot
go build -trimpath -o "$work/bin/pictures" ./contrib/pictures
home="$work/home" repo="$work/home/src/parser"
mkdir -p "$repo/scan" "$home/.tera_pilot" "$out"
chmod 700 "$home/.tera_pilot"
cat > "$repo/scan/scan.go" <<'GO'
package scan

type Scanner struct{ col int }

func (s *Scanner) next() byte { return '"' }

func (s *Scanner) literal() {
	col := s.col
	for s.next() != '"' {
		col += 8
	}
}
GO
git -C "$repo" init -q -b main
git -C "$repo" -c user.name=you -c user.email=you@example.org commit -q --allow-empty -m start

# begin starts the program with some arguments.
begin() {
	$tmux kill-server 2>/dev/null || true
	n=$((n + 1))
	tmux="tmux -L pictures-$$-$n -f /dev/null" # not the server that is about to end
	$tmux new-session -d -x 100 -y 30 -c "$repo" \
		"exec env -i LANG=C.UTF-8 HOME='$home' PATH='$PATH' TERM=xterm-256color COLORTERM=truecolor EDITOR=true '$work/bin/tera-pilot' $*"
}
keys() { for k in "$@"; do $tmux send-keys "$k"; sleep 0.3; done; }
# wait_for waits until a text is on the screen.
wait_for() {
	for _ in $(seq 100); do
		$tmux capture-pane -p | grep -qF -- "$1" && { sleep 0.7; return; }
		sleep 0.2
	done
	echo "\"$1\" did not come onto the screen:" >&2
	$tmux capture-pane -p >&2
	exit 1
}
shot() {
	$tmux capture-pane -e -p | "$work/bin/pictures" -hide "$home=/home/you" -hide "${home#/}=home/you" > "$out/$1.svg"
}

begin
wait_for "Nothing has been sent"
sleep 2
shot start

begin --provider scripted --script "$PWD/contrib/pictures/turn.json"
wait_for "You are in"
$tmux send-keys -l "Tabs inside strings move the column counter. Fix it and keep the fast path."
sleep 0.5
keys Enter
wait_for "ARMED"
shot review
keys a
wait_for "confirm"
shot confirm
keys PageDown
wait_for "ARMED"
keys a
wait_for "Changed"
shot chat
keys C-k
wait_for "what to do"
shot palette
keys Escape C-g
wait_for "activity"
sleep 1
shot activity
keys Escape C-z
wait_for "undo"
sleep 1
shot undo
keys Enter
wait_for "what would happen"
shot undo-plan
keys Escape Escape C-s
wait_for "this one"
shot sessions
keys Escape "?"
wait_for "everything that can be done"
shot keys
keys Escape
$tmux send-keys -l "/doctor"
keys Enter
wait_for "everything works"
shot self-test
echo "made: $(ls "$out"/*.svg | wc -l) pictures in $out"
