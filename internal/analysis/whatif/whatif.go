// Package whatif predicts what a unit of work would take if what limits it were changed: it takes the
// trials of a rung and its time profile, and gives figures, no sentences.
package whatif

import (
	"math"
	"slices"

	"plimsoll/internal/analysis/queueing"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/timeprofile"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Kind is the kind of a change.
type Kind string

// Kinds of changes.
const (
	FasterDevice Kind = "faster-device" // it serves each request so many times as fast
	MoreCPU      Kind = "more-cpu"      // so many times the cores
	WithoutWait  Kind = "without-wait"  // requests that sessions wait for under a name are not made
)

// Forecast is what a change would do with as many users as were measured.
type Forecast struct {
	Kind       Kind           `json:"kind"`             // faster-device, more-cpu or without-wait
	Resource   string         `json:"resource"`         // that is changed
	Factor     int            `json:"factor,omitempty"` // how many times as fast, or as many; 0 without a wait
	Wait       string         `json:"wait,omitempty"`   // the name of the wait that is left out
	At         int            `json:"at"`               // rung
	Response   stats.Interval `json:"response"`         // mean response time, s
	Throughput stats.Interval `json:"throughput"`       // units of work per second
}

// Load are the users of a rung: all of them together, and their think time in s.
type Load struct {
	Users int
	Think float64
}

const (
	// mostUsers keeps the exact solution fast, which is needed many times.
	mostUsers = 200
	// off is by how much users may be off the response time law, N = X(R+Z), and the demand that
	// makes the measured time at the changed resource off the measured demand: beyond that the
	// network does not describe the rung.
	off = 0.25
	// halvings are the steps of a search for a delay or a demand.
	halvings = 16
	// enough is the smallest share of the wait for a device at which a named one is predicted.
	enough = 0.1
)

// Predict gives the changes of the resources that limit, by the attribution of the rung; none where
// it carries no cause, or where the stations do not describe the rung.
func Predict(e *trust.Evidence, passed []*result.Trial, r *rung.Rung, a *timeprofile.Attribution, of Load) (all []Forecast) {
	if a == nil || a.Causes == 0 || of.Users < 1 || of.Users > mostUsers {
		return nil
	}
	for _, g := range a.Growth[:a.Causes] {
		all = append(all, predict(e, passed, r, changes(r, g), of)...)
	}
	return all
}

// change is one of a station: how many times as fast, or as many servers, it is.
type change struct {
	Forecast
	speed   float64
	servers int
}

// changes are those of the resource of a component that grew.
func changes(r *rung.Rung, g timeprofile.Growth) (all []change) {
	for i := range r.Resources {
		of := r.Resources[i]
		switch {
		case !of.IsStation() || of.Other > 0:
		case g.Component == describe.CPUWait && of.Kind == resource.CPU && of.Machine == g.Machine:
			return []change{{Forecast{Kind: MoreCPU, Resource: of.Name, Factor: 2}, 1, 2}}
		case g.Component == describe.DeviceWait && of.Kind == resource.Device && of.Name == g.Resource:
			for _, factor := range []int{2, 4} {
				all = append(all, change{Forecast{Kind: FasterDevice, Resource: of.Name, Factor: factor}, float64(factor), 1})
			}
			return append(all, withoutWaits(r, of.Name)...)
		}
	}
	return nil
}

// withoutWaits is the change that the longest named wait for a device is not made, where it is a part
// of the wait that is large enough, and not all of it.
func withoutWaits(r *rung.Rung, device string) (all []change) {
	for _, p := range r.Time.Parts {
		if p.Component != describe.DeviceWait || p.Resource != device || len(p.Waits) == 0 {
			continue
		}
		if share := stats.Ratio(p.Waits[0].Seconds.Value, p.Seconds.Value); share >= enough && share <= 1-enough {
			all = append(all, change{Forecast{Kind: WithoutWait, Resource: device, Wait: p.Waits[0].Name}, 1 / (1 - share), 1})
		}
	}
	return all
}

// predict solves the network of each repetition with each of some changes of one resource.
func predict(e *trust.Evidence, passed []*result.Trial, r *rung.Rung, changes []change, of Load) (all []Forecast) {
	if len(changes) == 0 || len(passed) == 0 {
		return nil
	}
	var fits []fit
	for _, t := range passed {
		if busy := trial.UnitsPerSecond(t) * (trial.Mean(t) + of.Think); math.Abs(busy/float64(of.Users)-1) > off {
			return nil // users do something besides, or offer work at a rate
		}
		f, ok := fitted(stationsOf(e, t), changes[0], trial.Mean(t), changes[0].shareOf(r.Time), of)
		if !ok {
			return nil
		}
		fits = append(fits, f)
	}
	for _, c := range changes {
		all = append(all, c.forecast(fits, r.Instances))
	}
	return all
}

// forecast is what the networks of the repetitions of a rung give with the change.
func (c change) forecast(fits []fit, rung int) Forecast {
	var responses, throughputs []float64
	for _, f := range fits {
		response := f.changed(c)
		responses = append(responses, response)
		throughputs = append(throughputs, float64(f.of.Users)/(response+f.of.Think))
	}
	c.At, c.Response, c.Throughput = rung, interval(responses), interval(throughputs)
	return c.Forecast
}

// interval returns the interval of the median of repetitions.
func interval(values []float64) stats.Interval {
	logs := stats.Logarithms(values)
	return stats.Relative(stats.MedianOf(values), stats.Means([][]float64{logs})[0], logs)
}

// stationsOf are the CPUs and devices of a trial, by their demands.
func stationsOf(e *trust.Evidence, t *result.Trial) (all []queueing.Station) {
	for _, r := range resource.OfTrial(e, t) {
		if (r.Kind == resource.CPU || r.Kind == resource.Device) && r.IsStation() && r.Demand > 0 && !r.Contradicts() {
			all = append(all, queueing.Station{Name: r.Name, Demand: r.Demand, Servers: r.Parallel()})
		}
	}
	return all
}

// shareOf is the share of the response time that is spent at the resource, as the profile has it.
func (c change) shareOf(p *timeprofile.Breakdown) float64 {
	at := 0.0
	for _, part := range p.Parts {
		switch part.Component {
		case describe.DeviceWait:
			if part.Resource == c.Resource {
				at += part.Seconds.Value
			}
		case describe.Running, describe.CPUWait:
			if c.Kind == MoreCPU {
				at += part.Seconds.Value
			}
		}
	}
	return at / (p.Response * max(1, p.Accounted.Value))
}

// fit is a network that is to have a measured response time.
type fit struct {
	network  queueing.Network
	of       Load
	measured float64
	resource int     // the station that is to be changed
	delayed  float64 // in s, once it is fitted
}

// fitted is the network of a repetition. It has the demands that were measured and a delay, which
// together with the demand of the resource to be changed make the measured response time and the
// measured share of it there. Delay and demands of the others stay as they are, so a change never
// gives less than the time that is spent elsewhere.
func fitted(stations []queueing.Station, c change, measured, share float64, of Load) (f fit, ok bool) {
	at := slices.IndexFunc(stations, func(s queueing.Station) bool { return s.Name == c.Resource })
	if at < 0 {
		return f, false
	}
	f = fit{network: queueing.Network{Stations: stations, Think: of.Think}, of: of, measured: measured, resource: at}
	was := stations[at].Demand
	low, high := 0.0, measured*float64(max(1, stations[at].Servers))
	for range halvings {
		stations[at].Demand = (low + high) / 2
		if f.timeAt(f.delay()) < share*measured {
			low = stations[at].Demand
		} else {
			high = stations[at].Demand
		}
	}
	f.delayed = f.delay()
	return f, math.Abs(stations[at].Demand/was-1) <= off && math.Abs(f.timeAt(f.delayed)/(share*measured)-1) <= off
}

// changed is the response time with a change, in s.
func (f fit) changed(c change) float64 {
	f.network.Stations = slices.Clone(f.network.Stations)
	f.network.Stations[f.resource].Demand /= c.speed
	f.network.Stations[f.resource].Servers *= c.servers
	return f.residence(f.delayed) + f.delayed
}

// delay is what the stations do not make of the measured response time, in s; 0 where they make
// more.
func (f fit) delay() float64 {
	low, high := 0.0, f.measured
	for range halvings { // the time at stations falls by less than the delay grows
		if delay := (low + high) / 2; f.residence(delay)+delay < f.measured {
			low = delay
		} else {
			high = delay
		}
	}
	if f.residence(0) >= f.measured {
		return 0
	}
	return high
}

// with is the network with a delay.
func (f fit) with(delay float64) queueing.Network {
	n := f.network
	n.Think = f.of.Think + delay
	return n
}

// residence is how long a unit of work is at the stations, in s; infinite for a network that has
// no solution.
func (f fit) residence(delay float64) float64 {
	all, err := f.with(delay).Solve(f.of.Users)
	if err != nil {
		return math.Inf(1)
	}
	return all[f.of.Users-1].Response
}

// timeAt is how long it is at the one that is to be changed, by Little's law.
func (f fit) timeAt(delay float64) float64 {
	n := f.with(delay)
	queues, err := n.Queues(f.of.Users)
	all, failed := n.Solve(f.of.Users)
	if err != nil || failed != nil {
		return math.Inf(1)
	}
	return queues[f.resource] / all[f.of.Users-1].Throughput
}
