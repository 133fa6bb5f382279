package result

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/format"

	"plimsoll/internal/result/pages"
)

// groupValues is how many values a row group of telemetry.parquet has at least before another
// one of its kind begins: writer and reader hold one at a time.
const groupValues = 1 << 18

// seriesWriter writes telemetry.parquet: one row a series, a row group a kind, or several
// of a large one, so that a reader of one kind need not read the others. Values keep the
// precision of 32-bit floats (seven digits), which lets them compress to less
// than half.
type seriesWriter struct {
	out     *parquet.GenericWriter[Series]
	held    int       // values of the row group
	rounded []float64 // used again
}

// newSeriesWriter begins a file.
func newSeriesWriter(w io.Writer) *seriesWriter {
	// A codec of its own, because the library's keeps encoders for all writers.
	return &seriesWriter{out: parquet.NewGenericWriter[Series](w, parquet.Compression(&zstd.Codec{}))}
}

// write adds complete series, sorted by kind.
func (w *seriesWriter) write(some []Series) error {
	for _, kind := range kindsOf(some) {
		for _, s := range some {
			if s.Kind != kind {
				continue
			}
			if err := w.add(s); err != nil {
				return fmt.Errorf("write series %s %s %s: %w", s.Kind, s.Name, s.Metric, err)
			}
		}
		if err := w.flush(); err != nil {
			return fmt.Errorf("write series of kind %s: %w", kind, err)
		}
	}
	return nil
}

func (w *seriesWriter) add(s Series) error {
	if w.held > groupValues {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.held += len(s.Values)
	w.rounded = w.rounded[:0]
	for _, v := range s.Values {
		w.rounded = append(w.rounded, float64(float32(v)))
	}
	s.Values = w.rounded
	_, err := w.out.Write([]Series{s})
	return err
}

// flush ends the row group.
func (w *seriesWriter) flush() error {
	w.held = 0
	return w.out.Flush()
}

// close ends the file.
func (w *seriesWriter) close() error { return w.out.Close() }

func kindsOf(all []Series) []string {
	var kinds []string
	for _, s := range all {
		if !slices.Contains(kinds, s.Kind) {
			kinds = append(kinds, s.Kind)
		}
	}
	return kinds
}

// seriesIn iterates over the series of row groups: all of them, or only the given kinds or
// kind/metric pairs. It holds one row group in memory. From a damaged file it yields the readable
// part, then an error.
func seriesIn(groups []parquet.RowGroup, columns seriesColumns, only []string) iter.Seq2[Series, error] {
	return func(yield func(Series, error) bool) {
		for _, g := range groups {
			rows, err := columns.read(g, seriesFilter(only))
			for _, s := range rows {
				if !yield(s, nil) {
					return
				}
			}
			if err != nil {
				yield(Series{}, fmt.Errorf("read series: %w", err))
				return
			}
		}
	}
}

func openSeries(r io.ReaderAt, size int64) (groups []parquet.RowGroup, columns seriesColumns, err error) {
	defer sound(&err)
	if err := checkFooter(r, size); err != nil {
		return nil, columns, err
	}
	f, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(readAtOnce))
	if err != nil {
		return nil, columns, err
	}
	if err = checkCodecs(f.Metadata()); err != nil {
		return nil, columns, err
	}
	if columns, err = columnsOf(f.Schema()); err != nil {
		return nil, columns, err
	}
	groups, err = checkedGroups(f, r, size)
	return groups, columns, err
}

// checkCodecs refuses compression that the parquet library does not read: of LZ4 it makes other
// values without an error.
func checkCodecs(m *format.FileMetaData) error {
	for _, g := range m.RowGroups {
		for _, c := range g.Columns {
			switch codec := c.MetaData.Codec; codec {
			case format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd:
			default:
				return fmt.Errorf("it is compressed by %s, which is not read; write it again with zstd, snappy or gzip", codec)
			}
		}
	}
	return nil
}

// readAtOnce is how much of a column is read at once, in bytes.
const readAtOnce = 64 << 10

// sound makes an error of a panic of the parquet library, as some damaged files cause.
func sound(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged file: %v", p)
	}
}

// gathered gives what an iteration gives, up to its error.
func gathered(series iter.Seq2[Series, error]) (out []Series, err error) {
	for s, err := range series {
		if err != nil {
			return out, err
		}
		out = append(out, s)
	}
	return out, nil
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
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if string(end[4:]) != "PAR1" || length > size-tail-4 {
		return errors.New("damaged file: it has no footer; was it cut short?")
	}
	return pages.Footer(r, size, length)
}
