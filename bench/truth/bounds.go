package main

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// put is a way in which a throughput is put off from the true one.
type put struct {
	kind, what string
	// run makes a run, and the throughput that it would have measured in steady work of its own. What the
	// trials did in each second is in the series, by trial; none is as their summaries say.
	run func(random *rand.Rand) (run *result.Run, series map[string][]float64, truth float64)
}

// How many bounds hold the true figure, at least, and how many times as large as its deviation they may be,
// of which 5 % make no difference.
const (
	leastHeld    = 0.90
	bluntest     = 2.5
	noDifference = 0.05
)

// bounds counts how often the true throughput is within the bound of the answer, and how large the bound is
// beside the true deviation.
func bounds() table {
	return table{"Bounds that hold the true throughput", func(c *counter) [][]string {
		rows := [][]string{{"what puts it off", "the bound holds it", "median of the bound, of the true deviation or 5 %", "grades"}}
		byKind := map[string][]float64{}
		for _, p := range puts() {
			var known sync.Map
			of := func(seed uint64) outcome {
				if o, is := known.Load(seed); is {
					return o.(outcome)
				}
				o := p.outcome(seed)
				known.Store(seed, o)
				return o
			}
			held := c.atLeast(leastHeld, "the bound holds the true throughput: "+p.what, func(seed uint64) bool { return of(seed).held })
			var blunt []float64
			grades := map[string]int{}
			for seed := range c.sets {
				o := of(uint64(seed))
				blunt = append(blunt, o.blunt)
				grades[o.grade]++
			}
			slices.Sort(blunt)
			median := stats.Median(blunt)
			byKind[p.kind] = append(byKind[p.kind], blunt...)
			rows = append(rows, []string{p.what, percent(held), fmt.Sprintf("%.2f", median), counted(grades, c.sets)})
		}
		for _, kind := range slices.Sorted(maps.Keys(byKind)) {
			slices.Sort(byKind[kind])
			median := stats.Median(byKind[kind])
			if median > bluntest {
				c.broken = append(c.broken, fmt.Sprintf("the bound is %.2g times the deviation, at most %g: %s", median, bluntest, kind))
			}
			rows = append(rows, []string{"all of them: " + kind, "", fmt.Sprintf("%.2f", median), ""})
		}
		return rows
	}}
}

// counted lists grades by how many sets have each.
func counted(grades map[string]int, sets int) (text string) {
	for _, g := range []string{"A", "B", "C", "D", "E", "F", ""} {
		if n := grades[g]; n > 0 {
			text += fmt.Sprintf("%s %.0f %%, ", g, 100*float64(n)/float64(sets))
		}
	}
	return text[:max(0, len(text)-2)]
}

// outcome is what became of a set.
type outcome struct {
	held  bool
	blunt float64
	grade string
}

func (p put) outcome(seed uint64) (o outcome) {
	run, series, truth := p.run(rand.New(rand.NewPCG(seed, 0xb0d)))
	judge := func(run *result.Run) {
		a, err := analysis.Analyse(run, analysis.Options{})
		if o.blunt = math.Inf(1); err != nil || a.Bound == nil {
			return
		}
		b := a.Bound
		o.grade = a.Grade
		o.held = !b.Open && b.Low <= truth && truth <= b.High
		off := truth/b.Figure - 1
		o.blunt = b.Towards(off) / max(noDifference, math.Abs(off))
	}
	if series == nil {
		judge(run)
		return o
	}
	err := analysistest.InFiles(run, func(t *result.Trial) []result.Series {
		all := analysistest.SeriesOf(t)
		all[0].Values = series[t.ID]
		return all
	}, judge)
	if err != nil {
		panic(err) // no space for the files
	}
	return o
}

func puts() (all []put) {
	for _, full := range []bool{true, false} {
		for _, states := range []bool{true, false} {
			for _, share := range []float64{0.1, 0.25, 0.5} {
				all = append(all, others(share, full, states))
			}
		}
	}
	for _, full := range []bool{true, false} {
		for _, states := range []bool{true, false} {
			for _, share := range []float64{0.1, 0.25} {
				all = append(all, guests(share, full, states))
			}
		}
	}
	for _, repetitions := range []int{2, 3, 5} {
		for _, noise := range []float64{0.02, 0.05, 0.1} {
			all = append(all, scattered(repetitions, noise))
		}
	}
	all = append(all, scattered(1, 0.03), scattered(1, 0.1), fewUnits(20), fewUnits(60), fewUnits(150))
	all = append(all, searched(0.05), searched(0.1), searched(0.2))
	return append(all, ofCourses()...)
}

// quiet is the noise of runs that something else puts off, and times how often they are repeated.
const (
	quiet = 0.01
	times = 3
)

// madeUp makes trials of a rung that did so many orders a second, each with the given response time and what
// telemetry shows.
func madeUp(repetitions, rung int, noise, rate, response float64, random *rand.Rand, shows func(*result.Trial)) *result.Run {
	var samples []analysistest.Sample
	for range repetitions {
		x := rate * math.Exp(noise*random.NormFloat64())
		samples = append(samples, analysistest.Sample{Variant: "a", Rung: rung, OPM: 60 * x, Mean: response, Change: func(t *result.Trial) {
			t.Variant.Load = study.Load{Users: analysistest.Users, ThinkTime: unit.Duration(analysistest.ThinkTime)}
			t.Variant.Engine.Name = "server"
			shows(t)
		}})
	}
	run := analysistest.MadeUp(nil, samples...)
	run.Machine.Cores = boundCores
	return run
}

// demand is the CPU time of an order, s, and boundCores what the machine has.
const (
	demand     = 0.1
	boundCores = 8
)

// onMachine is what a closed loop does whose orders queue for the CPU of a machine, beside others.
type onMachine struct {
	rate     float64 // orders a second
	response float64 // s
	waiting  float64 // of orders for a CPU, on average
	waits    float64 // the share of time in which at least one does
}

// machineWith has users beside others that use a share of it, and stretches the time that orders take on a
// CPU. On a full one the others have their share of it, and the orders the rest; else they come as they
// like, and orders wait as in M/M/c.
func machineWith(users, others, stretched float64) onMachine {
	think := analysistest.ThinkTime.Seconds()
	service := demand * stretched
	full := (1 - others) * boundCores / service
	x, wait, waits := 0.0, 0.0, 0.0
	low, high := 0.0, full
	for range 60 { // the rate at which users make as much as they wait for
		x = (low + high) / 2
		wait, waits = queueing(x*service/boundCores+others, service)
		if x*(think+service+wait) < users {
			low = x
		} else {
			high = x
		}
	}
	if users/(think+service) > 1.5*full { // closed, and saturated: all that it has is used
		x, waits = full, 1
		wait = users/x - think - service
	}
	return onMachine{x, service + wait, x * wait, waits}
}

// queueing is Erlang's C formula: how long work of a service time waits for one of boundCores that are busy
// for a share of the time, and in how much of the time some does.
func queueing(busy, service float64) (wait, waits float64) {
	if busy >= 1 {
		return math.Inf(1), 1
	}
	load, sum, term := busy*boundCores, 0.0, 1.0
	for k := range int(boundCores) {
		sum += term
		term *= load / float64(k+1)
	}
	last := term / (1 - busy)
	waits = last / (sum + last)
	return waits * service / (boundCores * (1 - busy)), waits * busy
}

// rungOf is how many instances, of eight users each, fill the machine, and use about a quarter of it.
func rungOf(full bool) int {
	if full {
		return 8
	}
	return 1
}

func ofCPU(what string, share float64, full, states bool) string {
	machine, threads := "a full machine", "states of threads"
	if !full {
		machine = "a machine, the run a quarter"
	}
	if !states {
		threads = "without states of threads"
	}
	return fmt.Sprintf("%s %.0f %% of the CPU of %s, %s", what, 100*share, machine, threads)
}

// others are processes that use a share of the CPU.
func others(share float64, full, states bool) put {
	return put{"others' CPU", ofCPU("others use", share, full, states), func(random *rand.Rand) (*result.Run, map[string][]float64, float64) {
		rung := rungOf(full)
		users := float64(rung * analysistest.Users)
		share := share * between(0.9, 1.1, random)
		with, without := machineWith(users, share, 1), machineWith(users, 0, 1)
		run := madeUp(times, rung, quiet, with.rate, with.response, random, func(t *result.Trial) {
			own := with.rate * demand / boundCores
			analysistest.Sampled(t, "instance", "db-000", "cpu", own*boundCores)
			analysistest.Sampled(t, "cpu", "", "user", own+share)
			analysistest.Sampled(t, "cpu", "", "utilisation", own+share)
			showsThreads(t, states, with, own*boundCores)
		})
		return run, nil, 60 * without.rate
	}}
}

// guests are those that the hypervisor gives a share of the CPU: what runs stands still meanwhile.
func guests(share float64, full, states bool) put {
	return put{"steal", ofCPU("other guests get", share, full, states), func(random *rand.Rand) (*result.Run, map[string][]float64, float64) {
		rung := rungOf(full)
		users := float64(rung * analysistest.Users)
		share := share * between(0.9, 1.1, random)
		stretched := 1 / (1 - share) // that share of the time that something runs
		with, without := machineWith(users, 0, stretched), machineWith(users, 0, 1)
		run := madeUp(times, rung, quiet, with.rate, with.response, random, func(t *result.Trial) {
			own := with.rate * demand / boundCores
			stood := own * (stretched - 1)
			analysistest.Sampled(t, "instance", "db-000", "cpu", own*boundCores)
			analysistest.Sampled(t, "cpu", "", "user", own)
			analysistest.Sampled(t, "cpu", "", "steal", stood)
			analysistest.Sampled(t, "cpu", "", "utilisation", own+stood)
			showsThreads(t, states, with, (own+stood)*boundCores)
		})
		return run, nil, 60 * without.rate
	}}
}

// showsThreads gives a trial what the kernel counts of waiting for the CPU.
func showsThreads(t *result.Trial, states bool, m onMachine, running float64) {
	if !states {
		return
	}
	analysistest.Sampled(t, "pressure", "cpu", "some", m.waits)
	analysistest.Sampled(t, "time", "db-000", "running", running)
	analysistest.Sampled(t, "time", "db-000", "cpu_wait", m.waiting)
}

// idle is a machine that does little.
func idle(t *result.Trial) {
	analysistest.Sampled(t, "instance", "db-000", "cpu", 0.2*boundCores)
	analysistest.Sampled(t, "cpu", "", "user", 0.2)
	analysistest.Sampled(t, "cpu", "", "utilisation", 0.2)
}

// steadyRate is what steady trials do in a second, by users who wait for the rest of their time.
const steadyRate = 50.0

func scattered(repetitions int, noise float64) put {
	what := fmt.Sprintf("%d repetitions that scatter by %.0f %%", repetitions, 100*noise)
	if repetitions == 1 {
		what = fmt.Sprintf("a single repetition, where repetitions scatter by %.0f %%", 100*noise)
	}
	return put{"repetitions", what, func(random *rand.Rand) (*result.Run, map[string][]float64, float64) {
		return madeUp(repetitions, 8, noise, steadyRate, 64/steadyRate-0.3, random, idle), nil, 60 * steadyRate
	}}
}

// fewUnits are phases in which users without think time, whose orders take exponential times, end so many.
// Rates scatter as well, by about as much as trust.NotRepeated expects.
func fewUnits(n float64) put {
	const scatter = 0.13
	what := fmt.Sprintf("a single repetition of about %.0f units of work, of exponential times", n)
	return put{"few units", what, func(random *rand.Rand) (*result.Run, map[string][]float64, float64) {
		seconds := analysistest.Measure.Seconds()
		run := madeUp(1, 1, 0, n/seconds, analysistest.Users*seconds/n, random, func(t *result.Trial) {
			t.Variant.Load.ThinkTime = 0
			idle(t)
		})
		for _, t := range run.Trials {
			took := exponential(analysistest.Users*seconds/n*math.Exp(scatter*random.NormFloat64()), seconds, random)
			o := analysistest.Alike(float64(len(took)), stats.Mean(took))
			o.Histogram = ""
			if o.Count = int64(len(took)); len(took) > 0 {
				o.Mean, o.P50, o.P95, o.Max = stats.Mean(took), stats.Quantile(took, 0.5), stats.Quantile(took, 0.95), took[len(took)-1]
			}
			t.Operations["order"] = o
		}
		return run, nil, 60 * n / seconds
	}}
}

// exponential draws the response times, ascending, of users who work without a pause for the length of a phase.
func exponential(mean, seconds float64, random *rand.Rand) (took []float64) {
	for range analysistest.Users {
		for at := -mean * random.ExpFloat64(); ; {
			one := mean * random.ExpFloat64()
			if at += one; at >= seconds {
				break
			}
			if at > 0 {
				took = append(took, one)
			}
		}
	}
	return slices.Sorted(slices.Values(took))
}

// searched are searches for the most instances that keep a limit of the mean response time, which grows as the cube of
// their number: by doubling, then by halving, with a trial of each rung and another one on each side of the line.
func searched(noise float64) put {
	const limit, idling = 0.1, 0.02
	what := fmt.Sprintf("a search with two trials on each side of the line, of response times that scatter by %.0f %%", 100*noise)
	return put{"a load line", what, func(random *rand.Rand) (*result.Run, map[string][]float64, float64) {
		room := between(6, 40, random)
		var samples []analysistest.Sample
		keeps := func(n int) bool {
			mean := idling + (limit-idling)*math.Pow(float64(n)/room, 3)
			measured := mean * math.Exp(noise*random.NormFloat64())
			rate := float64(n) * analysistest.Users / (mean + analysistest.ThinkTime.Seconds())
			samples = append(samples, analysistest.Sample{Variant: "a", Rung: n, OPM: 60 * rate, Mean: measured, Change: idle})
			return measured <= limit
		}
		low, high := 0, 1
		for keeps(high) && high < 64 {
			low, high = high, 2*high
		}
		for high-low > 2 {
			if at := (low + high) / 2; keeps(at) {
				low = at
			} else {
				high = at
			}
		}
		for _, n := range []int{low, high} {
			if n > 0 {
				keeps(n)
			}
		}
		run := analysistest.MadeUp(analysistest.MeanBelow(limit), samples...)
		run.Machine.Cores = boundCores
		return run, nil, math.Floor(room)
	}}
}

// ofCourses are trials whose work was not steady, as their series show.
func ofCourses() []put {
	seconds := int(analysistest.Measure.Seconds())
	return []put{
		changing("a warm-up from 60 % of the rate, over 15 to 30 % of the phase", func(random *rand.Rand) (func(int) float64, float64) {
			long := between(0.15, 0.3, random) * float64(seconds)
			return func(i int) float64 { return 1 - 0.4*math.Exp(-3*float64(i)/long) }, 1
		}),
		changing("a rate that falls by 20 % for good half way", func(random *rand.Rand) (func(int) float64, float64) {
			at := int(between(0.4, 0.6, random) * float64(seconds))
			truth := []float64{1, 0.8}[random.IntN(2)] // either may be the work of a steady phase
			return func(i int) float64 {
				if i < at {
					return 1
				}
				return 0.8
			}, truth
		}),
		changing("a stall of 5 to 10 % of the phase", func(random *rand.Rand) (func(int) float64, float64) {
			from, long := between(0.1, 0.7, random)*float64(seconds), between(0.05, 0.1, random)*float64(seconds)
			return func(i int) float64 {
				if f := float64(i); f >= from && f < from+long {
					return 0
				}
				return 1
			}, 1
		}),
		changing("a dip to half of the rate, in 10 to 20 % of the phase", func(random *rand.Rand) (func(int) float64, float64) {
			from, long := between(0.1, 0.7, random)*float64(seconds), between(0.1, 0.2, random)*float64(seconds)
			return func(i int) float64 {
				if f := float64(i); f >= from && f < from+long {
					return 0.5
				}
				return 1
			}, 1
		}),
	}
}

// changing is of trials that do a share of their true rate in each second.
func changing(what string, draw func(*rand.Rand) (level func(int) float64, truth float64)) put {
	return put{"a course that is not steady", what, func(random *rand.Rand) (*result.Run, map[string][]float64, float64) {
		level, truth := draw(random)
		run := madeUp(times, 8, 0, steadyRate, 64/steadyRate-0.3, random, idle)
		series := map[string][]float64{}
		for _, t := range run.Trials {
			of := steadyRate * math.Exp(quiet*random.NormFloat64())
			values := analysistest.Rates{Seconds: int(analysistest.Measure.Seconds()), Noise: 0.05, Level: func(i int) float64 { return of * level(i) }}.Series(random.Uint64())
			total, still, longest := 0.0, 0.0, 0.0
			for i := range values {
				values[i] = math.Round(values[i])
				total += values[i]
				if still++; values[i] > 0 {
					still = 0
				}
				longest = max(longest, still)
			}
			o := analysistest.Alike(total, 64*analysistest.Measure.Seconds()/total-analysistest.ThinkTime.Seconds())
			o.Max, o.Histogram = max(o.Max, longest), ""
			t.Operations["order"], series[t.ID] = o, values
		}
		return run, series, 60 * steadyRate * truth
	}}
}
