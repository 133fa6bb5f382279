package items

import (
	"math"
	"slices"
	"strings"

	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Source is a variant whose work is a list.
type Source struct {
	Variant string
	Work    describe.Profile
	Rungs   []rung.Rung
	Groups  []trial.Group // of the rungs
	Price   float64       // the variant's price for a second; 0 if there is none
}

// Compare tables each rung. Variants whose lists differ have tables of their own.
func Compare(e *trust.Evidence, sources []Source) (lists []List) {
	type place struct {
		rung int
		list string
	}
	together := map[place][]column{}
	var places []place
	for _, s := range sources {
		for _, g := range s.Groups {
			if len(g.Passed) == 0 || !s.Work.Listed || len(s.Work.Operations) < 2 {
				continue
			}
			p := place{g.Instances, strings.Join(s.Work.Operations, "\x00")}
			if together[p] == nil {
				places = append(places, p)
			}
			together[p] = append(together[p], column{Source: s, trials: e.WholeOf(g.Passed), names: s.Work.Operations[1:], rung: rung.Find(s.Rungs, g.Instances)})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return a.rung - b.rung })
	for _, p := range places {
		lists = append(lists, tableOf(e, p.rung, together[p]))
	}
	return lists
}

// column is a variant at one rung.
type column struct {
	Source
	trials []*result.Trial
	names  []string
	rung   *rung.Rung // nil where it was not measured
}

func tableOf(e *trust.Evidence, n int, columns []column) List {
	l := List{Rung: n}
	for _, name := range columns[0].names {
		l.Rows = append(l.Rows, Row{Name: name, Cells: make([]Cell, len(columns))})
	}
	for at, c := range columns {
		l.setTimes(at, c)
	}
	setRatios(l.Rows)
	var common []string
	for _, r := range l.Rows {
		if !slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Failed > 0 || c.Time.Value <= 0 }) {
			common = append(common, r.Name)
		}
	}
	l.Common = len(common)
	for at, c := range columns {
		l.Columns = append(l.Columns, c.sum(l.Rows, at, common))
		l.setBusy(e, at, c)
	}
	l.setChanges(columns, common)
	return l
}

// setTimes sets the times of a column's cells. The noise is estimated from all items of the
// variant, as rungs do.
func (l *List) setTimes(at int, c column) {
	logs := make([][]float64, len(c.names))
	for i, name := range c.names {
		cell := &l.Rows[i].Cells[at]
		for _, t := range c.trials {
			o := t.Operations[name]
			cell.Failed += trial.Failures(o)
			for class, n := range o.Errors {
				if cell.Errors == nil {
					cell.Errors = map[string]int64{}
				}
				cell.Errors[class] += n
			}
		}
		logs[i] = stats.Logarithms(c.times(name))
	}
	for i, estimate := range stats.Means(logs) {
		l.Rows[i].Cells[at].Read = c.read(func(t *result.Trial) (result.OperationSummary, float64) {
			o := t.Operations[c.names[i]]
			return o, float64(o.Count)
		})
		if len(logs[i]) > 0 {
			l.Rows[i].Cells[at].Time = stats.Relative(stats.MedianOf(c.times(c.names[i])), estimate, logs[i])
		}
	}
}

// times returns an item's times in the trials in which it succeeded.
func (c column) times(name string) (times []float64) {
	for _, t := range c.trials {
		if o := t.Operations[name]; o.Count > 0 && stats.Plausible(o.Mean) && o.Mean > 0 {
			times = append(times, o.Mean)
		}
	}
	return times
}

// setRatios holds the cells of each row against its fastest one that never failed.
func setRatios(rows []Row) {
	for _, r := range rows {
		fastest := math.Inf(1)
		for _, c := range r.Cells {
			if c.Time.Value > 0 && c.Failed == 0 {
				fastest = min(fastest, c.Time.Value)
			}
		}
		for i := range r.Cells {
			r.Cells[i].Ratio = stats.Finite(r.Cells[i].Time.Value / fastest)
		}
	}
}

// sum is a variant's total for all items.
func (c column) sum(rows []Row, at int, common []string) Column {
	out := Column{Variant: c.Variant, Repetitions: len(c.trials)}
	for _, r := range rows {
		if cell := r.Cells[at]; cell.Failed > 0 || cell.Time.Value <= 0 {
			out.Failed++
		}
	}
	if out.Failed == 0 {
		out.Total = over(trial.Collect(c.trials, trial.Seconds))
	}
	out.Geometric = over(trial.Collect(c.trials, func(t *result.Trial) float64 { return geometric(t, common) }))
	if c.rung != nil {
		out.Storage = storageOf(c.rung.Resources)
	}
	out.Cost = c.cost()
	out.Read = c.read(func(t *result.Trial) (result.OperationSummary, float64) { return t.Whole(), 1 })
	return out
}

// read is the median over the repetitions of the bytes that the engine counted, each
// divided by a number. It is 0 if a repetition lacks the bytes of any operation.
func (c column) read(of func(*result.Trial) (counted result.OperationSummary, over float64)) float64 {
	all := trial.Collect(c.trials, func(t *result.Trial) float64 {
		o, over := of(t)
		return stats.Ratio(inputBytes(o), over)
	})
	if slices.Contains(all, 0) {
		return 0
	}
	return stats.MedianOf(all)
}

// inputBytes sums the bytes that the engine counted for operations. It is 0 if an operation
// has no count, or failed: nothing is known about failed ones.
func inputBytes(o result.OperationSummary) float64 {
	if o.Effort == nil || o.Effort.Count < o.Count || trial.Failures(o) > 0 {
		return 0
	}
	return float64(o.Effort.InputBytes)
}

// over is the median over the repetitions, with its interval or range; the zero interval if
// nothing was measured.
func over(values []float64) stats.Interval {
	logs := stats.Logarithms(values)
	if len(logs) == 0 {
		return stats.Interval{}
	}
	return stats.Relative(stats.MedianOf(values), stats.Means([][]float64{logs})[0], logs)
}

// geometric is the geometric mean of some items of a trial; 0 without any.
func geometric(t *result.Trial, names []string) float64 {
	sum := 0.0
	for _, name := range names {
		sum += math.Log(t.Operations[name].Mean)
	}
	if len(names) == 0 {
		return 0
	}
	return stats.Finite(math.Exp(sum / float64(len(names))))
}

// cost spreads the price over the work done in the time; nil if there is none.
func (c column) cost() *Cost {
	each := stats.MedianOf(trial.Collect(c.trials, func(t *result.Trial) float64 {
		return stats.Ratio(c.Price, trial.UnitsPerSecond(t))
	}))
	if each <= 0 {
		return nil
	}
	rate := c.read(func(t *result.Trial) (result.OperationSummary, float64) { return t.Whole(), trial.Seconds(t) })
	return &Cost{Each: each, Terabyte: stats.Ratio(c.Price, rate/1e12)}
}

// storageOf bounds the gain from a faster store by the devices among some resources; nil if
// there are none.
func storageOf(resources []resource.Resource) *Storage {
	busy, known := 0.0, false
	for _, r := range resources {
		if r.Kind == resource.Device {
			busy, known = busy+r.Busy, true
		}
	}
	if !known {
		return nil
	}
	return bound(busy)
}

// least is the share of the time without any request from which on a bound is given: below
// it, it says nothing.
const least = 0.02

// bound is Amdahl's for a share of the time (Amdahl, "Validity of the Single Processor
// Approach to Achieving Large Scale Computing Capabilities", AFIPS 1967).
func bound(busy float64) *Storage {
	s := &Storage{Busy: min(1, max(0, busy))}
	if rest := 1 - s.Busy; rest >= least {
		s.Faster = 1 / rest
	}
	return s
}

// Bounds for showing a change, the same as for effects: see docs/analysis.md.
const (
	smallest = 0.05
	alike    = 0.1
)

// floorOfTimes is the variance that the resolution of the histograms, a thousandth, leaves in
// the logarithm of a time.
const floorOfTimes = 1e-6 / 12

// setChanges holds each other variant against the first, by item and over all of them. All
// conclusions of a kind share the level (Bonferroni).
func (l *List) setChanges(columns []column, common []string) {
	if len(common) == 0 {
		return
	}
	level := func(family int) float64 { return 1 - (1-stats.Confidence)/float64(family) }
	others, from := len(columns)-1, columns[0]
	which := make([]int, len(common))
	for i := range common {
		which[i] = i
	}
	for at, to := range columns[1:] {
		strata := make([]stats.Stratum, len(common))
		for i, name := range common {
			strata[i] = stats.Stratum{A: stats.Logarithms(from.times(name)), B: stats.Logarithms(to.times(name)), Floor: floorOfTimes}
		}
		c := stats.Compare(strata)
		l.Columns[at+1].Against = stats.RelativeChange(c.Mean(which), level(others))
		for i, name := range common {
			time := stats.RelativeChange(c.Each[i], level(others*len(common)))
			l.Changes = append(l.Changes, ItemChange{Item: name, From: from.Variant, To: to.Variant, Time: time, Shown: shown(time)})
		}
	}
}

func shown(change stats.Interval) ChangeVerdict {
	switch {
	case change.Confidence == 0:
		return ""
	case change.Low > 0 && change.Value >= smallest:
		return Slower
	case change.High < 0 && change.Value <= -smallest:
		return Faster
	case change.Low > -alike && change.High < alike:
		return Same
	}
	return ""
}
