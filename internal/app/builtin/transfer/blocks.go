package transfer

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// An item goes over a connection in blocks, each with its length before it: none ends it, and
// failure is followed by why the sender gives up.
const (
	failure      = 1<<32 - 1
	mostFollows  = 1 << 20 // bytes of a trailer or a reason
	lengthOfMark = 4
)

// blocks is the framing between services of this program.
type blocks struct{}

// encode writes pieces as blocks.
func (blocks) encode(in *Input, to io.Writer, classOf func(error) string) error {
	for {
		b, err := in.Next()
		switch {
		case errors.Is(err, io.EOF):
			return mark(to, 0)
		case err != nil:
			return errors.Join(err, giveUp(to, SenderError{classOf(err), err.Error()}))
		case len(b) == 0:
			continue
		}
		if err := mark(to, uint32(len(b))); err != nil {
			return err
		}
		if _, err := to.Write(b); err != nil {
			return err
		}
		Release(b)
	}
}

func mark(to io.Writer, n uint32) error {
	_, err := to.Write(binary.BigEndian.AppendUint32(nil, n))
	return err
}

// SenderError is why the other end gave up.
type SenderError struct {
	Class string `json:"class,omitempty"` // as results count it
	Text  string `json:"text"`
}

func (e *SenderError) Error() string { return "the source gives up: " + e.Text }

// giveUp sends the reason in place of a block.
func giveUp(to io.Writer, why SenderError) error {
	text, err := json.Marshal(why)
	if err == nil {
		err = mark(to, failure)
	}
	if err == nil {
		err = mark(to, uint32(len(text)))
	}
	if err == nil {
		_, err = to.Write(text)
	}
	return err
}

// trail has its length before it.
func (blocks) trail(trailer []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(trailer))), trailer...)
}

// decode reads blocks, and what follows them.
func (blocks) decode(from io.Reader, out *Output) (trailer []byte, err error) {
	r := bufio.NewReaderSize(from, 64<<10)
	for {
		n, err := markOf(r)
		switch {
		case err != nil:
			return nil, err
		case n == 0:
			return follows(r)
		case n == failure:
			reason, err := follows(r)
			if err != nil {
				return nil, err
			}
			var why SenderError
			return nil, errors.Join(json.Unmarshal(reason, &why), &why)
		case n > piece:
			return nil, fmt.Errorf("a block of %d bytes is announced, more than %d: this is no item", n, piece)
		}
		b := buffer()[:n]
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, early(err)
		}
		if err := out.Give(b); err != nil {
			return nil, err
		}
	}
}

// early is an end that came before its time.
func early(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func markOf(r io.Reader) (uint32, error) {
	var b [lengthOfMark]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return 0, early(err)
	}
	return binary.BigEndian.Uint32(b[:]), nil
}

func follows(r io.Reader) ([]byte, error) {
	n, err := markOf(r)
	if err != nil {
		return nil, err
	}
	if n > mostFollows {
		return nil, fmt.Errorf("%d bytes are announced, more than %d", n, mostFollows)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, early(err)
	}
	return text, nil
}
