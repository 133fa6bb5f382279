package result

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// WriteSeries writes telemetry.parquet: one row a series, one row group a kind,
// so that a reader of one kind need not decode the others. Values keep the precision of
// 32-bit floats (seven digits), which lets them compress to less than half.
func WriteSeries(w io.Writer, all []Series) error {
	out := parquet.NewGenericWriter[Series](w, parquet.Compression(&parquet.Zstd))
	for _, kind := range kindsOf(all) {
		for _, s := range all {
			if s.Kind != kind {
				continue
			}
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

// ReadSeries reads a parquet file that WriteSeries wrote, only the kinds
// asked for, or all of them. It never panics on damaged files.
func ReadSeries(r io.ReaderAt, size int64, kinds ...string) (all []Series, err error) {
	defer func() {
		// The parquet library panics on some damaged files.
		if p := recover(); p != nil {
			err = fmt.Errorf("read series: damaged file: %v", p)
		}
	}()
	f, err := parquet.OpenFile(r, size)
	if err != nil {
		return nil, fmt.Errorf("read series: %w", err)
	}
	for _, g := range f.RowGroups() {
		rows, err := readGroup(g, kinds)
		if err != nil {
			return all, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

func readGroup(g parquet.RowGroup, kinds []string) ([]Series, error) {
	r := parquet.NewGenericRowGroupReader[Series](g)
	defer r.Close()
	var kept []Series
	buffer := make([]Series, 16)
	for {
		n, err := r.Read(buffer)
		for _, s := range buffer[:n] {
			if len(kinds) > 0 && !slices.Contains(kinds, s.Kind) {
				continue
			}
			if len(s.Times) != len(s.Values) {
				return kept, fmt.Errorf("read series %s %s %s: %d times and %d values", s.Kind, s.Name, s.Metric, len(s.Times), len(s.Values))
			}
			kept = append(kept, s)
		}
		if errors.Is(err, io.EOF) {
			return kept, nil
		}
		if err != nil {
			return kept, fmt.Errorf("read series: %w", err)
		}
		clear(buffer)
	}
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
