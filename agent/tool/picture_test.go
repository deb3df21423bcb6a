package tool

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/tera-pilot/tera-pilot/internal/picture"
)

// onePixel are pictures of one pixel, by kind.
var onePixel = map[string]string{
	"image/png":  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	"image/gif":  "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
	"image/webp": "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
	"image/jpeg": "/9j/4AAQSkZJRgABAQAAAQABAAD/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AVN//2Q==",
}

func TestPictures(t *testing.T) {
	f := newFake()
	for kind, text := range onePixel {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		f.files["p"] = string(data)
		r := call(t, f, "read_file", `{"path":"p"}`)
		if len(r.Pictures) != 1 || r.Pictures[0].MediaType != kind || string(r.Pictures[0].Data) != string(data) || r.Untrusted != "file" {
			t.Errorf("%s: %+v", kind, r)
		}
		has(t, r.Body, "p is a picture: "+kind+", 1 × 1 pixels")
		for n := range data { // a cut head is no picture, or one that says its size
			picture.Look(data[:n])
		}
	}
	png, _ := base64.StdEncoding.DecodeString(onePixel["image/png"])
	bomb := append([]byte{}, png...)
	copy(bomb[16:], "\x00\x00\xff\xff\x00\x00\xff\xff") // 65,535 pixels a side in 70 bytes
	for name, data := range map[string]string{"bomb": string(bomb), "large": string(png) + strings.Repeat("\x00", maxPicture)} {
		f.files["p"] = data
		r := call(t, f, "read_file", `{"path":"p"}`)
		if len(r.Pictures) > 0 || !strings.Contains(r.Body, "It is not shown") {
			t.Errorf("%s: %d pictures, %s", name, len(r.Pictures), r.Body)
		}
	}
	f.files["p"] = "GIF89a is how a text about pictures can begin\n"
	if r := call(t, f, "read_file", `{"path":"p"}`); len(r.Pictures) > 0 || !strings.Contains(r.Body, "1\tGIF89a") {
		t.Errorf("a text is taken for a picture: %+v", r)
	}
}
