// Package sink is the far end of TCP streams: a server that receives data or sends it,
// counts it, and compares it with the expected data. A stream is one connection; afterwards
// its total is requested on another. The sink can make a link of its own, two network
// namespaces joined by a virtual cable, and hand out connections over it.
package sink

import (
	"errors"
	"fmt"
	"io"

	"plimsoll/internal/app/builtin/service"
)

// Kind is the endpoints' name of the protocol.
const Kind = "tcp-sink"

// Request begins a connection: either a stream follows, or it asks for the total of one.
type Request struct {
	Token  string  `json:"token,omitempty"`
	Stream *Stream `json:"stream,omitempty"`
	Total  string  `json:"total,omitempty"` // identifier of the stream
}

// Stream is one stream of messages.
type Stream struct {
	ID      string `json:"id"`   // random, as others must not ask for its total
	Seed    uint64 `json:"seed"` // of its content
	Message int    `json:"message"`
	// Buffer is the size of the socket's buffer at either end in bytes; 0 leaves it to
	// the system.
	Buffer int `json:"buffer,omitempty"`
	// Receive reports whether the sink sends, and whoever asks receives.
	Receive bool `json:"receive,omitempty"`
}

// Limits of requests.
const (
	LargestMessage = 16 << 20
	LargestBuffer  = 1 << 30
)

// check refuses what no session asks for.
func (s Stream) check() error {
	switch {
	case s.ID == "" || len(s.ID) > 64:
		return errors.New("a stream needs an identifier of at most 64 characters")
	case s.Message < 1 || s.Message > LargestMessage:
		return fmt.Errorf("a message has 1 to %d bytes, not %d", LargestMessage, s.Message)
	case s.Buffer < 0 || s.Buffer > LargestBuffer:
		return fmt.Errorf("a socket buffer has 0 to %d bytes, not %d", LargestBuffer, s.Buffer)
	}
	return nil
}

// Total is the sink's account of a stream that has ended.
type Total struct {
	Bytes int64 `json:"bytes"` // that it received, or sent
	// Wrong is the offset of the first byte that is not as it was sent; -1 is none.
	Wrong int64 `json:"wrong"`
	// Lost is the reason why the stream ended other than by its sender's wish.
	Lost string `json:"lost,omitempty"`
}

// Answer is that to a request.
type Answer struct {
	Error string `json:"error,omitempty"`
	Total *Total `json:"total,omitempty"`
}

// largestFrame bounds a request or answer.
const largestFrame = 4096

// readFrame reads a request or answer, and no byte more.
func readFrame(from io.Reader, value any) error {
	return service.ReadFrame(from, value, largestFrame, "this is no sink, or no session of one")
}
