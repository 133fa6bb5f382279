// Package logfile is about the logs of servers and tasks, which are files of the
// campaign's machine.
package logfile

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

	"plimsoll/internal/host/safefile"
	"plimsoll/internal/platform"
)

// tailLines and tailBytes bound what of a log goes into an error.
const (
	tailLines = 20
	tailBytes = 16 << 10
)

// Log is a server's log file, to which restarts append.
type Log struct {
	// Complaints finds the lines that say why it gave up; nil finds none.
	Complaints *regexp.Regexp

	path string
	from int64 // where this start began
}

// Open opens a log for appending.
func Open(path string) (Log, *os.File, error) {
	f, err := safefile.Append(path, 0o600)
	if err != nil {
		return Log{}, nil, fmt.Errorf("open the server's log: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return Log{}, nil, fmt.Errorf("open the server's log: %w", err)
	}
	return Log{path: path, from: info.Size()}, f, nil
}

// Name is what the platform's users know it by.
func (l Log) Name() string { return filepath.Base(l.path) }

// Reader reads the kept parts of the log.
func (l Log) Reader() (io.ReadCloser, error) {
	f, err := openBounded(l.path)
	if err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	return f, nil
}

// List gives the logs in a directory that were written to since a moment.
func List(directory string, since time.Time) ([]platform.Log, error) {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return nil, fmt.Errorf("list the logs: %w", err)
	}
	var all []platform.Log
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || info.ModTime().Before(since) {
			continue
		}
		log := Log{path: filepath.Join(directory, e.Name())}
		all = append(all, platform.Log{Name: e.Name(), Open: func(context.Context) (io.ReadCloser, error) { return log.Reader() }})
	}
	return all, nil
}

// written are the lines that this start wrote, at most the last tailBytes.
func (l Log) written() []string {
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

// Tail gives the last lines that this start wrote.
func (l Log) Tail() string { return lastOf(l.written()) }

func lastOf(lines []string) string {
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}

// Reasons are the lines of this start that say why the server gave up; none where
// Complaints finds none.
func (l Log) Reasons() string {
	if l.Complaints == nil {
		return ""
	}
	return lastOf(slices.DeleteFunc(l.written(), func(line string) bool { return !l.Complaints.MatchString(line) }))
}

// WithTail adds to what happened what the server says about it.
func (l Log) WithTail(what error) error {
	tail := l.Tail()
	if tail == "" {
		return fmt.Errorf("%w; its log %s is empty", what, l.Name())
	}
	if reasons := l.Reasons(); reasons != "" {
		return fmt.Errorf("%w; its log %s says:\n%s", what, l.Name(), reasons)
	}
	return fmt.Errorf("%w; the end of its log %s:\n%s", what, l.Name(), tail)
}
