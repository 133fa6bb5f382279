package analysistest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"plimsoll/internal/analysis/queueing"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Timed describes a made-up ladder of one variant, whose users queue at stations of which telemetry
// shows a part: what a unit of work spends where is known by exact mean-value analysis.
type Timed struct {
	Stations []TimedStation
	// At is the index of the station that limits, and Busy its utilisation at the largest rung; its
	// Demand is made to fit.
	At   int
	Busy float64
	// Faster is how many times as fast that station is made after it was fitted; as fast if 0.
	Faster float64
	// Uncounted leaves out the states of threads, as in runs that did not sample them.
	Uncounted   bool
	Rungs       []int
	Repetitions int
	// Noise is the standard deviation of the logarithm of response times, and of every mean
	// number besides. Growing multiplies it at each next rung, as of Set; 0 for the same at all.
	Noise, Growing float64
}

// TimedStation is a station with what telemetry shows of it.
type TimedStation struct {
	Demand  float64 // s per unit of work
	Part    float64 // that the demand is of the limiting station's; 0 where Demand is given
	Servers int     // 1 if 0
	// Inside and Waiting are the components that units of work in service and in the queue are
	// counted under; empty for a station that nothing shows.
	Inside, Waiting string
	Wait            string  // the name that those in the queue wait under
	Behind          string  // component that the storage's server counts its thread under while the station works; empty for none
	Device          string  // that it is; empty for none
	CPU             bool    // it is that of the machine
	Quota           float64 // CPU limit of each instance that it is; 0 for none
}

// Limits is what the mean response time must stay within for the largest rung alone to break:
// halfway between its own and that of the rung before.
func (l Timed) Limits() float64 {
	fitted := l.fitted()
	return (fitted.response(l.Rungs[len(l.Rungs)-1]) + fitted.response(l.Rungs[len(l.Rungs)-2])) / 2
}

// Demand is that of the limiting station, s.
func (l Timed) Demand() float64 { return l.fitted().Stations[l.At].Demand }

// fitted gives the limiting station the demand at which it is as busy as it is to be.
func (l Timed) fitted() Timed {
	l.Stations = append([]TimedStation(nil), l.Stations...)
	low, high := 0.0, 10.0
	for range 60 {
		l.Stations[l.At].Demand = (low + high) / 2
		for i, s := range l.Stations {
			if s.Part > 0 {
				l.Stations[i].Demand = s.Part * l.Stations[l.At].Demand
			}
		}
		if l.solution(l.Rungs[len(l.Rungs)-1]).Utilisation[l.At] < l.Busy {
			low = l.Stations[l.At].Demand
		} else {
			high = l.Stations[l.At].Demand
		}
	}
	if l.Faster > 0 {
		l.Stations[l.At].Demand /= l.Faster
	}
	return l
}

func (l Timed) network() queueing.Network {
	n := queueing.Network{Think: ThinkTime.Seconds()}
	for i, s := range l.Stations {
		n.Stations = append(n.Stations, queueing.Station{Name: fmt.Sprint(i), Demand: s.Demand, Servers: max(1, s.Servers)})
	}
	return n
}

func (l Timed) solution(rung int) queueing.Solution {
	all, err := l.network().Solve(rung * Users)
	if err != nil {
		panic(err) // a network without time
	}
	return all[len(all)-1]
}

func (l Timed) response(rung int) float64 { return l.solution(rung).Response }

// Run makes the run of a seed.
func (l Timed) Run(seed uint64) *result.Run {
	limit := l.Limits()
	fitted := l.fitted()
	run := Set{
		Rungs: l.Rungs, Repetitions: l.Repetitions, Objectives: MeanBelow(limit), Noise: Noise{Response: l.Noise, Growing: l.Growing},
		Variants: []Variant{{Name: "v", Response: fitted.response, Throughput: func(n int) float64 { return fitted.solution(n).Throughput * 60 }}},
	}.Run(seed)
	for _, s := range l.Stations {
		if s.CPU {
			run.Machine.Cores = max(1, s.Servers)
		}
	}
	random := rand.New(rand.NewPCG(seed, 0x71e))
	shown := map[int]shownAt{}
	for _, t := range run.Trials {
		at, known := shown[t.Rung]
		if !known {
			at = fitted.shownAt(t.Rung)
			shown[t.Rung] = at
		}
		fitted.show(t, at, random)
	}
	return run
}

// noiseAt is the noise of a rung.
func (l Timed) noiseAt(rung int) float64 {
	if l.Growing == 0 {
		return l.Noise
	}
	return l.Noise * math.Pow(l.Growing, float64(slices.Index(l.Rungs, rung)))
}

// Spent is what a unit of work truly takes at a rung, and what of it in a state, in s.
func (l Timed) Spent(rung int, state string) (response, in float64) {
	fitted := l.fitted()
	at := fitted.shownAt(rung)
	for i, s := range fitted.Stations {
		if s.Inside == state {
			in += s.Demand
		}
		if s.Waiting == state && s.Inside != "" {
			in += at.queues[i]/at.solution.Throughput - s.Demand
		}
	}
	return at.solution.Response, in
}

// shownAt is what telemetry shows of the stations at a rung, without noise.
type shownAt struct {
	solution queueing.Solution
	queues   []float64
}

func (l Timed) shownAt(rung int) shownAt {
	queues, err := l.network().Queues(rung * Users)
	if err != nil {
		panic(err) // a network without time
	}
	return shownAt{l.solution(rung), queues}
}

// show adds to a trial what was sampled of its stations.
func (l Timed) show(t *result.Trial, at shownAt, random *rand.Rand) {
	t.Variant.Engine.Name = "server"
	of := l.closed(t, at.solution)
	noise := l.noiseAt(t.Rung)
	add := func(kind, name, metric string, v float64) {
		Sampled(t, kind, name, metric, v*math.Exp(noise*random.NormFloat64()))
	}
	add("cpu", "", "core_max", 0.3)
	for _, what := range []string{"cpu", "io", "memory"} {
		add("pressure", what, "some", 0.01)
	}
	states, behind, waits := map[string]float64{}, map[string]float64{}, map[[2]string]float64{}
	for i, s := range l.Stations {
		inside := of * at.solution.Throughput * s.Demand
		behind[s.Behind] += inside
		waiting := max(0, of*at.queues[i]-inside)
		if s.Inside != "" {
			states[s.Inside] += inside
			states[s.Waiting] += waiting
		}
		l.showResource(t, s, at.solution.Utilisation[i], of*at.queues[i], add)
		if s.Wait != "" {
			waits[[2]string{s.Wait, s.Waiting}] += waiting
		}
	}
	for _, s := range l.Stations {
		key := [2]string{s.Wait, s.Waiting}
		for n := range t.Rung {
			if waiting, named := waits[key]; named && !l.Uncounted {
				add("wait", fmt.Sprintf("db-%03d/%s", n, s.Wait), s.Waiting, waiting/float64(t.Rung))
			}
		}
		delete(waits, key) // of all stations with this name
	}
	for _, state := range []string{"running", "quota_wait"} {
		if behind[state] > 0 {
			Sampled(t, describe.NodeKind, "peer1", "cpu", 0.1)
			add("time", "peer1", state, behind[state])
		}
	}
	for n := range t.Rung {
		name := fmt.Sprintf("db-%03d", n)
		Sampled(t, describe.InstanceKind, name, "cpu", states["running"]/float64(t.Rung))
		for _, state := range []string{"running", "cpu_wait", "quota_wait", "device_wait", "lock_wait", "other_wait"} {
			if !l.Uncounted {
				add("time", name, state, states[state]/float64(t.Rung))
			}
		}
	}
}

// closed gives a trial the throughput that goes with its response time, X = N/(R+Z), and returns by
// what factor more units of work were under way than without noise.
func (l Timed) closed(t *result.Trial, s queueing.Solution) float64 {
	o := t.Operations[t.Profile.Whole()]
	x := float64(s.Users) / (o.Mean + ThinkTime.Seconds())
	o.Count = int64(math.Round(x * Measure.Seconds()))
	t.Operations[t.Profile.Whole()] = o
	return x * o.Mean / (s.Throughput * s.Response)
}

// showResource adds the utilisation of the resource that a station is.
func (l Timed) showResource(t *result.Trial, s TimedStation, busy, queue float64, add func(kind, name, metric string, v float64)) {
	switch {
	case s.Device != "":
		t.Devices = append(t.Devices, describe.Device{Name: s.Device, Actuators: max(1, s.Servers)})
		Sampled(t, describe.DeviceKind, s.Device, "utilisation", busy)
		add("device", s.Device, "queue", queue)
		add("device", s.Device, "writes", float64(t.Whole().Count)/Measure.Seconds())
	case s.CPU:
		Sampled(t, describe.CPUKind, "", "utilisation", busy)
	case s.Quota > 0:
		for i := range t.Servers {
			t.Servers[i].CPU, t.Servers[i].Limited = s.Quota, true
		}
	}
}
