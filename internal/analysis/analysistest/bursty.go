package analysistest

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Bursty describes made-up trials of one rung in which work takes longer in bursts, because a station
// is slower then. Every second of a trial is a closed network in equilibrium, solved by exact mean-value
// analysis, with noise. It must be written to files, because only its series show the bursts.
type Bursty struct {
	Stations []TimedStation // each with its demand, and with Inside and Waiting
	// Slow is the station that is slower in bursts, and By how many times; 1 for no bursts.
	Slow int
	By   float64
	// Other is a station that is slower at other times, as often, by as much; none if it is Slow.
	Other int
	// Every is how many seconds apart bursts are on average, and Length how long one lasts.
	Every, Length float64
	// Noise is the standard deviation of the logarithm of every figure of a second, half of which goes on
	// from second to second.
	Noise       float64
	Repetitions int
	Seconds     int
	Metric      string // that the objective limits: p95 or p99, or mean
}

// within are percentiles of the exponentially distributed response times in a second, over their mean.
var within = map[string]float64{"p50": math.Ln2, "p95": math.Log(20), "p99": math.Log(100)}

// burstyRungs are the rungs of such a run; the smaller one has no series, and keeps the objective.
var burstyRungs = []int{1, 4}

// Run makes the run of a seed, with the series of its trials.
func (b Bursty) Run(seed uint64) (*result.Run, func(*result.Trial) []result.Series) {
	random := rand.New(rand.NewPCG(seed, 0xb0757))
	run := Set{
		Rungs: burstyRungs, Repetitions: b.Repetitions, Variants: []Variant{{Name: "v", Response: func(n int) float64 { return b.solve(n, 1, 1).response }}},
	}.Run(seed)
	series := map[string][]result.Series{}
	limit := 0.0
	for _, t := range run.Trials {
		t.Variant.Engine.Name = "server"
		t.MeasureEnd = t.MeasureStart.Add(time.Duration(b.Seconds) * time.Second)
		at := b.seconds(t, random)
		series[t.ID] = at.summarise(t)
		if t.Rung == burstyRungs[0] {
			limit = max(limit, 1.2*at.figure(b.Metric))
		}
	}
	run.Plan.Study.Objectives = []study.Objective{{Operation: "order", Metric: b.Metric, Limit: limit, Text: b.Metric + " <= " + fmt.Sprint(limit)}}
	return run, func(t *result.Trial) []result.Series { return series[t.ID] }
}

// state is a network in equilibrium.
type state struct {
	response, throughput float64
	counts               map[string]float64 // units of work by component
	queue, busy          float64            // of the device
}

func (b Bursty) solve(rung int, slow, other float64) state {
	l := Timed{Stations: append([]TimedStation(nil), b.Stations...)}
	l.Stations[b.Slow].Demand *= slow
	if b.Other != b.Slow {
		l.Stations[b.Other].Demand *= other
	}
	at := l.shownAt(rung)
	s := state{response: at.solution.Response, throughput: at.solution.Throughput, counts: map[string]float64{}}
	for i, station := range l.Stations {
		inside := at.solution.Throughput * station.Demand
		if station.Inside != "" {
			s.counts[station.Inside] += inside
			s.counts[station.Waiting] += max(0, at.queues[i]-inside)
		}
		if station.Device != "" {
			s.queue, s.busy = at.queues[i], at.solution.Utilisation[i]
		}
	}
	return s
}

// inBursts says of each second how much of it is in a burst.
func (b Bursty) inBursts(random *rand.Rand) []float64 {
	out := make([]float64, b.Seconds)
	for at := b.Every * random.Float64(); at < float64(b.Seconds); at += b.Every * (0.6 + 0.8*random.Float64()) {
		end := at + b.Length*(0.6+0.8*random.Float64())
		for i := range out {
			out[i] += max(0, min(end, float64(i+1))-max(at, float64(i)))
		}
	}
	for i := range out {
		out[i] = min(1, out[i])
	}
	return out
}

// seconds makes the seconds of a trial.
func (b Bursty) seconds(t *result.Trial, random *rand.Rand) bursts {
	slow, other := b.inBursts(random), b.inBursts(random)
	out := bursts{sampled: map[column][]float64{}}
	noise, solved := map[column]float64{}, map[[2]float64]state{}
	draw := func(c column) float64 { // half of the variance goes on
		noise[c] = math.Sqrt(0.5)*noise[c] + math.Sqrt(0.5)*b.Noise*random.NormFloat64()
		return math.Exp(noise[c])
	}
	for i := range b.Seconds {
		of := [2]float64{math.Round(4*slow[i]) / 4, math.Round(4*other[i]) / 4}
		s, known := solved[of]
		if !known {
			s = b.solve(t.Rung, 1+(b.By-1)*of[0], 1+(b.By-1)*of[1])
			solved[of] = s
		}
		out.mean = append(out.mean, s.response*draw(column{kind: "mean"}))
		out.done = append(out.done, math.Round(s.throughput*draw(column{kind: "count"})))
		add := func(c column, v float64) { out.sampled[c] = append(out.sampled[c], v*draw(c)) }
		for n := range t.Rung {
			for _, name := range states {
				add(column{describe.TimeKind, fmt.Sprintf("db-%03d", n), name}, s.counts[name]/float64(t.Rung))
			}
		}
		add(column{"device", "vda", "queue"}, s.queue)
		add(column{"device", "vda", "utilisation"}, min(1, s.busy))
	}
	return out
}

// states are the components that made-up servers are counted under.
var states = []string{"running", "cpu_wait", "quota_wait", "device_wait", "lock_wait", "other_wait"}

// column is a series of telemetry.
type column struct{ kind, name, metric string }

// bursts are the seconds of a trial.
type bursts struct {
	done, mean []float64
	sampled    map[column][]float64
}

// figure is the metric of all units of work, s.
func (b bursts) figure(metric string) float64 {
	if metric == "mean" {
		return b.meanOfAll()
	}
	return b.beyond(math.Exp(-within[metric]))
}

// beyond is what a share of all units of work takes longer than, s: each second's are exponential.
func (b bursts) beyond(left float64) float64 {
	low, high := 0.0, 1e3
	for range 60 {
		if middle := (low + high) / 2; b.above(middle) > left {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// above is the share of all units of work that took longer.
func (b bursts) above(limit float64) float64 {
	sum, longer := 0.0, 0.0
	for i, n := range b.done {
		sum, longer = sum+n, longer+n*math.Exp(-limit/b.mean[i])
	}
	return longer / sum
}

func (b bursts) meanOfAll() float64 {
	sum, spent := 0.0, 0.0
	for i, n := range b.done {
		sum, spent = sum+n, spent+n*b.mean[i]
	}
	return spent / sum
}

// summarise sets what a trial has of its seconds, and gives them as series.
func (b bursts) summarise(t *result.Trial) []result.Series {
	start, times := t.Start.UnixMilli(), make([]int64, len(b.done))
	total := 0.0
	for i, n := range b.done {
		times[i] = t.MeasureStart.Sub(t.Start).Milliseconds() + int64(i+1)*1000
		total += n
	}
	o := t.Operations[t.Profile.Whole()]
	o.Count, o.Mean, o.P50, o.P90, o.P95, o.P99 = int64(total), b.meanOfAll(), b.beyond(0.5), b.beyond(0.1), b.beyond(0.05), b.beyond(0.01)
	o.P999, o.Max = b.beyond(1e-3), b.beyond(1e-5)
	t.Operations[t.Profile.Whole()] = o
	series := func(c column, values []float64) result.Series {
		return result.Series{Kind: c.kind, Name: c.name, Metric: c.metric, Start: start, Times: times, Values: values}
	}
	of := t.Profile.Whole()
	all := []result.Series{
		series(column{"operation", of, "count"}, b.done), series(column{"operation", of, "mean"}, b.mean),
		series(column{"driver", "driver-0", "busy"}, make([]float64, len(times))),
	}
	for _, metric := range []string{"p50", "p95", "p99"} {
		all = append(all, series(column{"operation", of, metric}, scaled(b.mean, within[metric])))
	}
	for _, c := range sorted(b.sampled) {
		all = append(all, series(c, b.sampled[c]))
		Sampled(t, c.kind, c.name, c.metric, mean(b.sampled[c]))
		if c.metric == "running" {
			Sampled(t, describe.InstanceKind, c.name, "cpu", mean(b.sampled[c]))
		}
	}
	t.Devices = []describe.Device{{Name: "vda", Actuators: 1}}
	return all
}

func scaled(values []float64, by float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = by * v
	}
	return out
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func sorted(of map[column][]float64) []column {
	all := slices.Collect(maps.Keys(of))
	slices.SortFunc(all, func(a, b column) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name), cmp.Compare(a.metric, b.metric))
	})
	return all
}
