package timeprofile

import (
	"cmp"
	"slices"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Of is the profile of a rung's repetitions; nil where nothing is known of what they waited for.
func Of(e *trust.Evidence, passed []*result.Trial) *Breakdown {
	p := &Breakdown{
		Response: stats.MedianOf(trial.Collect(passed, trial.Mean)),
		shares:   map[group][]float64{}, waits: map[wait][]float64{}, machines: map[group]string{},
	}
	var all []counts
	for _, t := range passed {
		if c, ok := countsOf(e, t); ok && (c.counted || !p.Counted) {
			if c.counted && !p.Counted {
				p.Counted, all, p.responses = true, nil, nil // those that were counted say more
			}
			all, p.responses = append(all, c), append(p.responses, trial.Mean(t))
		}
	}
	queues := map[string]float64{}
	for i, c := range all {
		for g, n := range c.in {
			p.shares[g] = at(p.shares[g], i, len(all), n/c.working)
		}
		for w, n := range c.waits {
			p.waits[w] = at(p.waits[w], i, len(all), n/c.working)
		}
		for g, machine := range c.machines {
			p.machines[g] = machine
		}
		for name, n := range c.queues {
			queues[name] += n
		}
		p.Missing = append(p.Missing, c.missing...)
	}
	if len(p.shares) == 0 {
		return nil
	}
	slices.Sort(p.Missing)
	p.Missing = slices.Compact(p.Missing)
	p.setParts(mostQueued(queues))
	return p
}

// at sets a value of several, which are 0 until they are set.
func at(values []float64, i, of int, v float64) []float64 {
	if values == nil {
		values = make([]float64, of)
	}
	values[i] = v
	return values
}

// mostOfQueue is the share of all requests in flight from which one device stands for all.
const mostOfQueue = 2.0 / 3

// mostQueued is the device that most requests were at; empty where no single one had most of them.
func mostQueued(queues map[string]float64) string {
	sum, name := 0.0, ""
	for _, n := range stats.SortedKeys(queues) {
		sum += queues[n]
		if name == "" || queues[n] > queues[name] {
			name = n
		}
	}
	if queues[name] < mostOfQueue*sum {
		return ""
	}
	return name
}

// setParts fills the parts from the shares, without intervals.
func (p *Breakdown) setParts(device string) {
	sum := 0.0
	for _, g := range p.groups() {
		part := Portion{Role: g.role, Component: g.component, Seconds: stats.Exactly(p.seconds(p.shares[g])), Waits: p.waitsOf(g)}
		if g.component == describe.DeviceWait {
			part.Resource = device
		}
		sum += stats.Mean(p.shares[g])
		p.Parts = append(p.Parts, part)
	}
	p.Accounted = stats.Exactly(sum)
}

// seconds of the response time are some shares of it.
func (p *Breakdown) seconds(shares []float64) float64 { return stats.Mean(shares) * p.Response }

// groups are those of the parts, in their order.
func (p *Breakdown) groups() []group { return ordered(p.shares) }

// ordered lists groups by component and role: a sum depends on its order in the last digit.
func ordered[V any](of map[group]V) []group {
	all := make([]group, 0, len(of))
	for g := range of {
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b group) int {
		return cmp.Or(cmp.Compare(slices.Index(components, a.component), slices.Index(components, b.component)), cmp.Compare(a.role, b.role))
	})
	return all
}

// waitsOf are the named waits of a group, the longest first.
func (p *Breakdown) waitsOf(g group) (all []Wait) {
	for w, shares := range p.waits {
		if w.group == g {
			all = append(all, Wait{Name: w.name, Seconds: stats.Exactly(p.seconds(shares))})
		}
	}
	slices.SortFunc(all, func(a, b Wait) int {
		return cmp.Or(cmp.Compare(b.Seconds.Value, a.Seconds.Value), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// WithIntervals gives the seconds of a ladder's profiles their intervals, with the noise learnt
// from all rungs. Profiles may be nil.
func WithIntervals(ladder []*Breakdown) []*Breakdown {
	ladder = copies(ladder)
	for _, p := range ladder {
		if p == nil {
			continue
		}
		for i := range p.Parts {
			part := &p.Parts[i]
			g := group{part.Role, part.Component}
			setInterval(ladder, p, &part.Seconds, func(of *Breakdown) []float64 { return of.times(of.shares[g]) })
			for j := range part.Waits {
				w := &part.Waits[j]
				setInterval(ladder, p, &w.Seconds, func(of *Breakdown) []float64 { return of.times(of.waits[wait{g, w.Name}]) })
			}
		}
		setInterval(ladder, p, &p.Accounted, (*Breakdown).accounted)
	}
	return ladder
}

// copies are profiles with figures of their own.
func copies(ladder []*Breakdown) []*Breakdown {
	out := make([]*Breakdown, len(ladder))
	for i, p := range ladder {
		if p == nil {
			continue
		}
		own := *p
		own.Parts = slices.Clone(p.Parts)
		for j := range own.Parts {
			own.Parts[j].Waits = slices.Clone(own.Parts[j].Waits)
		}
		out[i] = &own
	}
	return out
}

// setInterval gives a figure of one profile its interval, from that of each repetition of all.
func setInterval(ladder []*Breakdown, p *Breakdown, figure *stats.Interval, of func(*Breakdown) []float64) {
	logs, own := make([][]float64, len(ladder)), 0
	for i, other := range ladder {
		if other != nil {
			logs[i] = stats.Logarithms(of(other))
		}
		if other == p {
			own = i
		}
	}
	if len(logs[own]) == len(p.responses) {
		*figure = stats.Relative(figure.Value, stats.Means(logs)[own], logs[own])
	}
}

// times are shares of the response time of each repetition, in s.
func (p *Breakdown) times(shares []float64) []float64 {
	out := make([]float64, len(shares))
	for i, share := range shares {
		out[i] = share * p.responses[i]
	}
	return out
}

// sum adds the shares of some groups, of each repetition.
func (p *Breakdown) sum(which func(group) bool) []float64 {
	out := make([]float64, len(p.responses))
	for _, g := range p.groups() {
		if which(g) {
			for i, share := range p.shares[g] {
				out[i] += share
			}
		}
	}
	return out
}

// accounted is the share of the response time of each repetition that parts account for.
func (p *Breakdown) accounted() []float64 { return p.sum(func(group) bool { return true }) }
