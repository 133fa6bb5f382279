package items

import (
	"cmp"
	"math"
	"slices"

	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// fewest is the least number of samples within an item's time, and covered the share of
// that time that they must cover.
const (
	fewest  = 3
	covered = 0.5
)

// setBusy records the busy resources during each item of a column, if a single user ran one
// after the other and telemetry is fine enough.
func (l *List) setBusy(e *trust.Evidence, at int, c column) {
	taken := make([][]Utilisation, len(c.names))
	for _, t := range c.trials {
		if !alone(t, c.names) {
			l.Columns[at].Shared = true
			return
		}
		series, err := e.Run.Series(t, "operation", "device/utilisation", "cpu/utilisation", "network/utilisation", "instance/cpu")
		if err != nil {
			continue // a run that keeps no series tells of no item
		}
		s := telemetry{series: series, trial: t}
		if c.rung != nil {
			s.resources = c.rung.Resources
		}
		for name, w := range windows(series, c.names, t) {
			if b, ok := s.within(w); ok {
				i := slices.Index(c.names, name)
				taken[i] = append(taken[i], b)
			}
		}
	}
	for i := range c.names {
		cell := &l.Rows[i].Cells[at]
		switch {
		case len(taken[i]) > 0 && len(taken[i]) == len(c.trials):
			cell.Busy = middle(taken[i])
		case cell.Time.Value > 0:
			l.Columns[at].Short++
		}
	}
}

// alone reports whether each item was done once: by one user, one after the other.
func alone(t *result.Trial, names []string) bool {
	for _, name := range names {
		if o := t.Operations[name]; o.Count+trial.Failures(o) > 1 {
			return false
		}
	}
	return true
}

// window is the time of an item, in milliseconds since the common start, as far as it is
// known: records give ends to the second.
type window struct{ from, to, length float64 }

// windows returns the windows of the items that succeeded. Each starts no earlier than the
// end of the one before, so that the end of each bounds the others.
func windows(series []result.Series, names []string, t *result.Trial) map[string]window {
	type item struct {
		name                  string
		earliest, latest, own float64 // end at the earliest and latest; length, 0 where it failed
	}
	var items []item
	for _, name := range names {
		if at, ok := endOf(series, name); ok {
			i := item{name: name, earliest: at - second, latest: at}
			if o := t.Operations[name]; o.Count > 0 {
				i.own = o.Mean * 1000
			}
			items = append(items, i)
		}
	}
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(a.latest, b.latest) })
	for i := 1; i < len(items); i++ {
		items[i].earliest = max(items[i].earliest, items[i-1].earliest+items[i].own)
	}
	for i := len(items) - 2; i >= 0; i-- {
		items[i].latest = min(items[i].latest, items[i+1].latest-items[i+1].own)
	}
	all := map[string]window{}
	for _, i := range items {
		if i.own > 0 {
			all[i.name] = window{i.latest - i.own, i.earliest, i.own}
		}
	}
	return all
}

// second is what records count by, in milliseconds.
const second = 1000

// endOf is the end of the second in which an item ended.
func endOf(series []result.Series, name string) (end float64, ok bool) {
	for _, s := range series {
		if s.Kind != describe.OperationKind || s.Name != name || s.Metric != "count" && s.Metric != "errors" {
			continue
		}
		for i, v := range s.Values {
			if v > 0 && i < len(s.Times) {
				return float64(s.Times[i]), true
			}
		}
	}
	return 0, false
}

// telemetry is the telemetry of a trial, with the resources of its rung.
type telemetry struct {
	series    []result.Series
	trial     *result.Trial
	resources []resource.Resource
}

// within measures the utilisation in a window; not ok if too few samples are in it.
func (s telemetry) within(w window) (Utilisation, bool) {
	b, storage := Utilisation{Samples: math.MaxInt}, math.NaN()
	for _, one := range s.series {
		of, ok := s.told(one)
		if !ok {
			continue
		}
		mean, samples := meanWithin(one, w)
		if samples < fewest {
			return Utilisation{}, false
		}
		b.Samples = min(b.Samples, samples)
		mean = min(1, max(0, mean/of.whole))
		switch of.of {
		case ByStorage:
			storage = stats.Finite(storage) + mean
		case ByCPU:
			others := min(mean, of.other)
			b.CPU, b.Others = larger(b.CPU, mean-others), max(b.Others, others)
		case ByNetwork:
			b.Network = larger(b.Network, mean)
		}
	}
	if !math.IsNaN(storage) {
		b.Storage = bound(storage)
	}
	return b, b.Samples < math.MaxInt
}

// share is the total that the values of a series are a share of, and the part of it that
// others used.
type share struct {
	of    Bound
	whole float64
	other float64
}

// told identifies the resource of a series; not ok if it is none of the rung's.
func (s telemetry) told(one result.Series) (share, bool) {
	for _, r := range s.resources {
		here := r.Machine == one.Machine || r.Machine == "" && one.Machine == result.LocalMachine
		switch {
		case !here:
		case one.Kind == describe.DeviceKind && r.Kind == resource.Device && r.Device == one.Name:
			return share{of: ByStorage, whole: 1}, true
		case one.Kind == describe.CPUKind && r.Kind == resource.CPU && !r.Only(result.StorageRole):
			return share{of: ByCPU, whole: 1, other: r.Other}, true
		case one.Kind == describe.NetworkKind && r.Kind == resource.Network && r.Interface == one.Name:
			return share{of: ByNetwork, whole: 1}, true
		}
	}
	limit := s.limitOf(one)
	return share{of: ByCPU, whole: limit}, one.Kind == describe.InstanceKind && limit > 0
}

// limitOf is the CPU limit in cores of the server that a series is of; 0 where it has none.
func (s telemetry) limitOf(one result.Series) float64 {
	for _, server := range s.trial.Servers {
		if server.Limited && stats.Plausible(server.CPU) && server.Runs(one.Name) {
			return server.CPU
		}
	}
	return 0
}

func larger(old *float64, v float64) *float64 {
	if old != nil && *old >= v {
		return old
	}
	return &v
}

// meanWithin is the mean of the samples wholly within a window, weighted by length, and
// their number: zero if they cover too little of the item's time.
func meanWithin(s result.Series, w window) (mean float64, samples int) {
	sum, length := 0.0, 0.0
	for i := 1; i < min(len(s.Times), len(s.Values)); i++ {
		from, to := float64(s.Times[i-1]), float64(s.Times[i])
		if from < w.from || to > w.to || !stats.IsFinite(s.Values[i]) {
			continue
		}
		sum, length, samples = sum+s.Values[i]*(to-from), length+to-from, samples+1
	}
	if length < covered*w.length {
		return 0, 0
	}
	return stats.Ratio(sum, length), samples
}

// middle is the median over the repetitions, with the conclusions from it.
func middle(taken []Utilisation) *Utilisation {
	out := Utilisation{Samples: taken[0].Samples}
	var storage, cpu, network, others []float64
	for _, b := range taken {
		out.Samples = min(out.Samples, b.Samples)
		if b.Storage != nil {
			storage = append(storage, b.Storage.Busy)
		}
		cpu, network, others = gather(cpu, b.CPU), gather(network, b.Network), append(others, b.Others)
	}
	if len(storage) > 0 {
		out.Storage = bound(stats.MedianOf(storage))
	}
	out.CPU, out.Network, out.Others = medianOf(cpu), medianOf(network), stats.MedianOf(others)
	out.Bound = boundOf(out)
	return &out
}

func gather(values []float64, v *float64) []float64 {
	if v == nil {
		return values
	}
	return append(values, *v)
}

func medianOf(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	m := stats.MedianOf(values)
	return &m
}

// Shares from which an item is bound by something: of its time, and times the next largest.
const (
	mostly = 0.5
	ahead  = 1.5
)

// boundOf is the resource that was busy for most of an item's time. If storage or CPU is
// unknown, it may be the one that mattered, so that there is no answer. Nor is there one if
// others used the CPU: how long the item waited for it is unknown.
func boundOf(b Utilisation) Bound {
	if b.Storage == nil || b.CPU == nil {
		return ""
	}
	shares := map[Bound]float64{ByStorage: b.Storage.Busy, ByCPU: *b.CPU}
	if b.Network != nil {
		shares[ByNetwork] = *b.Network
	}
	var top Bound
	for _, kind := range []Bound{ByStorage, ByCPU, ByNetwork} {
		if shares[kind] > shares[top] {
			top = kind
		}
	}
	most := shares[top]
	shares[ByCPU] += b.Others
	for kind, share := range shares {
		if kind != top && ahead*share > most {
			return ""
		}
	}
	if most < mostly {
		return ""
	}
	return top
}
