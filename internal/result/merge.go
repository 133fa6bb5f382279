package result

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/host/untrusted"
)

// streams walks several files of records together, the lowest second first, so
// that what happened in one second on several drivers comes together and no
// more than that second is held.
type streams []*stream

type stream struct {
	name  string
	place int // among the files
	file  *os.File
	next  func() (line, bool)
	stop  func()
	head  line
	more  bool
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
		s.place = len(all)
		all = append(all, s)
	}
	return all, nil
}

func openStream(path string) (*stream, error) {
	f, err := untrusted.Open(filepath.Dir(path), filepath.Base(path), untrusted.MostRecords)
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
		_ = s.file.Close()
	}
}

// each visits every line; text is only valid during the visit.
func (all streams) each(visit func(s *stream) error) error {
	left := queue(slices.DeleteFunc(slices.Clone(all), func(s *stream) bool { return !s.more }))
	for heap.Init(&left); len(left) > 0; {
		s := left[0]
		if err := visit(s); err != nil {
			return err
		}
		if s.advance(); s.more {
			heap.Fix(&left, 0)
		} else {
			heap.Pop(&left)
		}
	}
	return nil
}

// queue is a heap of streams: the lowest second first, and of these the first file.
type queue []*stream

// Len implements heap.Interface.
func (q queue) Len() int { return len(q) }

// Less implements heap.Interface.
func (q queue) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(q[i].head.second, q[j].head.second), cmp.Compare(q[i].place, q[j].place)) < 0
}

// Swap implements heap.Interface.
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *queue) Push(s any) { *q = append(*q, s.(*stream)) }

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	last := len(*q) - 1
	s := (*q)[last]
	*q = (*q)[:last]
	return s
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

// secondOf is the second of a line, or of the line before it. Drivers write it before
// anything that can be long or contain the same key, so that most lines need not be read to
// the end.
func secondOf(text []byte, before int) int {
	if _, rest, ok := bytes.Cut(text[:min(len(text), nearStart)], []byte(`"second":`)); ok {
		if digits := bytes.IndexByte(rest, ','); digits > 0 {
			if second, err := strconv.Atoi(string(rest[:digits])); err == nil {
				return second
			}
		}
	}
	var r struct {
		Second *int `json:"second"`
	}
	if json.Unmarshal(text, &r) != nil || r.Second == nil {
		return before
	}
	return *r.Second
}

// nearStart is where the second of a line is looked for without reading all of it, in bytes.
const nearStart = 128

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
