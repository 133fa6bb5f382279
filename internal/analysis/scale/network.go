package scale

import (
	"math"
	"slices"

	"plimsoll/internal/analysis/queueing"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
)

// Variant is what the models need to know of a variant.
type Variant struct {
	Name  string
	Work  describe.Profile
	Rungs []rung.Rung // smallest first
	Users int         // units of work that the users of an instance keep under way
	Think float64     // time of a user, s
	Open  bool        // users act in an open loop
}

// Network is the queueing network of a variant, with the demands of one
// of its rungs.
type Network struct {
	queueing.Network
	At    *rung.Rung // where the demands were measured
	Users int        // of one instance
	think float64    // s
}

// NetworkAt builds the closed network from the demands at a rung. What of the
// response time at the smallest rung no measured resource explains becomes a
// delay that does not queue. ok is false for open loops, without telemetry, and where
// users or units of work do not behave as in such a network.
func NetworkAt(v Variant, r *rung.Rung) (Network, bool) {
	users, think := min(v.Users, trial.MostThings), v.Think // unchecked when it comes from the study
	n := Network{At: r, Users: users, think: think}
	if users <= 0 || think < 0 || r == nil || v.Open {
		return n, false
	}
	for _, res := range r.Resources {
		if res.Demand > 0 && res.IsStation() {
			n.Stations = append(n.Stations, queueing.Station{Name: res.Name, Demand: res.Demand, Servers: res.Parallel()})
		}
	}
	if len(n.Stations) == 0 || !ClosedAt(v, r) || !n.serial() {
		return n, false
	}
	n.Think = think
	n.Think += unexplained(v, n)
	return n, true
}

// ClosedAt reports whether the users of a variant were always thinking or waiting for a
// unit of work at a rung, by the response time law, R = N/X - Z (Denning and Buzen, "The
// Operational Analysis of Queueing Network Models", 1978). They are not if much of their
// time goes to work outside the unit, such as the flush after the blocks of a file, or if
// the work is fixed and some users finish long before others.
func ClosedAt(v Variant, r *rung.Rung) bool {
	at := r.Operations[v.Work.Whole()].PerSecond * (r.Mean.Value + v.Think)
	return math.Abs(stats.Ratio(at, float64(v.Users*r.Worked()))-1) <= Tolerance
}

// serial reports whether a unit of work may have used one station after the other: no more
// service than its response time is long. Read-ahead and writing behind use several at
// once, or none while the user waits.
func (n Network) serial() bool {
	sum := 0.0
	for _, st := range n.Stations {
		sum += st.Demand
	}
	return sum <= n.At.Mean.Value*(1+Tolerance)
}

// unexplained is the response time at the smallest rung beyond what the
// network gives there: latency of the network, waits inside the engine.
func unexplained(v Variant, n Network) float64 {
	first := rung.First(v.Rungs)
	if first == nil || first.Mean.Value <= 0 || n.Users*first.Instances > MostUsers {
		return 0
	}
	all, err := n.Solve(n.Users * first.Instances)
	if err != nil {
		return 0
	}
	return max(0, first.Mean.Value-all[len(all)-1].Response)
}

// SolveUpTo gives throughput in units of work per second and response time in seconds at
// each count of instances up to the largest asked for.
func (n Network) SolveUpTo(largest int) ([]queueing.Solution, error) {
	all, err := n.Solve(n.Users * largest)
	if err != nil {
		return nil, err
	}
	out := make([]queueing.Solution, largest)
	for i := range out {
		out[i] = all[(i+1)*n.Users-1]
		// What was added to the think time is waiting to a user.
		out[i].Response += n.Think - n.think
	}
	return out, nil
}

// MostUsers keeps the exact solution fast; beyond it the bounds alone tell
// as much.
const MostUsers = 20000

// Tolerance is how far a model may lie off a rung that it had not seen and
// still be taken to say something about others.
const Tolerance = 0.25

// addNetwork adds bounds and the network's predictions at the given counts. It leaves out
// predictions that a measurement contradicts.
func addNetwork(out *Scalability, v Variant, counts []float64) {
	measured, x := rung.Throughputs(v.Rungs)
	n, ok := NetworkAt(v, DemandRung(v.Rungs))
	if !ok {
		out.Bounds = linearBounds(measured, x)
		return
	}
	perUnit := v.ThroughputPerUnit(n.At)
	for i, at := range measured {
		if bound, _ := n.Bounds(at * float64(n.Users)); x[i] > bound*perUnit*(1+boundTolerance) {
			out.Beat = &Violation{From: n.At.Instances, At: at, Bound: bound * perUnit, Measured: x[i]}
			return
		}
	}
	for _, at := range counts {
		bound, _ := n.Bounds(at * float64(n.Users))
		out.Bounds = append(out.Bounds, exactPoint(at, bound*perUnit))
	}
	last := int(measured[len(measured)-1])
	if last*n.Users > MostUsers {
		return
	}
	all, err := n.SolveUpTo(last)
	if err != nil {
		return
	}
	out.NetworkErrors = networkErrors(v, n, all, perUnit)
	if networkFails(out.NetworkErrors) {
		return
	}
	out.DemandsFrom = n.At.Instances
	out.Network, out.Response = networkCurves(counts, all, perUnit)
}

// networkFails reports whether the network does not describe a rung that it is held
// against.
func networkFails(errors []Prediction) bool {
	return slices.ContainsFunc(errors, func(p Prediction) bool { return math.Abs(p.Error) > Tolerance })
}

// networkCurves are the network's throughput and response time at the counts
// given, rounded.
func networkCurves(counts []float64, all []queueing.Solution, perUnit float64) (throughput, response []stats.Point) {
	drawn := 0
	for _, at := range counts {
		n := int(math.Round(at))
		if n > drawn && n <= len(all) {
			throughput = append(throughput, exactPoint(float64(n), all[n-1].Throughput*perUnit))
			response = append(response, exactPoint(float64(n), all[n-1].Response))
			drawn = n
		}
	}
	return throughput, response
}

// networkErrors hold the network against the rungs above the one that its
// demands come from.
func networkErrors(v Variant, n Network, all []queueing.Solution, perUnit float64) []Prediction {
	var out []Prediction
	for i := range v.Rungs {
		r := &v.Rungs[i]
		if r.Instances > n.At.Instances && r.Throughput.Value > 0 {
			out = append(out, prediction(r.Instances, n.At.Instances, all[r.Instances-1].Throughput*perUnit, r.Throughput.Value))
		}
	}
	return out
}

// DemandRung is the rung whose demands are taken: the first where something is
// at least a tenth busy, because below that the background is measured with
// the load, or else the first with telemetry.
func DemandRung(rungs []rung.Rung) *rung.Rung {
	var first *rung.Rung
	for i := range rungs {
		r := &rungs[i]
		top := resource.Busiest(r.Resources)
		if top == nil {
			continue
		}
		if first == nil {
			first = r
		}
		if top.Own() >= 0.1 {
			return r
		}
	}
	return first
}

// linearBounds is the only bound without demands: each instance gives at most
// what the best rung gave for each.
func linearBounds(n, x []float64) []stats.Point {
	each := 0.0
	for i := range n {
		each = max(each, x[i]/n[i])
	}
	return []stats.Point{exactPoint(n[0], each*n[0]), exactPoint(n[len(n)-1]*1.25, each*n[len(n)-1]*1.25)}
}

func exactPoint(n, v float64) stats.Point {
	return stats.Point{N: n, Value: stats.Finite(v), Low: stats.Finite(v), High: stats.Finite(v)}
}

// ThroughputPerUnit turns units of work per second into the variant's throughput,
// by what was measured at a rung: where it counts bytes, by their mean size.
func (v Variant) ThroughputPerUnit(r *rung.Rung) float64 {
	if !v.Work.Unit.Bytes {
		return v.Work.Unit.Seconds
	}
	return stats.Ratio(r.Throughput.Value, r.Operations[v.Work.Whole()].PerSecond)
}
