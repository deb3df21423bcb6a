package tool

// ReadText reads a file's content as the text tools do, without its byte order
// mark. write gives the bytes of another text in the same encoding, with the
// mark; wide says that a character takes more than a byte (UTF-16), so that
// lines can be found in the text alone. An error says that the content is no
// text that could be written back unchanged.
func ReadText(data []byte) (s string, wide bool, write func(string) []byte, err error) {
	t, err := decodeText(data)
	if err != nil {
		return "", false, nil, err
	}
	return t.s, t.enc == utf16LE || t.enc == utf16BE, t.encode, nil
}
