package result

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// streams walks several files of records together, the lowest second first, so
// that what happened in one second on several drivers comes together and no
// more than that second is held.
type streams []*stream

type stream struct {
	name string
	file *os.File
	next func() (line, bool)
	stop func()
	head line
	more bool
}

// line is one line of a file of records with the second it belongs to.
type line struct {
	number int
	second int
	text   []byte
	err    error // instead of text, where a line could not be read; the last
}

func openStreams(files []string) (streams, error) {
	var all streams
	for _, path := range files {
		s, err := openStream(path)
		if err != nil {
			all.close()
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func openStream(path string) (*stream, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the records of a driver: %w", err)
	}
	s := &stream{name: filepath.Base(path), file: f}
	s.next, s.stop = iter.Pull(linesOf(f))
	s.advance()
	return s, nil
}

// driver guesses the name of the driver from the name of its file.
func (s *stream) driver() string { return driverOf(s.name) }

// driverOf is the driver that a file is named after.
func driverOf(path string) string {
	name := filepath.Base(path)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

func (s *stream) advance() { s.head, s.more = s.next() }

func (all streams) close() {
	for _, s := range all {
		s.stop()
		s.file.Close()
	}
}

// each visits every line; text is only valid during the visit.
func (all streams) each(visit func(s *stream) error) error {
	for s := all.lowest(); s != nil; s = all.lowest() {
		if err := visit(s); err != nil {
			return err
		}
		s.advance()
	}
	return nil
}

func (all streams) lowest() *stream {
	var low *stream
	for _, s := range all {
		if s.more && (low == nil || s.head.second < low.head.second) {
			low = s
		}
	}
	return low
}

// linesOf splits a file into lines. A line whose second cannot be read goes
// with the one before it. A line that cannot be read, such as an over-long one,
// ends the file.
func linesOf(r io.Reader) iter.Seq[line] {
	return func(yield func(line) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, 64<<10), maxLine)
		l := line{}
		for lines.Scan() {
			l.number++
			l.text = lines.Bytes()
			if len(bytes.TrimSpace(l.text)) == 0 {
				continue
			}
			l.second = secondOf(l.text, l.second)
			if !yield(l) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(line{number: l.number + 1, second: l.second, err: fmt.Errorf("%w, and what follows it is lost", err)})
		}
	}
}

func secondOf(text []byte, before int) int {
	var r struct {
		Second *int `json:"second"`
	}
	if json.Unmarshal(text, &r) != nil || r.Second == nil {
		return before
	}
	return *r.Second
}

// mergeRecordFiles writes the lines of all files in the order of their
// seconds, unreadable ones included: they are evidence.
func mergeRecordFiles(w io.Writer, files []string) error {
	all, err := openStreams(files)
	if err != nil {
		return err
	}
	defer all.close()
	out := bufio.NewWriterSize(w, 256<<10)
	err = all.each(func(s *stream) error {
		if s.head.err != nil {
			return nil // Collect reports it
		}
		_, err := out.Write(s.head.text)
		return errors.Join(err, out.WriteByte('\n'))
	})
	return errors.Join(err, out.Flush())
}
