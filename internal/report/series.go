package report

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/result"
)

const (
	// maxBuckets is how many points a time series keeps in the HTML: more
	// than a chart of a page's width can show apart.
	maxBuckets = 200
	// maxNames is how many things of one kind are drawn one by one; more are
	// drawn as their mean with a band from the smallest to the largest.
	maxNames = 8
	// keptDevices is how many of the busiest devices stay beside their band.
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

// floats is a column of numbers, written with four significant digits and
// null for what is not known.
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

// bucketsOf spans all series with at most maxBuckets buckets, each a multiple
// of the finest sampling interval.
func bucketsOf(series []result.Series) buckets {
	begin, end, interval := int64(math.MaxInt64), int64(math.MinInt64), int64(math.MaxInt64)
	for _, s := range series {
		if len(s.Times) == 0 || slices.Min(s.Times) < -longest || slices.Max(s.Times) > longest {
			continue
		}
		first, last := slices.Min(s.Times), slices.Max(s.Times)
		begin, end = min(begin, first), max(end, last)
		if n := int64(len(s.Times)); n > 1 {
			interval = min(interval, (last-first)/(n-1))
		}
	}
	if begin > end {
		return buckets{}
	}
	interval = roundInterval(interval)
	edge := floorTo(begin+interval/2, interval) - interval/2
	step := interval * max(1, ceilDivide(end-edge+1, interval*maxBuckets))
	return buckets{edge, step, int((end-edge)/step) + 1}
}

// floorTo rounds down to a multiple of unit, below zero too.
func floorTo(v, unit int64) int64 {
	rest := v % unit
	if rest < 0 {
		rest += unit
	}
	return v - rest
}

// holds says that a time lies in the grid.
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

// bucketed is one series' buckets while they fill.
type bucketed struct {
	sum, low, high []float64
	count          []int
}

func newBucketed(n int) *bucketed {
	b := &bucketed{make([]float64, n), make([]float64, n), make([]float64, n), make([]int, n)}
	for i := range n {
		b.low[i], b.high[i] = math.Inf(1), math.Inf(-1)
	}
	return b
}

// add puts a series' values into the buckets. A value stands for the time since the
// one before, so that one of a series with fewer samples fills several.
func (b *bucketed) add(g buckets, s result.Series) {
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

func (b *bucketed) put(at int64, v float64) {
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
func (b *bucketed) pack(s *packedSeries) {
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

// packTrial puts a trial's series on one grid, joining those of too many
// things into bands.
func packTrial(id string, series []result.Series) packedTrial {
	g := bucketsOf(series)
	packed := packedTrial{ID: id, Begin: g.edge + g.step/2, Step: g.step}
	for _, group := range groupSeries(slices.DeleteFunc(withoutPartial(distinct(series)), superfluous)) {
		packed.Series = append(packed.Series, packGroup(g, group)...)
	}
	return packed
}

// distinct gives a copy in which things of one name on several machines carry the
// names of their machines.
func distinct(series []result.Series) []result.Series {
	type thing struct{ kind, name, metric string }
	count := map[thing]int{}
	for _, s := range series {
		count[thing{s.Kind, s.Name, s.Metric}]++
	}
	out := slices.Clone(series)
	for i, s := range out {
		if s.Machine != "" && count[thing{s.Kind, s.Name, s.Metric}] > 1 {
			out[i].Name = strings.TrimSuffix(s.Machine+"/"+s.Name, "/")
		}
	}
	return out
}

// withoutPartial leaves out the last value of what drivers record by the second: the
// trial ends within that second, so that its figures are those of a part of it.
func withoutPartial(series []result.Series) []result.Series {
	for i, s := range series {
		if n := min(len(s.Times), len(s.Values)); n > 1 && bySecond(s) {
			series[i].Times, series[i].Values = s.Times[:n-1], s.Values[:n-1]
		}
	}
	return series
}

// bySecond says that a series comes from the records of drivers, not from samples.
func bySecond(s result.Series) bool {
	switch s.Kind {
	case "operation":
		return true
	case "instance":
		return s.Metric == "units"
	case "driver":
		return slices.Contains([]string{"busy", "late", "late_mean", "users", "backlog"}, s.Metric)
	}
	return false
}

// superfluous says that a series says nothing that others do not: CPU modes
// once more in cores, idle time, what Plimsoll itself used.
func superfluous(s result.Series) bool {
	return s.Kind == "self" || s.Kind == "cpu" && (s.Metric == "idle" || strings.HasSuffix(s.Metric, "_cores"))
}

// groupSeries joins the series of one kind and metric, in their first order.
func groupSeries(series []result.Series) [][]result.Series {
	at := map[[2]string]int{}
	var groups [][]result.Series
	for _, s := range series {
		key := [2]string{s.Kind, s.Metric}
		i, known := at[key]
		if !known {
			i = len(groups)
			at[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], s)
	}
	return groups
}

// packGroup packs the series of one kind and metric.
func packGroup(g buckets, group []result.Series) []packedSeries {
	if len(group) <= maxNames || group[0].Kind == "operation" {
		return packEach(g, group)
	}
	band := newBucketed(g.count)
	for _, s := range group {
		band.add(g, s)
	}
	joined := packedSeries{Kind: group[0].Kind, Metric: group[0].Metric, Unit: group[0].Unit, Of: len(group)}
	band.pack(&joined)
	packed := []packedSeries{joined}
	if group[0].Kind == "device" {
		packed = append(packed, packEach(g, busiest(group, keptDevices))...)
	}
	return packed
}

func packEach(g buckets, group []result.Series) []packedSeries {
	packed := make([]packedSeries, len(group))
	for i, s := range group {
		b := newBucketed(g.count)
		b.add(g, s)
		packed[i] = packedSeries{Kind: s.Kind, Name: s.Name, Metric: s.Metric, Unit: s.Unit}
		b.pack(&packed[i])
	}
	return packed
}

// busiest are the n series of the largest mean.
func busiest(group []result.Series, n int) []result.Series {
	sorted := slices.Clone(group)
	slices.SortStableFunc(sorted, func(x, y result.Series) int { return cmp.Compare(meanOf(y.Values), meanOf(x.Values)) })
	return sorted[:min(n, len(sorted))]
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
