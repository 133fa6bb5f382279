package result

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// seriesFilter are kinds, or kinds with a metric each (kind/metric), of series; none wants all.
type seriesFilter []string

func (w seriesFilter) has(s Series) bool {
	return len(w) == 0 || slices.Contains(w, s.Kind) || slices.Contains(w, s.Kind+"/"+s.Metric)
}

// hasKindIn reports whether it wants any kind from the one to the other.
func (w seriesFilter) hasKindIn(low, high string) bool {
	return len(w) == 0 || slices.ContainsFunc(w, func(one string) bool {
		kind, _, _ := strings.Cut(one, "/")
		return kind >= low && kind <= high
	})
}

// seriesColumns are the columns of telemetry.parquet. They are read one by one, because
// of most rows only the names are wanted: to rebuild every row costs several times as much.
type seriesColumns struct {
	kind, name, metric, machine, unit, start, times, values parquet.LeafColumn
	machines                                                bool // files of older versions have none
}

func columnsOf(schema *parquet.Schema) (c seriesColumns, err error) {
	find := func(column *parquet.LeafColumn, of parquet.Kind, path ...string) {
		found, ok := schema.Lookup(path...)
		*column = found
		switch {
		case err != nil:
		case !ok:
			err = fmt.Errorf("damaged file: it has no column %s", strings.Join(path, "."))
		case found.Node.Type().Kind() != of:
			err = fmt.Errorf("its column %s is of type %s, not %s; write it with the types that it had", strings.Join(path, "."), found.Node.Type(), of)
		}
	}
	find(&c.kind, parquet.ByteArray, "kind")
	find(&c.name, parquet.ByteArray, "name")
	find(&c.metric, parquet.ByteArray, "metric")
	find(&c.unit, parquet.ByteArray, "unit")
	find(&c.start, parquet.Int64, "start")
	find(&c.times, parquet.Int64, "times", "list", "element")
	find(&c.values, parquet.Double, "values", "list", "element")
	if _, c.machines = schema.Lookup("machine"); c.machines {
		find(&c.machine, parquet.ByteArray, "machine")
	}
	return c, err
}

// mayHold reports whether a row group may contain the wanted series, by the smallest and
// largest kind that the file records for it.
func (c seriesColumns) mayHold(g parquet.RowGroup, want seriesFilter) bool {
	low, high, known := boundsOf(g, c.kind)
	return !known || want.hasKindIn(string(low.ByteArray()), string(high.ByteArray()))
}

// read gives the series of a row group that are wanted.
func (c seriesColumns) read(g parquet.RowGroup, want seriesFilter) (kept []Series, err error) {
	defer sound(&err)
	if !c.mayHold(g, want) {
		return nil, nil
	}
	rows, err := c.names(g)
	if err != nil {
		return nil, err
	}
	in := make([]bool, len(rows))
	for i := range rows {
		in[i] = want.has(rows[i])
	}
	if !slices.Contains(in, true) {
		return nil, nil
	}
	times, err := lists(g, c.times, in, elements(func(p parquet.Page) []int64 { data := p.Data(); return data.Int64() }, parquet.Value.Int64))
	if err != nil {
		return nil, fmt.Errorf("times: %w", err)
	}
	values, err := lists(g, c.values, in, elements(func(p parquet.Page) []float64 { data := p.Data(); return data.Double() }, parquet.Value.Double))
	if err != nil {
		return nil, fmt.Errorf("values: %w", err)
	}
	for i, row := range rows {
		if !in[i] {
			continue
		}
		if len(times[i]) != len(values[i]) {
			return kept, fmt.Errorf("%s %s %s: %d times and %d values", row.Kind, row.Name, row.Metric, len(times[i]), len(values[i]))
		}
		row.Times, row.Values = times[i], values[i]
		kept = append(kept, row)
	}
	return kept, nil
}

// names reads all of a row group but its lists. Names differ from row to row, so they say how many
// rows there are.
func (c seriesColumns) names(g parquet.RowGroup) ([]Series, error) {
	const usual = 1 << 10 // seldom more, whatever the file says
	rows := make([]Series, 0, min(g.NumRows(), usual))
	kept := textPool{}
	buffer := make([]parquet.Value, 64)
	err := eachValue(g, c.name, buffer, func(_ int, v parquet.Value) {
		rows = append(rows, Series{Name: kept.text(v)})
	})
	columns := []struct {
		of  parquet.LeafColumn
		set func(s *Series, v parquet.Value)
	}{
		{c.kind, func(s *Series, v parquet.Value) { s.Kind = kept.text(v) }},
		{c.metric, func(s *Series, v parquet.Value) { s.Metric = kept.text(v) }},
		{c.unit, func(s *Series, v parquet.Value) { s.Unit = kept.text(v) }},
		{c.start, func(s *Series, v parquet.Value) { s.Start = v.Int64() }},
		{c.machine, func(s *Series, v parquet.Value) { s.Machine = kept.text(v) }},
	}
	if !c.machines {
		columns = columns[:len(columns)-1]
	}
	for _, column := range columns {
		if v, same := ofAllRows(g, column.of); same {
			for i := range rows {
				column.set(&rows[i], v)
			}
			continue
		}
		n := 0
		err = errors.Join(err, eachValue(g, column.of, buffer, func(i int, v parquet.Value) {
			if n = i + 1; i < len(rows) {
				column.set(&rows[i], v)
			}
		}))
		if err == nil && n != len(rows) {
			err = errors.New("a row group ends before its last row")
		}
	}
	return rows, err
}

// shortest is the length from which on a writer may have cut the smallest and the largest text of
// a column, in bytes.
const shortest = 16

// ofAllRows is the value that all rows of a group have in a column, by the smallest and the largest
// one that the file records; its pages need not be read then. Rows of a kind have most in common.
func ofAllRows(g parquet.RowGroup, column parquet.LeafColumn) (v parquet.Value, same bool) {
	low, high, known := boundsOf(g, column)
	if !known || column.MaxDefinitionLevel > 0 || !parquet.Equal(low, high) {
		return v, false
	}
	return low, low.Kind() != parquet.ByteArray || len(low.ByteArray()) < shortest
}

// boundsOf are the smallest and the largest value of a column, where the file records them.
func boundsOf(g parquet.RowGroup, column parquet.LeafColumn) (low, high parquet.Value, known bool) {
	if int(column.ColumnIndex) >= len(g.ColumnChunks()) {
		return low, high, false
	}
	chunk, ok := g.ColumnChunks()[column.ColumnIndex].(*parquet.FileColumnChunk)
	if !ok {
		return low, high, false
	}
	return chunk.Bounds()
}

// eachPage gives the pages of a column one after the other.
func eachPage(g parquet.RowGroup, column parquet.LeafColumn, take func(parquet.Page) error) error {
	if g, ok := g.(checkedGroup); ok {
		if err := g.check(column); err != nil {
			return err
		}
	}
	pages := g.ColumnChunks()[column.ColumnIndex].Pages()
	defer pages.Close()
	for {
		p, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		err = take(p)
		parquet.Release(p)
		if err != nil {
			return err
		}
	}
}

// eachValue gives the values of a column that has one in each row, through a buffer.
func eachValue(g parquet.RowGroup, column parquet.LeafColumn, buffer []parquet.Value, take func(row int, v parquet.Value)) error {
	row := 0
	return eachPage(g, column, func(p parquet.Page) error {
		return valuesOf(p, buffer, func(v parquet.Value) {
			take(row, v)
			row++
		})
	})
}

// valuesOf gives the values of a page, those included that are null, through a buffer.
func valuesOf(p parquet.Page, buffer []parquet.Value, take func(parquet.Value)) error {
	values := p.Values()
	for {
		n, err := values.ReadValues(buffer)
		for _, v := range buffer[:n] {
			take(v)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n == 0 {
			return errors.New("a page ends before its last value")
		}
	}
}

// elements gives the elements of the lists of a page: its data as they are, or, where another
// program wrote it with a dictionary, what each of them stands for.
func elements[T any](plain func(parquet.Page) []T, of func(parquet.Value) T) func(parquet.Page) ([]T, error) {
	buffer := make([]parquet.Value, 256)
	return func(p parquet.Page) ([]T, error) {
		if p.Dictionary() == nil {
			return plain(p), nil
		}
		var out []T
		err := valuesOf(p, buffer, func(v parquet.Value) {
			if !v.IsNull() {
				out = append(out, of(v))
			}
		})
		return out, err
	}
}

// lists returns the lists of a column for the wanted rows. Equal neighbours, such as the
// times of series sampled together, share one list. A repetition level of 0 starts a row,
// and below the highest definition level there is no element (Dremel's encoding, as in
// Apache Parquet's documentation on nested data).
func lists[T comparable](g parquet.RowGroup, column parquet.LeafColumn, in []bool, data func(parquet.Page) ([]T, error)) ([][]T, error) {
	out := make([][]T, len(in))
	var before, spare []T
	row := -1
	end := func() { // of a row
		if row < 0 || row >= len(in) || out[row] == nil {
			return
		}
		if slices.Equal(out[row], before) {
			out[row], spare = before, out[row][:0]
		}
		before = slices.Clip(out[row]) // nobody appends to what others share
		out[row] = before
	}
	err := eachPage(g, column, func(p parquet.Page) error {
		elements, err := data(p)
		if err != nil {
			return err
		}
		defined, at := p.DefinitionLevels(), 0
		for i, repeated := range p.RepetitionLevels() {
			if repeated == 0 {
				end()
				row++
			}
			if int(defined[i]) < column.MaxDefinitionLevel {
				continue
			}
			if row < 0 || row >= len(in) || at >= len(elements) {
				return errors.New("damaged file: its lists are longer than they say")
			}
			if in[row] {
				if out[row] == nil {
					out[row] = room(spare, length(p.RepetitionLevels()[i:]))
					spare = nil
				}
				out[row] = append(out[row], elements[at])
			}
			at++
		}
		return nil
	})
	end()
	return out, err
}

// room is an empty list for so many elements, in the place of a spare one if that suffices.
func room[T any](spare []T, n int) []T {
	if cap(spare) >= n {
		return spare
	}
	return make([]T, 0, n)
}

// length is the length of the list at the start of the repetition levels.
func length(repeated []byte) int {
	n := 1
	for n < len(repeated) && repeated[n] != 0 {
		n++
	}
	return n
}
