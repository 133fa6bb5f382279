package timeprofile

import (
	"cmp"
	"math"
	"slices"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
)

// Step is a rung of a ladder with its profile, which may be nil.
type Step struct {
	Instances int
	Breakdown *Breakdown
}

// Attribution says which components made the response time grow from one rung to another.
type Attribution struct {
	From   int     `json:"from"`   // the smaller rung; 0 where the whole response time at To is attributed
	To     int     `json:"to"`     // the larger one
	Before float64 `json:"before"` // mean response time at From, s; 0 without one
	After  float64 `json:"after"`  // at To, s
	// Growth are the components, those that grew most first. What a CPU or the devices of the
	// storage make several roles wait for is added up.
	Growth []Growth `json:"growth"`
	// Unexplained is the share of the growth that no component accounts for.
	Unexplained stats.Interval `json:"unexplained"`
	// Causes is how many of the first of Growth are shown to be what limits: 0 where the growth
	// that is accounted for does not carry that, 1, or 2 where both matter.
	Causes  int  `json:"causes"`
	Counted bool `json:"counted"` // as of the profiles
}

// Growth is by how much a component grew.
type Growth struct {
	Component describe.Component `json:"component"`          // as of a part
	Role      string             `json:"role,omitempty"`     // whose; empty where several wait for the same
	Machine   string             `json:"machine,omitempty"`  // that the CPU belongs to; empty for the campaign's own
	Resource  string             `json:"resource,omitempty"` // the device, as in the profile
	Seconds   float64            `json:"seconds"`            // of the growth, per unit of work
	Share     stats.Interval     `json:"share"`              // of the growth
	// Waits are the named ones of the component, by how much each grew.
	Waits []Wait `json:"waits,omitempty"`

	shares stats.Estimate
	cause  cause
}

// cause is what several groups have in common: one CPU, the devices of the storage, or a
// component of one role.
type cause struct {
	component     describe.Component
	role, machine string
}

func (p *Breakdown) causeOf(g group) cause {
	switch g.component {
	case describe.CPUWait:
		return cause{component: describe.CPUWait, machine: p.machines[g]}
	case describe.DeviceWait:
		return cause{component: describe.DeviceWait}
	}
	return cause{component: g.component, role: g.role}
}

const (
	// grown is by how much of the smaller rung's the response time must have grown.
	grown = 0.25
	// most is the share of the growth from which a single component is the cause.
	most = 0.5
	// matters is the share that a second one must be shown to have at least to be named with it, and
	// both the share that they must have together.
	matters = 0.25
	both    = 2.0 / 3
	// overfull is the share of the response time that is accounted for from which something
	// else than units of work must have been counted.
	overfull = 1.25
	// confidence is the level of the intervals that separate components: 5 % on either side.
	confidence = 0.9
	// onceShare and onceTime are the standard deviations that the share of a component, and the
	// logarithm of a response time, are taken to have where nothing was repeated, and at most where
	// a few repetitions do not show more: two of them hardly know their own noise.
	onceShare = 0.05
	onceTime  = stats.ThroughputCeiling
	// asKnown is how well those are known, in degrees of freedom.
	asKnown = 30
)

// Attribute divides the growth of the response time between two rungs of a ladder; from 0, it
// divides the response time at the larger one. It is nil where these have no profiles of the same
// sort, or where the response time is not shown to grow.
func Attribute(ladder []Step, from, to int) *Attribution {
	l, ok := newLadder(ladder, from, to)
	if !ok || !l.grew() {
		return nil
	}
	return l.divided(from, to)
}

// Compose divides the whole response time at a rung where the growth since a smaller one shows no
// cause: few repetitions may differ too much in how long work took, and agree about what the time is
// spent on. A component that is shown to have most of the whole is a cause if it also leads in the
// growth, by the estimates: one whose share of the response time did not fall has at least that
// share of any growth, as s2 + (s2 - s1) R1/(R2 - R1) of share says. It is nil where the rungs have no
// profiles of the same sort.
func Compose(ladder []Step, since, at int) *Attribution {
	l, ok := newLadder(ladder, since, at)
	if !ok {
		return nil
	}
	l.whole = true
	return l.divided(0, at)
}

// divided is the attribution between two rungs; from 0, of the response time at the larger one.
func (l ladder) divided(from, to int) *Attribution {
	p := l.to()
	a := &Attribution{From: from, To: to, After: p.Response, Counted: p.Counted}
	if from > 0 {
		a.Before = l.profiles[l.first].Response
	}
	for _, c := range l.causes() {
		a.Growth = append(a.Growth, l.growthOf(c, a.After-a.Before))
	}
	slices.SortStableFunc(a.Growth, func(a, b Growth) int { return cmp.Compare(b.shares.Value, a.shares.Value) })
	a.Unexplained = l.intervalOf(l.share(rest, onceShare))
	a.Causes = l.shown(a.Growth)
	return a
}

// Open reports whether a larger growth may show more: there is no cause yet, or a second component may
// matter that is not shown to.
func (a *Attribution) Open() bool {
	return a == nil || a.Causes == 0 || a.Causes == 1 && len(a.Growth) > 1 && a.Growth[1].Share.Value >= matters
}

// ladder are profiles of one sort, with the places of the two to be compared; first is -1 where
// there is one.
type ladder struct {
	profiles    []*Breakdown
	first, last int
	whole       bool // the response time at last is divided, not its growth since first
}

func newLadder(steps []Step, from, to int) (l ladder, ok bool) {
	find := func(n int) int {
		return slices.IndexFunc(steps, func(s Step) bool { return s.Instances == n && s.Breakdown != nil })
	}
	last := find(to)
	if last < 0 {
		return l, false
	}
	l.first = -1
	for i, s := range steps {
		if s.Breakdown == nil || s.Breakdown.Counted != steps[last].Breakdown.Counted || !slices.Equal(s.Breakdown.Missing, steps[last].Breakdown.Missing) {
			continue
		}
		switch {
		case i == last:
			l.last = len(l.profiles)
		case s.Instances == from:
			l.first = len(l.profiles)
		}
		l.profiles = append(l.profiles, s.Breakdown)
	}
	return l, l.first >= 0 || from == 0
}

func (l ladder) to() *Breakdown { return l.profiles[l.last] }

// means estimates a figure of each profile from its repetitions, with the noise learnt from all;
// where nothing was repeated, with a noise that is assumed, which else is the ceiling.
func (l ladder) means(of func(*Breakdown) []float64, once float64) []stats.Estimate {
	groups := make([][]float64, len(l.profiles))
	for i, p := range l.profiles {
		groups[i] = of(p)
	}
	all := stats.Means(groups)
	for i := range all {
		if all[i].Known() {
			all[i].Ceiling = max(all[i].Error, once/math.Sqrt(float64(len(groups[i]))))
		} else {
			all[i].Error, all[i].Freedom = once, asKnown
		}
	}
	return all
}

// times estimates the logarithms of the response times.
func (l ladder) times() []stats.Estimate {
	return l.means(func(p *Breakdown) []float64 { return stats.Logarithms(p.responses) }, onceTime)
}

// grew reports whether the response time is shown to have grown by enough to divide.
func (l ladder) grew() bool {
	if l.first < 0 {
		return true
	}
	times := l.times()
	low, _ := times[l.last].Minus(times[l.first]).Interval(confidence)
	return low > 0 && l.to().Response >= (1+grown)*l.profiles[l.first].Response
}

// share estimates which share of the growth a part of the response time has, given its share of
// the response time of each repetition. With R1 and R2 before and after, and shares s1 and s2 of
// them, it is (s2 R2 - s1 R1)/(R2 - R1) = s2 + (s2 - s1) k with k = R1/(R2 - R1); its error is that
// of both shares and of k, to first order. Once is the standard deviation of a share where nothing was
// repeated.
func (l ladder) share(of func(*Breakdown) []float64, once float64) stats.Estimate {
	shares := l.means(of, once)
	after := shares[l.last]
	if l.whole || l.first < 0 {
		return after
	}
	small, large := l.profiles[l.first].Response, l.to().Response
	before, k := shares[l.first], small/(large-small)
	times := l.times()
	change := after.Value - before.Value
	errorOf := func(of func(stats.Estimate) float64) float64 {
		ofK := k * (1 + k) * math.Hypot(of(times[l.first]), of(times[l.last]))
		return math.Hypot(math.Hypot((1+k)*of(after), k*of(before)), change*ofK)
	}
	return stats.Estimate{
		Value:   after.Value + change*k,
		Error:   errorOf(func(e stats.Estimate) float64 { return e.Error }),
		Ceiling: errorOf(func(e stats.Estimate) float64 { return e.Ceiling }),
		Freedom: min(after.Freedom, before.Freedom),
	}
}

// lags reports whether a part has, by the estimates, none of the growth since first: where the response
// time is not shown to have grown, the growth that was measured has an error that is not known. Where
// it did not grow at all, a part that has a smaller share of it than before lags.
func (l ladder) lags(of func(*Breakdown) []float64) bool {
	if l.first < 0 {
		return false
	}
	p := l.profiles[l.first]
	now, before := stats.Mean(of(l.to())), stats.Mean(of(p))
	if l.to().Response <= p.Response {
		return now < before
	}
	return now*l.to().Response <= before*p.Response
}

// rest is the share of each repetition's response time that nothing accounts for.
func rest(p *Breakdown) []float64 {
	out := p.accounted()
	for i := range out {
		out[i] = 1 - out[i]
	}
	return out
}

// causes are those of the groups at either rung.
func (l ladder) causes() (all []cause) {
	for i, p := range l.profiles {
		if i != l.first && i != l.last {
			continue
		}
		for _, g := range p.groups() {
			if c := p.causeOf(g); !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	return all
}

// sharesOf are the shares of the response time that a cause has.
func sharesOf(c cause) func(*Breakdown) []float64 {
	return func(p *Breakdown) []float64 {
		return p.sum(func(g group) bool { return p.causeOf(g) == c })
	}
}

func (l ladder) growthOf(c cause, growth float64) Growth {
	g := Growth{Component: c.component, Role: c.role, Machine: c.machine, cause: c, shares: l.share(sharesOf(c), onceShare)}
	g.Share, g.Seconds = l.intervalOf(g.shares), g.shares.Value*growth
	for _, part := range l.to().Parts {
		if l.to().causeOf(group{part.Role, part.Component}) != c {
			continue
		}
		g.Resource = cmp.Or(g.Resource, part.Resource)
		for _, w := range part.Waits {
			of := func(p *Breakdown) []float64 { return p.waitShares(wait{group{part.Role, part.Component}, w.Name}) }
			g.Waits = append(g.Waits, Wait{Name: w.Name, Seconds: stats.Exactly(l.share(of, onceShare).Value * growth)})
		}
	}
	slices.SortStableFunc(g.Waits, func(a, b Wait) int { return cmp.Compare(b.Seconds.Value, a.Seconds.Value) })
	return g
}

// waitShares are the shares of a named wait, 0 where nothing waited under that name.
func (p *Breakdown) waitShares(w wait) []float64 {
	if shares := p.waits[w]; shares != nil {
		return shares
	}
	return make([]float64, len(p.responses))
}

// shown is how many of the largest growths are shown to be causes.
func (l ladder) shown(all []Growth) int {
	accounted := l.means((*Breakdown).accounted, onceShare)[l.last]
	if len(all) == 0 || accounted.Value > overfull {
		return 0
	}
	first := all[0]
	others := []func(*Breakdown) []float64{rest}
	for _, g := range all[1:] {
		others = append(others, sharesOf(g.cause))
	}
	alone := first.shares.Value >= most && l.more(first.cause, others)
	if len(all) > 1 {
		second := all[1]
		two := first.shares.Value + second.shares.Value
		apart := append(slices.Clone(others[:1]), others[2:]...)
		if second.surelyMatters() && two >= both && l.more(second.cause, apart) && l.more(first.cause, apart) {
			return 2
		}
	}
	if alone {
		return 1
	}
	return 0
}

// surelyMatters reports whether a component is shown to have so much of the growth that it is named with
// the first: few repetitions of noisy work may give a small one a large share by chance.
func (g Growth) surelyMatters() bool {
	low, _ := g.shares.Interval(confidence)
	return low >= matters
}

// more reports whether a cause is shown to have grown by more than each of others; of the whole
// response time, whether it has more of it, and of any growth, too.
func (l ladder) more(c cause, others []func(*Breakdown) []float64) bool {
	if l.whole && l.lags(sharesOf(c)) {
		return false
	}
	for _, other := range others {
		ahead := func(p *Breakdown) []float64 {
			own, of := sharesOf(c)(p), other(p)
			for i := range own {
				own[i] -= of[i]
			}
			return own
		}
		low, _ := l.share(ahead, 2*onceShare).Interval(confidence) // one has what the other lacks
		if low <= 0 || l.whole && l.lags(ahead) {
			return false
		}
	}
	return true
}

// intervalOf is an estimate's interval, where repetitions tell enough of its noise. No noise is
// assumed for it.
func (l ladder) intervalOf(e stats.Estimate) stats.Interval {
	e.Ceiling = 0
	repeated := slices.ContainsFunc(l.profiles, func(p *Breakdown) bool { return len(p.responses) > 1 })
	if !repeated || e.Freedom < stats.MinFreedom {
		return stats.Exactly(e.Value)
	}
	low, high := e.Interval(stats.Confidence)
	return stats.Interval{Value: e.Value, Low: low, High: high, Confidence: stats.Confidence}
}
