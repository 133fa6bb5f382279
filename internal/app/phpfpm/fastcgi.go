package phpfpm

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// pingPath is answered by every pool with pong, without running a page.
const (
	pingPath = "/ping"
	pong     = "pong"
)

// ping asks a pool whether it answers.
func ping(ctx context.Context, network, address string) error {
	answer, err := get(ctx, network, address, pingPath, "")
	if err != nil {
		return fmt.Errorf("ask PHP-FPM at %s: %w", address, err)
	}
	if _, body, _ := strings.Cut(answer, "\r\n\r\n"); body != pong {
		return fmt.Errorf("ask PHP-FPM at %s: it answered %q, not %q", address, answer, pong)
	}
	return nil
}

// Types of FastCGI records (FastCGI specification 1.0, section 8).
const (
	beginRequest = 1
	endRequest   = 3
	parameters   = 4
	standardIn   = 5
	standardOut  = 6
)

// answerLimit is how long an answer may take where ctx has no deadline.
const answerLimit = 5 * time.Second

// get asks for a path by FastCGI, on a connection of its own, and gives the answer
// with its header.
func get(ctx context.Context, network, address, path, query string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return "", err
	}
	var request bytes.Buffer
	record(&request, beginRequest, []byte{0, 1, 0, 0, 0, 0, 0, 0}) // a responder; the connection ends with the answer
	record(&request, parameters, pairs("SCRIPT_NAME", path, "SCRIPT_FILENAME", path, "REQUEST_METHOD", "GET", "QUERY_STRING", query))
	record(&request, parameters, nil)
	record(&request, standardIn, nil)
	if _, err := conn.Write(request.Bytes()); err != nil {
		return "", err
	}
	return answer(bufio.NewReader(conn))
}

// record writes one record of request 1.
func record(to *bytes.Buffer, kind byte, content []byte) {
	to.Write([]byte{1, kind, 0, 1, byte(len(content) >> 8), byte(len(content)), 0, 0})
	to.Write(content)
}

// pairs are names and values, each shorter than 128 bytes.
func pairs(texts ...string) (all []byte) {
	for n := 0; n < len(texts); n += 2 {
		all = append(all, byte(len(texts[n])), byte(len(texts[n+1])))
		all = append(append(all, texts[n]...), texts[n+1]...)
	}
	return all
}

// answer reads records up to the end of the request.
func answer(from io.Reader) (string, error) {
	var out strings.Builder
	for {
		var header struct {
			Version, Kind   byte
			Request, Length uint16
			Padding, _      byte
		}
		if err := binary.Read(from, binary.BigEndian, &header); err != nil {
			return "", err
		}
		content := make([]byte, int(header.Length)+int(header.Padding))
		if _, err := io.ReadFull(from, content); err != nil {
			return "", err
		}
		switch header.Kind {
		case standardOut:
			out.Write(content[:header.Length])
		case endRequest:
			return out.String(), nil
		}
	}
}
