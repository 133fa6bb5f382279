package result

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"plimsoll/internal/regular"
)

// writeSeriesFile writes telemetry.parquet and gives its checksum.
func writeSeriesFile(path string, all []Series) (string, error) {
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	err := replace(path, func(f *os.File) error { return WriteSeries(io.MultiWriter(f, sum), all) })
	return fmt.Sprintf("%08x", sum.Sum32()), err
}

// largestSeries bounds telemetry.parquet, in bytes; an hour of a hundred
// instances has a few megabytes.
const largestSeries = 1 << 30

// readSeriesFile reads telemetry.parquet. A damaged file is better found by its
// checksum than by the parquet library, which trusts the sizes that it finds.
func readSeriesFile(dir, name, checksum string, only []string) ([]Series, error) {
	data, err := regular.Read(dir, name, largestSeries)
	if err != nil {
		return nil, err
	}
	if sum := fmt.Sprintf("%08x", crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))); checksum != "" && sum != checksum {
		return nil, fmt.Errorf("%s is damaged: its checksum is %s, not %s", TelemetryFile, sum, checksum)
	}
	return ReadSeries(bytes.NewReader(data), int64(len(data)), only...)
}

// groupValues is how many values a row group of telemetry.parquet has at least before another
// one of its kind begins: writer and reader hold one at a time.
const groupValues = 1 << 20

// WriteSeries writes telemetry.parquet: one row a series, a row group a kind, or several
// of a large one, so that a reader of one kind need not read the others. Values keep the
// precision of 32-bit floats (seven digits), which lets them compress to less
// than half.
func WriteSeries(w io.Writer, all []Series) error {
	// A codec of its own: that of the library keeps encoders for all writers.
	out := parquet.NewGenericWriter[Series](w, parquet.Compression(&zstd.Codec{}))
	for _, kind := range kindsOf(all) {
		held := 0
		for _, s := range all {
			if s.Kind != kind {
				continue
			}
			if held > groupValues {
				held = 0
				if err := out.Flush(); err != nil {
					return fmt.Errorf("write series of kind %s: %w", kind, err)
				}
			}
			held += len(s.Values)
			s.Values = rounded(s.Values)
			if _, err := out.Write([]Series{s}); err != nil {
				return fmt.Errorf("write series %s %s %s: %w", s.Kind, s.Name, s.Metric, err)
			}
		}
		if err := out.Flush(); err != nil {
			return fmt.Errorf("write series of kind %s: %w", kind, err)
		}
	}
	return out.Close()
}

func kindsOf(all []Series) []string {
	var kinds []string
	for _, s := range all {
		if !slices.Contains(kinds, s.Kind) {
			kinds = append(kinds, s.Kind)
		}
	}
	return kinds
}

func rounded(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(float32(v))
	}
	return out
}

// ReadSeries reads a parquet file that WriteSeries wrote, all of it or only what is
// asked for: a kind, or kind/metric. Of a damaged file it gives what can still be read
// and an error.
func ReadSeries(r io.ReaderAt, size int64, only ...string) (all []Series, err error) {
	defer func() {
		// The parquet library panics on some damaged files.
		if p := recover(); p != nil {
			err = fmt.Errorf("read series: damaged file: %v", p)
		}
	}()
	if err := checkFooter(r, size); err != nil {
		return nil, fmt.Errorf("read series: %w", err)
	}
	f, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("read series: %w", err)
	}
	columns, err := columnsOf(f.Schema())
	if err != nil {
		return nil, fmt.Errorf("read series: %w", err)
	}
	want := wanted(only)
	for _, g := range f.RowGroups() {
		if !columns.mayHold(g, want) {
			continue
		}
		rows, err := columns.read(g, want)
		all = append(all, rows...)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// checkFooter refuses a file whose footer cannot be as long as it says: the
// file ends with the footer, its length in four bytes, and four letters
// (Apache Parquet format).
func checkFooter(r io.ReaderAt, size int64) error {
	const tail = 8
	var end [tail]byte
	if size < tail+4 {
		return errors.New("damaged file: too short")
	}
	if _, err := r.ReadAt(end[:], size-tail); err != nil {
		return err
	}
	if length := int64(binary.LittleEndian.Uint32(end[:])); string(end[4:]) != "PAR1" || length > size-tail-4 {
		return errors.New("damaged file: it has no footer; was it cut short?")
	}
	return nil
}

// known reports the values that are not NaN.
func known(values []float64) []float64 {
	out := make([]float64, 0, len(values))
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out = append(out, v)
		}
	}
	return out
}
