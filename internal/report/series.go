package report

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

const (
	// maxBuckets is how many points a time series keeps in the HTML: more
	// than a chart of a page's width can show apart.
	maxBuckets = 200
	// maxNames is how many things of one kind are drawn one by one; more are
	// drawn as their mean with a band from the smallest to the largest.
	maxNames = 8
	// keptDevices is how many of the busiest devices are drawn in addition to their band.
	keptDevices = 3
)

// packedTrial is one trial's time series on a common grid of buckets.
type packedTrial struct {
	ID string `json:"id"`
	// Begin is the middle of the first bucket, Step a bucket's length, both in
	// ms; Begin counts from the trial's start.
	Begin  int64          `json:"begin"`
	Step   int64          `json:"step"`
	Series []packedSeries `json:"series"`
	// Problem says why there are no series.
	Problem string `json:"problem,omitempty"`
}

// packedSeries is one line: the mean of every bucket and, where a bucket holds
// more than one value, the smallest and the largest.
type packedSeries struct {
	Kind   string `json:"kind"`
	Name   string `json:"name,omitempty"`
	Metric string `json:"metric"`
	Unit   string `json:"unit"`
	// Of is how many things the line stands for; 0 or 1 is one.
	Of   int    `json:"of,omitempty"`
	Mean floats `json:"mean"`
	Min  floats `json:"min,omitempty"`
	Max  floats `json:"max,omitempty"`
}

// floats is a column of numbers, written with four significant digits, and null if unknown.
type floats []float64

// MarshalJSON writes the column.
func (f floats) MarshalJSON() ([]byte, error) {
	out := make([]byte, 0, 6*len(f)+2)
	out = append(out, '[')
	for i, v := range f {
		if i > 0 {
			out = append(out, ',')
		}
		if finite(v) {
			out = appendRounded(out, v)
		} else {
			out = append(out, "null"...)
		}
	}
	return append(out, ']'), nil
}

// appendRounded writes v with four significant digits, as short as JSON allows.
func appendRounded(out []byte, v float64) []byte {
	if v == math.Trunc(v) && math.Abs(v) < 1e4 {
		return strconv.AppendInt(out, int64(v), 10)
	}
	return strconv.AppendFloat(out, v, 'g', 4, 64)
}

// longest is the longest trial whose times are believed, in ms: a third of a
// year. Times beyond it are damage.
const longest = 10_000_000_000

// buckets are the grid of a trial: count buckets of step ms each, from the edge
// on, which lies half a sampling interval before the first sample, so that a
// sample that comes a little early or late stays in its bucket.
type buckets struct {
	edge, step int64
	count      int
}

// span is the time that series take, and the finest of their sampling intervals, in ms.
type span struct{ begin, end, interval int64 }

func newSpan() span { return span{math.MaxInt64, math.MinInt64, math.MaxInt64} }

func (p *span) add(s result.Series) {
	if len(s.Times) == 0 || slices.Min(s.Times) < -longest || slices.Max(s.Times) > longest {
		return
	}
	first, last := slices.Min(s.Times), slices.Max(s.Times)
	p.begin, p.end = min(p.begin, first), max(p.end, last)
	if n := int64(len(s.Times)); n > 1 {
		p.interval = min(p.interval, (last-first)/(n-1))
	}
}

// buckets are at most maxBuckets, each a multiple of the finest sampling interval.
func (p span) buckets() buckets {
	if p.begin > p.end {
		return buckets{}
	}
	interval := roundInterval(p.interval)
	edge := floorTo(p.begin+interval/2, interval) - interval/2
	step := interval * max(1, ceilDivide(p.end-edge+1, interval*maxBuckets))
	return buckets{edge, step, int((p.end-edge)/step) + 1}
}

// floorTo rounds down to a multiple of unit, below zero too.
func floorTo(v, unit int64) int64 {
	rest := v % unit
	if rest < 0 {
		rest += unit
	}
	return v - rest
}

// holds reports whether a time lies in the grid.
func (g buckets) holds(t int64) bool {
	return t >= g.edge && t-g.edge < g.step*int64(g.count)
}

// roundInterval takes a mean sampling interval to whole tenths of a second.
func roundInterval(ms int64) int64 {
	if ms == math.MaxInt64 {
		return 1000
	}
	return max(100, (ms+50)/100*100)
}

func ceilDivide(a, b int64) int64 { return (a + b - 1) / b }

// seriesBuckets is one series' buckets while they fill.
type seriesBuckets struct {
	sum, low, high []float64
	count          []int
}

func newBucketed(n int) *seriesBuckets {
	b := &seriesBuckets{make([]float64, n), make([]float64, n), make([]float64, n), make([]int, n)}
	for i := range n {
		b.low[i], b.high[i] = math.Inf(1), math.Inf(-1)
	}
	return b
}

// add puts a series' values into the buckets. A value stands for the time since the
// one before, so that one of a series with fewer samples fills several.
func (b *seriesBuckets) add(g buckets, s result.Series) {
	reach, before := g.reach(s), int64(-1)
	for i, t := range s.Times[:min(len(s.Times), len(s.Values))] {
		if !g.holds(t) {
			continue
		}
		at := (t - g.edge) / g.step
		from := at
		if before >= 0 && before < at {
			from = max(before+1, at-reach+1)
		}
		before = at
		for ; from <= at && finite(s.Values[i]); from++ {
			b.put(from, s.Values[i])
		}
	}
}

func (b *seriesBuckets) put(at int64, v float64) {
	b.sum[at] += v
	b.low[at], b.high[at] = min(b.low[at], v), max(b.high[at], v)
	b.count[at]++
}

// reach is how many buckets a value of the series may stand for: half as many again
// as lie between two on average, so that a longer gap stays one.
func (g buckets) reach(s result.Series) int64 {
	n := int64(len(s.Times))
	if n < 2 || g.step == 0 {
		return 1
	}
	return max(1, ceilDivide(3*(s.Times[n-1]-s.Times[0]), 2*(n-1)*g.step))
}

// pack gives the columns; the band is left out where it says nothing.
func (b *seriesBuckets) pack(s *packedSeries) {
	band := false
	for i, n := range b.count {
		if n == 0 {
			b.sum[i], b.low[i], b.high[i] = math.NaN(), math.NaN(), math.NaN()
			continue
		}
		b.sum[i] /= float64(n)
		band = band || b.low[i] != b.high[i]
	}
	s.Mean = b.sum
	if band {
		s.Min, s.Max = b.low, b.high
	}
}

// bySecond reports whether a series comes from the records of drivers, not from samples.
func bySecond(s result.Series) bool {
	switch s.Kind {
	case describe.OperationKind:
		return true
	case describe.InstanceKind:
		return s.Metric == "units"
	case describe.DriverKind:
		return slices.Contains([]string{"busy", "late", "late_mean", "users", "backlog"}, s.Metric)
	}
	return false
}

// superfluous reports whether a series says nothing that others do not: CPU modes
// once more in cores, idle time, what Plimsoll itself used.
func superfluous(s result.Series) bool {
	return s.Kind == describe.SelfKind || s.Kind == describe.CPUKind && (s.Metric == "idle" || strings.HasSuffix(s.Metric, "_cores"))
}

// meanOf is the mean of the finite values, 0 when there are none.
func meanOf(values []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range values {
		if finite(v) {
			sum += v
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// check at compile time that columns are written by their own method.
var _ json.Marshaler = floats(nil)
