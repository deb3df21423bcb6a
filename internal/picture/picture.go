// Package picture tells the kind and the size of a picture by its first bytes.
// It decodes no pixels, so that a small file cannot become a large memory.
package picture

import (
	"bytes"
	"encoding/binary"
)

// Look tells the kind of an image, and its width and height in pixels; ok is
// false for anything that is no image, and for a head that does not say its size.
func Look(data []byte) (mediaType string, width, height int, ok bool) {
	switch {
	case len(data) > 24 && bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")) && string(data[12:16]) == "IHDR":
		mediaType, width, height = "image/png", int(binary.BigEndian.Uint32(data[16:])), int(binary.BigEndian.Uint32(data[20:]))
	case len(data) > 10 && (bytes.HasPrefix(data, []byte("GIF87a")) || bytes.HasPrefix(data, []byte("GIF89a"))):
		mediaType, width, height = "image/gif", int(binary.LittleEndian.Uint16(data[6:])), int(binary.LittleEndian.Uint16(data[8:]))
	case bytes.HasPrefix(data, []byte("\xFF\xD8\xFF")):
		mediaType = "image/jpeg"
		width, height = jpegSize(data[2:])
	case len(data) > 30 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		mediaType = "image/webp"
		width, height = webpSize(data)
	}
	return mediaType, width, height, width > 0 && height > 0
}

// jpegSize goes from marker to marker to the frame's head.
func jpegSize(data []byte) (width, height int) {
	for len(data) > 9 && data[0] == 0xFF {
		marker, n := data[1], int(binary.BigEndian.Uint16(data[2:]))
		switch {
		case marker == 0xFF: // filling
			data = data[1:]
			continue
		case marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC:
			return int(binary.BigEndian.Uint16(data[7:])), int(binary.BigEndian.Uint16(data[5:]))
		case marker == 0xDA || marker == 0xD9 || n < 2 || 2+n > len(data):
			return 0, 0
		}
		data = data[2+n:]
	}
	return 0, 0
}

func webpSize(data []byte) (width, height int) {
	three := func(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
	switch string(data[12:16]) {
	case "VP8X":
		return three(data[24:]) + 1, three(data[27:]) + 1
	case "VP8L":
		bits := binary.LittleEndian.Uint32(data[21:])
		return int(bits&0x3FFF) + 1, int(bits>>14&0x3FFF) + 1
	case "VP8 ":
		return int(binary.LittleEndian.Uint16(data[26:])) & 0x3FFF, int(binary.LittleEndian.Uint16(data[28:])) & 0x3FFF
	default:
		return 0, 0
	}
}
