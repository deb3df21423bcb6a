package view

import (
	"testing"
	"time"

	"github.com/tera-pilot/tera-pilot/tui/safe"
)

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 2140 * time.Millisecond: "2.1s", 14 * time.Second: "14s", 59999 * time.Millisecond: "59s", 65 * time.Second: "1m05s", 3 * time.Hour: "180m00s",
	} {
		if got := Seconds(d); got != safe.Strict(want) {
			t.Errorf("%v reads %s, want %s", d, got, want)
		}
	}
}
