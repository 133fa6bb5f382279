package iopath

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// place is a layer by its kind and whose it is.
type place struct {
	kind Kind
	of   string
}

// rates are the requests of one layer and direction in a trial, a second. What is not known is NaN.
type rates struct{ requests, bytes, merged, sequential float64 }

func (r rates) plus(o rates) rates {
	return rates{r.requests + o.requests, r.bytes + o.bytes, r.merged + o.merged, r.sequential + o.sequential}
}

// passage is a trial's layers, in their order, with reads and writes.
type passage struct {
	order   []place
	reads   map[place]rates
	writes  map[place]rates
	units   float64 // a second
	seconds float64 // measured
}

func (p *passage) add(at place, read, written rates) {
	if !slices.Contains(p.order, at) {
		p.order = append(p.order, at)
		p.reads[at], p.writes[at] = read, written
		return
	}
	p.reads[at], p.writes[at] = p.reads[at].plus(read), p.writes[at].plus(written)
}

// Of is the path of the requests of a rung's repetitions; nil where fewer than two sorts of layers
// count requests, so that nothing can be compared. Members of a tile share their devices, which
// count all of them together.
func Of(e *trust.Evidence, passed []*result.Trial) *Path {
	var all []passage
	for _, t := range passed {
		if p, ok := passageOf(e, t); ok {
			all = append(all, p)
		}
	}
	if len(all) == 0 || e.Run != nil && e.Run.Member() != "" {
		return nil
	}
	path := &Path{}
	for _, at := range all[0].order {
		l := Layer{
			Kind: at.kind, Of: at.of,
			Reads:  flowOf(all, func(p passage) (rates, bool) { r, ok := p.reads[at]; return r, ok }),
			Writes: flowOf(all, func(p passage) (rates, bool) { r, ok := p.writes[at]; return r, ok }),
		}
		if l.Reads != nil || l.Writes != nil {
			path.Layers = append(path.Layers, l)
		}
	}
	if !path.compares() {
		return nil
	}
	path.setAmplification(true)
	path.setAmplification(false)
	return path
}

// compares reports whether several sorts of layers count requests.
func (p *Path) compares() bool {
	var kinds []Kind
	for _, l := range p.Layers {
		if l.Kind != Caused && !slices.Contains(kinds, l.Kind) {
			kinds = append(kinds, l.Kind)
		}
	}
	return len(kinds) > 1
}

// passageOf reads a trial; not ok where it says nothing of its units of work.
func passageOf(e *trust.Evidence, t *result.Trial) (p passage, ok bool) {
	p = passage{reads: map[place]rates{}, writes: map[place]rates{}, units: trial.UnitsPerSecond(t), seconds: trial.Seconds(t)}
	if !(p.units > 0) || !stats.Plausible(p.units) {
		return p, false
	}
	m := trial.MetricsOf(t)
	p.addApplication(t.Profile)
	p.addProcesses(t, m)
	p.addDevices(e, t, m)
	return p, true
}

// addApplication adds what the workload says of its own requests.
func (p *passage) addApplication(of describe.Profile) {
	for _, r := range of.Requests {
		if !stats.Plausible(r.PerUnit) || !stats.Plausible(r.Bytes) {
			continue
		}
		one := rates{requests: p.units * r.PerUnit, bytes: p.units * r.PerUnit * r.Bytes, merged: math.NaN(), sequential: math.NaN()}
		if r.Sequential != nil && *r.Sequential >= 0 && *r.Sequential <= 1 {
			one.sequential = *r.Sequential * one.requests
		}
		if r.Direction == describe.Reads {
			p.add(place{kind: Application}, one, rates{})
			continue
		}
		p.add(place{kind: Application}, rates{}, one)
	}
}

// addProcesses adds calls and what they caused, of servers that keep data, or of drivers that work on
// volumes themselves. A workload's own word of its requests says more than its calls.
func (p *passage) addProcesses(t *result.Trial, m trial.Metrics) {
	for _, s := range t.Servers {
		if !s.Stateless {
			p.addRole(m, describe.InstanceKind, s.Role, s.Runs, true)
		}
	}
	if t.Profile.OnVolume {
		_, said := p.reads[place{kind: Application}]
		p.addRole(m, describe.DriverKind, result.DriverRole, func(string) bool { return true }, !said)
	}
}

// addRole adds up the servers of a role; a role with a server that was not measured is left out.
func (p *passage) addRole(m trial.Metrics, kind, role string, runs func(string) bool, calls bool) {
	for _, layer := range []struct {
		kind                         Kind
		reads, writes, read, written string
	}{
		{Calls, "read_calls", "write_calls", "read_by_calls", "written_by_calls"},
		{Caused, "", "", "read_bytes", "write_bytes"},
	} {
		if layer.kind == Calls && !calls {
			continue
		}
		var reads, writes rates
		found := false
		for _, name := range m.Names(kind) {
			if runs(name) {
				found = true
				reads = reads.plus(ratesOf(m, kind, name, layer.reads, layer.read, "", ""))
				writes = writes.plus(ratesOf(m, kind, name, layer.writes, layer.written, "", ""))
			}
		}
		if found {
			p.add(place{layer.kind, role}, reads, writes)
		}
	}
}

// addDevices adds the devices that volumes lie on: first what all of them were handed, then what they
// got.
func (p *passage) addDevices(e *trust.Evidence, t *result.Trial, m trial.Metrics) {
	for _, kind := range []Kind{PassedOn, Device} {
		for i, d := range t.Devices {
			if slices.ContainsFunc(t.Devices[:i], func(o describe.Device) bool { return o.Name == d.Name }) {
				continue // the same on another machine
			}
			d.Role = roleOf(t, m, d)
			for _, h := range m.Hosts(t, e.Cores) {
				if slices.Contains(h.Names(describe.DeviceKind), d.Name) {
					p.addDevice(h.Metrics, d, kind)
				}
			}
		}
	}
}

// roleOf tells devices behind others of the same role from these, as the media of a tiered disk: of
// them nothing counts merges.
func roleOf(t *result.Trial, m trial.Metrics, d describe.Device) string {
	if countsMerges(m, d) || !slices.ContainsFunc(t.Devices, func(o describe.Device) bool { return o.Role == d.Role && countsMerges(m, o) }) {
		return d.Role
	}
	return strings.TrimSpace(d.Role + " " + d.Media)
}

func countsMerges(m trial.Metrics, d describe.Device) bool {
	_, reads := m.Mean(describe.DeviceKind, d.Name, "read_merges")
	_, writes := m.Mean(describe.DeviceKind, d.Name, "write_merges")
	return reads || writes
}

// addDevice adds one of a machine. Nothing is known to be handed to one whose merges are not counted.
func (p *passage) addDevice(m trial.Metrics, d describe.Device, kind Kind) {
	read := ratesOf(m, describe.DeviceKind, d.Name, "reads", "read_bytes", "read_merges", "random_reads")
	written := ratesOf(m, describe.DeviceKind, d.Name, "writes", "write_bytes", "write_merges", "random_writes")
	switch {
	case kind == Device:
		read.merged, written.merged = math.NaN(), math.NaN()
	case math.IsNaN(read.merged) && math.IsNaN(written.merged):
		return
	default:
		read, written = read.before(), written.before()
	}
	p.add(place{kind, d.Role}, read, written)
}

// before are the requests before they were merged. Where these begin nothing saw.
func (r rates) before() rates {
	return rates{r.requests + r.merged, r.bytes, r.merged, math.NaN()}
}

// ratesOf reads metrics of one thing; those without a name are not known.
func ratesOf(m trial.Metrics, kind, name, requests, bytes, merged, random string) rates {
	of := func(metric string) float64 {
		v, known := m.Mean(kind, name, metric)
		if metric == "" || !known || v < 0 {
			return math.NaN()
		}
		return v
	}
	all := of(requests)
	// Requests are counted when they end, and random ones when they begin.
	return rates{all, of(bytes), of(merged), max(0, all-of(random))}
}

// least is how many requests a repetition must have had for figures of them.
const least = 10

// flowOf sums up the repetitions; nil where there were hardly any requests in one of them, or no
// bytes where these alone are counted.
func flowOf(all []passage, of func(passage) (rates, bool)) *Flow {
	var perUnit, bytesPerUnit, merged []float64
	f := &Flow{}
	for _, p := range all {
		r, ok := of(p)
		if !ok || !(r.bytes > 0) || r.requests*p.seconds < least {
			return nil
		}
		perUnit, bytesPerUnit = append(perUnit, r.requests/p.units), append(bytesPerUnit, r.bytes/p.units)
		f.requests, f.sizes = append(f.requests, r.requests*p.seconds), append(f.sizes, r.bytes/r.requests)
		merged, f.sequentials = append(merged, r.merged/r.requests), append(f.sequentials, r.sequential/r.requests)
	}
	f.BytesPerUnit = stats.MedianOf(bytesPerUnit)
	f.PerUnit, f.Bytes = stats.MedianOf(perUnit), stats.MedianOf(f.sizes)
	f.Merged, f.Sequential = shareOf(merged), shareOf(f.sequentials)
	if f.Sequential == nil {
		f.sequentials = nil
	}
	return f
}

// shareOf is the median; nil where a repetition has none.
func shareOf(shares []float64) *float64 {
	if slices.ContainsFunc(shares, math.IsNaN) {
		return nil
	}
	share := stats.MedianOf(shares)
	return &share
}

// setAmplification relates the bytes of each layer to the first layer that sees all of them.
func (p *Path) setAmplification(reads bool) {
	base := p.bytesOf(Application, reads)
	from := Application
	if base == 0 {
		base, from = p.bytesOf(Caused, reads), Caused
	}
	below := false
	for _, l := range p.Layers {
		below = below || l.Kind == from
		if f := l.flow(reads); f != nil && below {
			f.Amplification = stats.Ratio(f.BytesPerUnit, base)
		}
	}
}

// bytesOf adds up a kind of layers.
func (p *Path) bytesOf(k Kind, reads bool) (sum float64) {
	for _, l := range p.Layers {
		if f := l.flow(reads); l.Kind == k && f != nil {
			sum += f.BytesPerUnit
		}
	}
	return sum
}

const (
	// enough is how many requests each repetition must have had for a sentence about them.
	enough = 100
	// resized is from which ratio of mean sizes on requests are said to change.
	resized = 1.5
	// reordered is from which difference of sequential shares on they are.
	reordered = 0.25
)

// Moves are the directions in which requests clearly change on their way to the devices, in each
// repetition.
func (p *Path) Moves() (all []Move) {
	for _, reads := range []bool{true, false} {
		to := p.most(Device, reads)
		for _, from := range []Kind{Application, PassedOn} {
			f := p.most(from, reads)
			if f == nil {
				continue
			}
			if to != nil && f.changes(to) {
				all = append(all, Move{Reads: reads, From: f, To: to, Known: from == Application})
			}
			break // the first that is known counts
		}
	}
	return all
}

// most is the flow of a kind with the most bytes. Of devices, those come first that requests are
// known to be handed to, since others may be behind them.
func (p *Path) most(k Kind, reads bool) *Flow {
	var all, handed []*Flow
	for _, l := range p.Layers {
		f := l.flow(reads)
		if f == nil || l.Kind != k {
			continue
		}
		all = append(all, f)
		if slices.ContainsFunc(p.Layers, func(o Layer) bool { return o.Kind == PassedOn && o.Of == l.Of }) {
			handed = append(handed, f)
		}
	}
	if len(handed) > 0 {
		all = handed
	}
	if len(all) == 0 {
		return nil
	}
	return slices.MaxFunc(all, func(x, y *Flow) int { return cmp.Compare(x.BytesPerUnit, y.BytesPerUnit) })
}

// changes reports whether the requests of two layers clearly differ.
func (f *Flow) changes(to *Flow) bool {
	if slices.Min(f.requests) < enough || slices.Min(to.requests) < enough {
		return false
	}
	return always(f.sizes, to.sizes, func(a, b float64) bool { return b >= resized*a }) ||
		always(f.sizes, to.sizes, func(a, b float64) bool { return a >= resized*b }) ||
		always(f.sequentials, to.sequentials, func(a, b float64) bool { return b >= a+reordered }) ||
		always(f.sequentials, to.sequentials, func(a, b float64) bool { return a >= b+reordered })
}

// always reports whether a relation holds in each repetition; not where nothing is known of them.
func always(a, b []float64, holds func(a, b float64) bool) bool {
	for i := range min(len(a), len(b)) {
		if !holds(a[i], b[i]) {
			return false
		}
	}
	return len(a) > 0 && len(a) == len(b)
}
