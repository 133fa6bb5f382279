package service

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// WriteFrame sends a value as JSON, preceded by its length in four bytes. A frame shorter
// than 16 MiB begins with a zero, which no TLS record does.
func WriteFrame(to io.Writer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = to.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...))
	return err
}

// ReadFrame reads a frame of at most so many bytes, and no byte more. A longer one comes from
// something else, and strange says so: "this is no sink".
func ReadFrame(from io.Reader, value any, most uint32, strange string) error {
	var length [4]byte
	if _, err := io.ReadFull(from, length[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(length[:])
	if n > most {
		return fmt.Errorf("%d bytes are announced, more than %d: %s", n, most, strange)
	}
	var text bytes.Buffer // it grows with what comes: who only announces much gets no memory
	if _, err := io.CopyN(&text, from, int64(n)); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	return json.Unmarshal(text.Bytes(), value)
}
