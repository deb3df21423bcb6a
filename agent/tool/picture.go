package tool

import (
	"errors"
	"fmt"

	"github.com/tera-pilot/tera-pilot/internal/picture"
)

// Bounds of a picture that a model is shown: what the providers take.
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

// CheckPicture is the media type of a picture that a model can be shown. The
// error says why it cannot.
func CheckPicture(data []byte) (mediaType string, err error) {
	mediaType, w, h, ok := picture.Look(data)
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
	mediaType, w, h, ok := picture.Look(data)
	if !ok {
		return Result{}, false
	}
	what := fmt.Sprintf("%s is a picture: %s, %d × %d pixels, %s", quote(name), mediaType, w, h, size(int64(len(data))))
	if len(data) > maxPicture || w > maxSide || h > maxSide {
		return Result{Status: OK, Body: fmt.Sprintf("%s. It is not shown: %s and %d pixels a side are the most; make a smaller copy\n", what, size(maxPicture), maxSide)}, true
	}
	return Result{Status: OK, Untrusted: fromFile, Body: what + "\n", Pictures: []Picture{{name, mediaType, data}}}, true
}
