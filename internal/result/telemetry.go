package result

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"os"
	"path"

	"github.com/parquet-go/parquet-go"

	"plimsoll/internal/host/untrusted"
)

// Telemetry is the telemetry.parquet of a trial, opened and held against its checksum. Whoever
// asks several things of a trial's series asks one of these, so that the file is read once.
type Telemetry struct {
	of      *Trial
	file    io.Closer
	groups  []parquet.RowGroup
	columns seriesColumns
}

// Telemetry opens the telemetry of a trial. A damaged file is better found by its checksum than
// by the parquet library, which trusts the sizes that it finds.
func (r *Run) Telemetry(t *Trial) (_ *Telemetry, err error) {
	if err := cmp.Or(r.ended(), t.safe()); err != nil {
		return nil, err
	}
	f, err := untrusted.Open(r.Dir, path.Join(t.place(), TelemetryFile), untrusted.MostSeries)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // it was only read
		}
	}()
	content, size, err := readable(f, t.TelemetryChecksum)
	if err != nil {
		return nil, telemetryError{TelemetryFile + " ", err}
	}
	groups, columns, err := openSeries(content, size)
	if err != nil {
		return nil, telemetryError{"read series: ", err}
	}
	return &Telemetry{of: t, file: f, groups: groups, columns: columns}, nil
}

// smallFile is up to how many bytes a file is read at one go: most are that small, and their
// columns are many.
const smallFile = 1 << 20

// readable is a file of series that has the checksum, if one is known.
func readable(f *os.File, checksum string) (content io.ReaderAt, size int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if info.Size() > smallFile {
		size, err = checked(f, checksum)
		return f, size, err
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, 0, err
	}
	size, err = checked(bytes.NewReader(data), checksum)
	return bytes.NewReader(data), size, err
}

// Close ends the reading.
func (f *Telemetry) Close() error { return f.file.Close() }

// Each iterates over the series of the trial's member: all of them, or the given kinds or
// kind/metric pairs. Of a damaged file it gives what can still be read, and last an error.
func (f *Telemetry) Each(only ...string) iter.Seq2[Series, error] {
	member := f.of.Variant.Member
	return func(yield func(Series, error) bool) {
		for s, err := range seriesIn(f.groups, f.columns, only) {
			own := true
			if err == nil && member != "" {
				s.Name, own = ownName(s.Kind, s.Name, s.Metric, member)
			}
			if own && !yield(s, err) {
				return
			}
		}
	}
}

// telemetryError is a fault of a trial's telemetry, and how a sentence about it begins.
type telemetryError struct {
	begins string
	error
}

func (e telemetryError) Error() string { return e.begins + e.error.Error() }
func (e telemetryError) Unwrap() error { return e.error }

// EachSeries iterates what Series reads, for who need not hold all of it. Of a damaged file
// it gives what can still be read, and last an error.
func (r *Run) EachSeries(t *Trial, only ...string) iter.Seq2[Series, error] {
	return func(yield func(Series, error) bool) {
		fail := func(err error) bool {
			return yield(Series{}, fmt.Errorf("read the telemetry of trial %s: %w", t.ID, err))
		}
		f, err := r.Telemetry(t)
		if err != nil {
			fail(err)
			return
		}
		defer f.Close()
		for s, err := range f.Each(only...) {
			if err != nil {
				fail(err)
				return
			}
			if !yield(s, nil) {
				return
			}
		}
	}
}
