package transfer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
)

// body is the framing of an answer to a GET (RFC 9112): in chunks, which an error cuts short, as
// HTTP has no other word for it once the answer has begun. What follows an item is a trailer.
type body struct{}

// account is the trailer's name. A server that sends none says nothing of its stages.
const account = "Plimsoll-Account"

func (body) encode(in *Input, to io.Writer, classOf func(error) string) error {
	first, err := in.Next()
	if err != nil && !errors.Is(err, io.EOF) {
		return errors.Join(err, Refuse(to, statusOf(classOf(err)), err.Error()))
	}
	if _, err := io.WriteString(to, "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\nTrailer: "+account+"\r\nConnection: close\r\n\r\n"); err != nil {
		return err
	}
	chunks := httputil.NewChunkedWriter(to)
	if len(first) > 0 {
		if _, err := chunks.Write(first); err != nil {
			return err
		}
		Release(first)
	}
	if _, err := in.WriteTo(chunks); err != nil {
		return err
	}
	return chunks.Close()
}

func (body) trail(trailer []byte) []byte {
	return fmt.Appendf(nil, "%s: %s\r\n\r\n", account, trailer)
}

// mostRefusal is how much of the reason for a refusal is read, in bytes.
const mostRefusal = 4 << 10

func (body) decode(from io.Reader, out *Output) (trailer []byte, err error) {
	// A trailer must fit in the reader's buffer.
	answer, err := http.ReadResponse(bufio.NewReaderSize(from, 64<<10), nil)
	if err != nil {
		return nil, early(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, err := io.ReadAll(io.LimitReader(answer.Body, mostRefusal))
		return nil, errors.Join(&StatusError{answer.StatusCode, fmt.Sprintf("%s: %s", answer.Status, text)}, err)
	}
	if _, err := out.ReadFrom(answer.Body); err != nil {
		return nil, err
	}
	return []byte(answer.Trailer.Get(account)), nil
}

// StatusError is an answer that has no item.
type StatusError struct {
	Code int
	Text string
}

func (e *StatusError) Error() string { return "the source answers " + e.Text }

// Refuse answers a GET with a status and the reason.
func Refuse(to io.Writer, status int, why string) error {
	_, err := fmt.Fprintf(to, "HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", status, http.StatusText(status), len(why), why)
	return err
}

// NoSuchItem is the class of an error about an item that is not there.
const NoSuchItem = "no-such-item"

func statusOf(class string) int {
	if class == NoSuchItem {
		return http.StatusNotFound
	}
	return http.StatusInternalServerError
}
