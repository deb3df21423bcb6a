package tool

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Bounds of a picture that a model is shown: what the providers take. Pixels
// are never decoded here, so that a small file cannot become a large memory.
const (
	maxPicture = 7 << 19 // bytes: 3.5 MiB, 5 MB as base64
	maxSide    = 8000    // pixels
)

// A Picture is an image for a model that takes one.
type Picture struct {
	Name      string
	MediaType string
	Data      []byte
}

// picture tells the kind and the size of an image by its first bytes; ok is
// false for anything else, and for a head that does not say its size.
func picture(data []byte) (mediaType string, width, height int, ok bool) {
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

// CheckPicture is the media type of a picture that a model can be shown. The
// error says why it cannot.
func CheckPicture(data []byte) (mediaType string, err error) {
	mediaType, w, h, ok := picture(data)
	switch {
	case !ok:
		return "", errors.New("it is no picture of a known kind")
	case len(data) > maxPicture || w > maxSide || h > maxSide:
		return "", fmt.Errorf("%s and %d pixels a side are the most", size(maxPicture), maxSide)
	default:
		return mediaType, nil
	}
}

// shownPicture is the result of reading an image.
func shownPicture(name string, data []byte) (Result, bool) {
	mediaType, w, h, ok := picture(data)
	if !ok {
		return Result{}, false
	}
	what := fmt.Sprintf("%s is a picture: %s, %d × %d pixels, %s", quote(name), mediaType, w, h, size(int64(len(data))))
	if len(data) > maxPicture || w > maxSide || h > maxSide {
		return Result{Status: OK, Body: fmt.Sprintf("%s. It is not shown: %s and %d pixels a side are the most; make a smaller copy\n", what, size(maxPicture), maxSide)}, true
	}
	return Result{Status: OK, Untrusted: fromFile, Body: what + "\n", Pictures: []Picture{{name, mediaType, data}}}, true
}
