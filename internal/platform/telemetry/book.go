package telemetry

import (
	"cmp"
	"math"
	"slices"

	"plimsoll/internal/result"
)

// book keeps the values of all series while the sampler runs.
type book struct {
	start   int64 // Unix ms of the common start
	now     int64 // ms since then of the sample being taken
	series  []*result.Series
	byTopic map[topic]*result.Series
}

type topic struct{ kind, name, metric string }

func newBook(start int64) *book {
	return &book{start: start, byTopic: map[topic]*result.Series{}}
}

// column finds or begins a series. A thing that went away and came back under
// its name goes on with its series.
func (b *book) column(kind, name, metric string) *column {
	t := topic{kind, name, metric}
	s, ok := b.byTopic[t]
	if !ok {
		s = &result.Series{Kind: kind, Name: name, Metric: metric, Unit: units()[quantity{kind, metric}], Start: b.start}
		b.byTopic[t] = s
		b.series = append(b.series, s)
	}
	return &column{book: b, series: s}
}

// all gives the series that have at least one known value, sorted.
func (b *book) all() []result.Series {
	var out []result.Series
	for _, s := range b.series {
		if slices.ContainsFunc(s.Values, func(v float64) bool { return !math.IsNaN(v) }) {
			out = append(out, *s)
		}
	}
	slices.SortFunc(out, func(x, y result.Series) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Name, y.Name), cmp.Compare(x.Metric, y.Metric))
	})
	return out
}

// take gives the known values since it was last called, and forgets all.
func (b *book) take() []result.Series {
	var out []result.Series
	for _, s := range b.series {
		taken := *s
		taken.Times, taken.Values = nil, nil
		for i, v := range s.Values {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				taken.Times, taken.Values = append(taken.Times, s.Times[i]), append(taken.Values, v)
			}
		}
		s.Times, s.Values = s.Times[:0], s.Values[:0]
		if len(taken.Values) > 0 {
			out = append(out, taken)
		}
	}
	return out
}

// latest gives the known values of the present sample.
func (b *book) latest() []result.Series {
	var out []result.Series
	for _, s := range b.series {
		last := len(s.Values) - 1
		if last < 0 || s.Times[last] != b.now || math.IsNaN(s.Values[last]) || math.IsInf(s.Values[last], 0) {
			continue
		}
		one := *s
		one.Times, one.Values = []int64{b.now}, []float64{s.Values[last]}
		out = append(out, one)
	}
	return out
}

// column is one series being written.
type column struct {
	book   *book
	series *result.Series
}

// add writes the value of the present sample.
func (c *column) add(v float64) {
	c.series.Times = append(c.series.Times, c.book.now)
	c.series.Values = append(c.series.Values, v)
}

// counter makes rates of a value that only grows.
type counter struct {
	last float64
	seen bool
}

// since gives the increase since the previous sample, NaN for the first one and after a
// gap. A counter that went back (a restart) starts anew.
func (c *counter) since(v float64) float64 {
	before, seen := c.last, c.seen
	c.last, c.seen = v, !math.IsNaN(v)
	if !seen || !c.seen || v < before {
		return math.NaN()
	}
	return v - before
}
