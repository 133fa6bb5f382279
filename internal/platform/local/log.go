package local

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/platform"
)

// tailLines and tailBytes bound what of a log goes into an error.
const (
	tailLines = 20
	tailBytes = 16 << 10
)

// serverLog is a server's log file, to which restarts append.
type serverLog struct {
	path       string
	from       int64          // where this start began
	complaints *regexp.Regexp // the lines that say why it gave up
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

// name is what the platform's users know it by.
func (l serverLog) name() string { return filepath.Base(l.path) }

// reader reads all of it.
func (l serverLog) reader() (io.ReadCloser, error) {
	f, err := os.Open(l.path)
	if err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	return f, nil
}

// Logs lists the logs that were written to since a moment.
func (l *Local) Logs(_ context.Context, since time.Time) ([]platform.Log, error) {
	entries, err := os.ReadDir(l.logs)
	if err != nil {
		return nil, fmt.Errorf("list the logs: %w", err)
	}
	var all []platform.Log
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || info.ModTime().Before(since) {
			continue
		}
		log := serverLog{path: filepath.Join(l.logs, e.Name())}
		all = append(all, platform.Log{Name: e.Name(), Open: func(context.Context) (io.ReadCloser, error) { return log.reader() }})
	}
	return all, nil
}

// written are the lines that this start wrote, at most the last tailBytes.
func (l serverLog) written() []string {
	f, err := os.Open(l.path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	at := max(l.from, info.Size()-tailBytes)
	data, _ := io.ReadAll(io.NewSectionReader(f, at, info.Size()-at)) // what could be read is enough
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// tail gives the last lines that this start wrote.
func (l serverLog) tail() string { return lastOf(l.written()) }

func lastOf(lines []string) string {
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}

// reasons are the lines that say why the server gave up.
func (l serverLog) reasons() string {
	if l.complaints == nil {
		return ""
	}
	return lastOf(slices.DeleteFunc(l.written(), func(line string) bool { return !l.complaints.MatchString(line) }))
}

// withTail adds to what happened what the server says about it.
func (l serverLog) withTail(what error) error {
	tail := l.tail()
	if tail == "" {
		return fmt.Errorf("%w; its log %s is empty", what, l.name())
	}
	if reasons := l.reasons(); reasons != "" {
		return fmt.Errorf("%w; its log %s says:\n%s", what, l.name(), reasons)
	}
	return fmt.Errorf("%w; the end of its log %s:\n%s", what, l.name(), tail)
}
