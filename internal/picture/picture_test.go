package picture

import "testing"

// FuzzLook: whatever the bytes are, there is no panic, and a size is one.
func FuzzLook(f *testing.F) {
	for _, s := range []string{
		"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x02\x00\x00\x00\x03\x08",
		"GIF89a\x02\x00\x03\x00\x00\x00",
		"\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xc2\x00\x11\x08\x00\x03\x00\x02\x03\x01\x11",
		"RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x02\x00\x00__",
		"RIFF\x00\x00\x00\x00WEBPVP8 \x0a\x00\x00\x00\x00\x00\x00\x9d\x01\x2a\x02\x00\x03\x00___",
	} {
		if _, w, h, ok := Look([]byte(s)); !ok || w != 2 || h != 3 {
			f.Errorf("%q: %d × %d, %v", s, w, h, ok)
		}
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		kind, w, h, ok := Look(data)
		if ok != (w > 0 && h > 0) || ok && kind == "" || w < 0 || h < 0 {
			t.Errorf("%q: %s, %d × %d, %v", data, kind, w, h, ok)
		}
	})
}
