package analysis

import (
	"fmt"
	"math"
	"slices"

	"plimsoll/internal/analysis/interval"
	"plimsoll/internal/analysis/queueing"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/words"
)

// closedNetwork is the queueing network of a variant, with the demands of one
// of its rungs.
type closedNetwork struct {
	queueing.Network
	rung  *rung.Rung // where the demands were measured
	users int        // of one instance
	think float64    // s
}

// networkAt builds the closed network from the demands at a rung. What of the
// response time at the smallest rung no measured resource explains becomes a
// delay that does not queue. ok is false for open loops, without telemetry, and where
// users or units of work do not behave as in such a network.
func (s *subject) networkAt(v *Variant, r *rung.Rung) (closedNetwork, bool) {
	users, think := s.usersOf(v.Name)
	users = min(users, trust.MostThings) // that of the study has not been checked
	n := closedNetwork{rung: r, users: users, think: think}
	if users <= 0 || think < 0 || r == nil || s.openLoop(v.Name) {
		return n, false
	}
	for _, res := range r.Resources {
		if res.Demand > 0 && res.IsStation() {
			n.Stations = append(n.Stations, queueing.Station{Name: res.Name, Demand: res.Demand, Servers: res.Parallel()})
		}
	}
	if len(n.Stations) == 0 || !s.closedAt(v, r) || !n.serial() {
		return n, false
	}
	n.Think = think
	n.Think += s.unexplained(v, n)
	return n, true
}

// closedAt says that the users of a variant were always thinking or waiting for a unit of
// work at a rung, by the response time law, R = N/X - Z (Denning and Buzen, "The
// Operational Analysis of Queueing Network Models", 1978). They are not where much of
// their time goes to what is no part of the unit, as the flush after the blocks of a file,
// or where the work is fixed and some have done theirs long before the others.
func (s *subject) closedAt(v *Variant, r *rung.Rung) bool {
	users, think := s.usersOf(v.Name)
	at := r.Operations[v.Work.Whole()].PerSecond * (r.Mean.Value + think)
	return math.Abs(stats.Ratio(at, float64(users*r.Instances))-1) <= modelTolerance
}

// serial says that a unit of work may have used one station after the other: no more
// service than its response time is long. Read-ahead and writing behind use several at
// once, or none while the user waits.
func (n closedNetwork) serial() bool {
	sum := 0.0
	for _, st := range n.Stations {
		sum += st.Demand
	}
	return sum <= n.rung.Mean.Value*(1+modelTolerance)
}

// unexplained is the response time at the smallest rung beyond what the
// network gives there: latency of the network, waits inside the engine.
func (s *subject) unexplained(v *Variant, n closedNetwork) float64 {
	first := rung.First(v.Rungs)
	if first == nil || first.Mean.Value <= 0 || n.users*first.Instances > maxModelUsers {
		return 0
	}
	all, err := n.Solve(n.users * first.Instances)
	if err != nil {
		return 0
	}
	return max(0, first.Mean.Value-all[len(all)-1].Response)
}

// solve gives throughput in units of work per second and response time in seconds at
// each count of instances up to the largest asked for.
func (n closedNetwork) solve(largest int) ([]queueing.Solution, error) {
	all, err := n.Solve(n.users * largest)
	if err != nil {
		return nil, err
	}
	out := make([]queueing.Solution, largest)
	for i := range out {
		out[i] = all[(i+1)*n.users-1]
		// What was added to the think time is waiting to a user.
		out[i].Response += n.Think - n.think
	}
	return out, nil
}

// maxModelUsers keeps the exact solution fast; beyond it the bounds alone tell
// as much.
const maxModelUsers = 20000

// modelTolerance is how far a model may lie off a rung that it had not seen and
// still be taken to say something about others.
const modelTolerance = 0.25

// addNetwork sets bounds and the network's predictions beside the law, at the
// given counts. What a measurement contradicts is left out.
func (s *subject) addNetwork(out *Scalability, v *Variant, counts []float64) {
	measured, x := rung.Throughputs(v.Rungs)
	n, ok := s.networkAt(v, demandRung(v))
	if !ok {
		out.Bounds = linearBounds(measured, x)
		return
	}
	perUnit := v.throughputPerUnit(n.rung)
	for i, at := range measured {
		if bound, _ := n.Bounds(at * float64(n.users)); x[i] > bound*perUnit*(1+boundTolerance) {
			out.Beaten = fmt.Sprintf("The demands measured at %s are no upper bound: they allow %s %s at %s, and %s was measured",
				words.Count(n.rung.Instances, s.noun), words.Figures(bound*perUnit), v.Work.Unit.Throughput, words.Figures(at), words.Figures(x[i]))
			return
		}
	}
	for _, at := range counts {
		bound, _ := n.Bounds(at * float64(n.users))
		out.Bounds = append(out.Bounds, exactPoint(at, bound*perUnit))
	}
	last := int(measured[len(measured)-1])
	if last*n.users > maxModelUsers {
		return
	}
	all, err := n.solve(last)
	if err != nil {
		return
	}
	out.NetworkErrors = networkErrors(v, n, all, perUnit)
	if networkFails(out.NetworkErrors) {
		return
	}
	out.DemandsFrom = n.rung.Instances
	out.Network, out.Response = networkCurves(counts, all, perUnit)
}

// networkFails says that the network does not describe a rung that it is held
// against.
func networkFails(errors []Prediction) bool {
	return slices.ContainsFunc(errors, func(p Prediction) bool { return math.Abs(p.Error) > modelTolerance })
}

// networkCurves are the network's throughput and response time at the counts
// given, rounded.
func networkCurves(counts []float64, all []queueing.Solution, perUnit float64) (throughput, response []interval.Point) {
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
func networkErrors(v *Variant, n closedNetwork, all []queueing.Solution, perUnit float64) []Prediction {
	var out []Prediction
	for i := range v.Rungs {
		r := &v.Rungs[i]
		if r.Instances > n.rung.Instances && r.Throughput.Value > 0 {
			out = append(out, prediction(r.Instances, n.rung.Instances, all[r.Instances-1].Throughput*perUnit, r.Throughput.Value))
		}
	}
	return out
}

// demandRung is the rung whose demands are taken: the first where something is
// at least a tenth busy, because below that the background is measured with
// the load, or else the first with telemetry.
func demandRung(v *Variant) *rung.Rung {
	var first *rung.Rung
	for i := range v.Rungs {
		r := &v.Rungs[i]
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
func linearBounds(n, x []float64) []interval.Point {
	each := 0.0
	for i := range n {
		each = max(each, x[i]/n[i])
	}
	return []interval.Point{exactPoint(n[0], each*n[0]), exactPoint(n[len(n)-1]*1.25, each*n[len(n)-1]*1.25)}
}

func exactPoint(n, v float64) interval.Point {
	return interval.Point{N: n, Value: stats.Finite(v), Low: stats.Finite(v), High: stats.Finite(v)}
}

// throughputPerUnit turns units of work per second into the variant's throughput,
// by what was measured at a rung: where it counts bytes, by their mean size.
func (v *Variant) throughputPerUnit(r *rung.Rung) float64 {
	if !v.Work.Unit.Bytes {
		return v.Work.Unit.Seconds
	}
	return stats.Ratio(r.Throughput.Value, r.Operations[v.Work.Whole()].PerSecond)
}

// usersOf is how many units of work the users of an instance keep under way, and
// their think time in seconds.
func (s *subject) usersOf(variant string) (users int, think float64) {
	for _, t := range s.Run.Trials {
		if t.Variant.Name == variant && t.Variant.Load.Users > 0 {
			return t.Variant.Load.Users * t.Profile.Together(), t.Variant.Load.ThinkTime.D().Seconds()
		}
	}
	return s.Study.Load.Users, s.Study.Load.ThinkTime.D().Seconds()
}

func (s *subject) openLoop(variant string) bool {
	for _, t := range s.Run.Trials {
		if t.Variant.Name == variant && (t.OpenLoop || t.Variant.Load.Rate > 0) {
			return true
		}
	}
	return false
}
