package result

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/text/inrange"
	"plimsoll/internal/text/sanitize"
)

// maxLine bounds a line of records; one with a full histogram has about 20 kB.
const maxLine = 8 << 20

// ReadRecords iterates records, one JSON object a line. A line that cannot be
// read, as a crash leaves the last one, yields an error that names it, and the
// iteration goes on.
func ReadRecords(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, 64<<10), maxLine)
		for n := 1; lines.Scan(); n++ {
			if len(lines.Bytes()) == 0 {
				continue
			}
			record, err := parseRecord(lines.Bytes())
			if err != nil {
				err = fmt.Errorf("line %d: %w", n, err)
			}
			if !yield(record, err) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(Record{}, fmt.Errorf("read records: %w", err))
		}
	}
}

func parseRecord(line []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(sanitize.JSON(line), &r); err != nil {
		return Record{}, fmt.Errorf("not a record: %w", err)
	}
	return r, errors.Join(r.check(), inrange.Check(r))
}

// check refuses values that no driver writes, so that sums over records stay
// meaningful and bounded.
func (r Record) check() error {
	switch {
	case r.Kind == KindOperation && (r.Count < 0 || r.RolledBack < 0 || r.Bytes < 0):
		return fmt.Errorf("operation %q of second %d has a negative count", r.Operation, r.Second)
	case r.Effort != nil && !r.Effort.Possible():
		return fmt.Errorf("operation %q of second %d has an effort that is not possible", r.Operation, r.Second)
	case r.Kind == KindOperation && r.Operation == "":
		return errors.New("an operation record without the name of the operation")
	case r.Kind == KindInstance && r.Instance == nil:
		return errors.New("an instance record without an instance")
	case r.Kind == KindWaiting && (r.Waiting == nil || r.Waiting.Count < 0 || r.Waiting.Offered < 0):
		return errors.New("a record of waiting work without their number")
	case r.Kind == KindCeiling && !r.Ceiling.possible():
		return errors.New("a record of a driver's ceiling without what it did in which time")
	case r.Kind == KindBegan && r.At.IsZero():
		return errors.New("a record of work that began without its moment")
	case r.Kind == KindFinished && (r.Finished == nil || r.Finished.Count < 0 || r.Finished.Bytes < 0 || r.At.IsZero()):
		return errors.New("a record of finished work without its moment or what had been done")
	case r.Second < 0 || r.Second > maxSecond:
		return fmt.Errorf("second %d is not possible", r.Second)
	}
	return nil
}

// maxSecond is the longest trial that records can describe: a week.
const maxSecond = 7 * 24 * 3600

// recordsOf reads a file of records below a run directory, however large.
func recordsOf(dir, name string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		f, err := untrusted.Open(dir, name, untrusted.MostRecords)
		if err != nil {
			yield(Record{}, fmt.Errorf("read %s: %w", RecordsFile, err))
			return
		}
		defer f.Close()
		for r, err := range ReadRecords(f) {
			if err != nil {
				err = fmt.Errorf("%s, %w", RecordsFile, err)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}
