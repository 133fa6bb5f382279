package local

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// tailLines and tailBytes bound what of a log goes into an error.
const (
	tailLines = 20
	tailBytes = 16 << 10
)

// serverLog is a server's log file, to which restarts append.
type serverLog struct {
	path string
	from int64 // where this start began
}

func openLog(path string) (serverLog, *os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return serverLog{}, nil, fmt.Errorf("open the server's log: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return serverLog{}, nil, fmt.Errorf("open the server's log: %w", err)
	}
	return serverLog{path: path, from: info.Size()}, f, nil
}

// tail gives the last lines that this start wrote.
func (l serverLog) tail() string {
	f, err := os.Open(l.path)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	at := max(l.from, info.Size()-tailBytes)
	data, _ := io.ReadAll(io.NewSectionReader(f, at, info.Size()-at)) // what could be read is enough
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}

// withTail adds the tail to what happened.
func (l serverLog) withTail(what error) error {
	tail := l.tail()
	if tail == "" {
		return fmt.Errorf("%w; its log %s is empty", what, l.path)
	}
	return fmt.Errorf("%w; the end of its log %s:\n%s", what, l.path, tail)
}
