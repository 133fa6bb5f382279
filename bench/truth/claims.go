package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// hardlyEver bounds wrong statements about one thing among many, where the worst of them is
// looked for.
const hardlyEver = 0.01

// byInstance counts rungs that are said to break surely for an instance, by in how many of
// three trials one is far slower.
func byInstance() table {
	return table{"Rungs surely broken by an instance, of three trials", func(c *counter) [][]string {
		rows := [][]string{{"instances, units of work of each", "alike, at the limit", "slow in one trial", "slow in two", "slow in each"}}
		for _, crowd := range crowdsOfMany() {
			row := []string{fmt.Sprintf("%d, %d", crowd.Instances, crowd.Orders)}
			for slow := range 4 {
				sure := func(seed uint64) bool {
					times := 1.0
					if slow > 0 {
						times = 5
					}
					w := rung.JudgeInstances(study.Objective{Metric: "p95", Limit: times * crowd.Truth()["p95"]}, slowIn(crowd, slow, seed))
					return w != nil && w.Sure()
				}
				what := fmt.Sprintf("%+v, slow in %d of 3, surely breaks", crowd, slow)
				if slow == 3 {
					row = append(row, percent(c.atLeast(leastFound, what, sure)))
				} else {
					row = append(row, percent(c.atMost(hardlyEver, what, sure)))
				}
			}
			rows = append(rows, row)
		}
		return rows
	}}
}

func crowdsOfMany() (all []analysistest.Crowd) {
	for _, of := range [][2]int{{2, 300}, {2, 1000}, {8, 300}, {8, 1000}, {32, 300}} {
		all = append(all, analysistest.Crowd{Instances: of[0], Orders: of[1], Carried: 0.6, Scattered: true})
	}
	return all
}

// slowIn returns three trials. In the first slow of them the last instance is seventy times
// slower.
func slowIn(crowd analysistest.Crowd, slow int, seed uint64) (all []*result.Trial) {
	for n := range 3 {
		one := crowd
		if n < slow {
			one.Slower = 70
		}
		all = append(all, one.Trial(3*seed+uint64(n)))
	}
	return all
}

// worst counts instances that are said to stand apart where all are alike and miss the limit,
// and those found that are slower.
func worst() table {
	return table{"The worst of many instances, all of which miss the limit", func(c *counter) [][]string {
		rows := [][]string{{"instances, units of work of each", "mean: alike, apart", "p95", "p99", "mean: 5 times slower, found", "p95", "p99"}}
		for _, crowd := range crowdsOfMany() {
			row := []string{fmt.Sprintf("%d, %d", crowd.Instances, crowd.Orders)}
			for _, slower := range []float64{0, 5} {
				for _, metric := range []string{"mean", "p95", "p99"} {
					made := crowd
					made.Slower = slower
					row = append(row, apart(c, made, metric))
				}
			}
			rows = append(rows, row)
		}
		return rows
	}}
}

func apart(c *counter, crowd analysistest.Crowd, metric string) string {
	o := study.Objective{Metric: metric, Limit: crowd.Truth()[metric] / 2}
	what := fmt.Sprintf("the %s of one of %+v stands apart", metric, crowd)
	stands := func(seed uint64) bool {
		w := rung.JudgeInstances(o, []*result.Trial{crowd.Trial(3 * seed), crowd.Trial(3*seed + 1), crowd.Trial(3*seed + 2)})
		return w != nil && w.Apart && (crowd.Slower == 0 || w.Instance == crowd.Instances-1)
	}
	if crowd.Slower == 0 {
		return percent(c.atMost(hardlyEver, what, stands))
	}
	if metric != "mean" { // whose percentiles few units of work do not tell
		return percent(c.share(stands))
	}
	return percent(c.atLeast(leastFound, what, stands))
}

// flat counts tiles that are said to add nothing to a score.
func flat() table {
	return table{"Tiles that add nothing to the score", func(c *counter) [][]string {
		rows := [][]string{{"each doubling of the tiles", "noise 2 %", "10 %"}}
		for _, doubling := range []float64{1.1, 0.8} {
			row := []string{fmt.Sprintf("%+.0f %%", 100*(doubling-1))}
			for _, noise := range []float64{0.02, 0.1} {
				says := func(seed uint64) bool { t := scored(doubling, noise, seed); return t != nil && t.Flat > 0 }
				what := fmt.Sprintf("tiles add nothing where a doubling does %v times, noise %v", doubling, noise)
				switch {
				case doubling > 1:
					row = append(row, percent(c.atMost(hardlyEver, what, says)))
				case noise <= 0.02:
					row = append(row, percent(c.atLeast(leastFound, what, says)))
				default:
					row = append(row, percent(c.share(says)))
				}
			}
			rows = append(rows, row)
		}
		return rows
	}}
}

// scored are up to eight tiles of two members that keep their objectives, whose score is so many
// times as high with each doubling.
func scored(doubling, noise float64, seed uint64) *model.Tile {
	member := func(name string) analysistest.Tenant {
		return analysistest.Tenant{Member: study.Member{Name: name, Weight: 1, Application: study.Application{Objectives: analysistest.MeanBelow(10)}}, OPM: 5000, Mean: 0.01, Alone: 0.01, Falls: 1 - math.Log2(doubling)}
	}
	run := analysistest.Tenants(tileRungs(), 3, analysistest.Noise{Throughput: noise, Response: noise}, seed, member("a"), member("b"))
	run.Plan.Study.ObjectivesOf = study.OfWhole
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil || len(a.Tiles) != 1 {
		return nil
	}
	return &a.Tiles[0]
}

// tails counts effects whose headline says that p99 rises or falls.
func tails() table {
	return table{"p99 in a headline", func(c *counter) [][]string {
		rows := [][]string{{"what is true", "noise 5 %", "30 %", "60 %"}}
		says := headline("p99 (rises|falls)")
		for _, times := range []float64{1, 5} {
			row := []string{map[float64]string{1: "the level changes nothing", 5: "5 times the p99"}[times]}
			for _, noise := range []float64{0.05, 0.3, 0.6} {
				made := levels("engine.cpu", 1, 1)
				made.Variants[1].Response = made.Variants[1].Response.Times(times, 0)
				made.Repetitions, made.Noise = 3, analysistest.Noise{Throughput: 0.05, Response: noise}
				told := func(seed uint64) bool {
					a := analysed(made.Run(seed), study.Answer{Kind: study.Effect, Factor: "engine.cpu"}, seed)
					return a != nil && says(a)
				}
				what := fmt.Sprintf("p99 in a headline, %v times, noise %v", times, noise)
				switch {
				case times == 1:
					row = append(row, percent(c.atMost(mostWrong, what, told)))
				case noise <= 0.05:
					row = append(row, percent(c.atLeast(leastFound, what, told)))
				default:
					row = append(row, percent(c.share(told)))
				}
			}
			rows = append(rows, row)
		}
		return rows
	}}
}

// cause is what truly limits a made-up ladder, and what its machines show of it.
type cause struct {
	what   string
	kind   diagnose.Kind
	of     resource.Kind // that is named; empty where none is
	shows  func(t *result.Trial, random *rand.Rand)
	almost func(t *result.Trial, random *rand.Rand) // the near miss, for which nothing may be found
}

// causes counts how often causes other than an exhausted whole resource are found, and how often
// one is named where there is none.
func causes() table {
	return table{"Causes beside whole resources, where response time grows", func(c *counter) [][]string {
		rows := [][]string{{"cause", "found", "said of what comes near it"}}
		for _, one := range madeCauses() {
			says := func(shows func(*result.Trial, *rand.Rand)) func(uint64) bool {
				return func(seed uint64) bool {
					found := causeOfMade(shows, seed)
					return found != nil && found.Kind == one.kind && (one.of == "" || found.ResourceKind == one.of)
				}
			}
			rows = append(rows, []string{one.what,
				percent(c.atLeast(leastFound, "found: "+one.what, says(one.shows))),
				percent(c.atMost(hardlyEver, "said of a near miss: "+one.what, says(one.almost)))})
		}
		return rows
	}}
}

// causeOfMade returns the cause that the analysis names for a ladder with a largest rung that
// breaks. Its machine has 16 cores and a disk, which are idle except for the load that shows
// adds.
func causeOfMade(shows func(*result.Trial, *rand.Rand), seed uint64) *diagnose.Cause {
	made := analysistest.Set{
		Rungs: []int{1, 2, 4, 8}, Repetitions: 3, Objectives: analysistest.MeanBelow(0.2), Noise: analysistest.Noise{Throughput: 0.02, Response: 0.02},
		Variants: []analysistest.Variant{{Name: "v", Response: analysistest.Step(0.05, 0.6, 4)}},
	}
	run := made.Run(seed)
	run.Machine.Cores = madeCores
	random := rand.New(rand.NewPCG(seed, 0x701d))
	for _, t := range run.Trials {
		t.Variant.Engine.Name, t.Devices = "server", []describe.Device{{Name: "vda", Actuators: 1}}
		analysistest.Sampled(t, "device", "vda", "utilisation", 0.2*random.Float64())
		if t.Rung == 8 {
			shows(t, random)
		} else {
			usedCPU(t, 0.05, 0)
		}
	}
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil {
		return nil
	}
	for _, f := range a.Findings {
		if f.Kind == "bottleneck" {
			return f.Cause
		}
	}
	return nil
}

const madeCores = 16

// usedCPU records a machine's CPU use. The servers use all of it except the share that the
// hypervisor took.
func usedCPU(t *result.Trial, busy, stolen float64) {
	analysistest.Sampled(t, "cpu", "", "utilisation", busy)
	analysistest.Sampled(t, "cpu", "", "steal", stolen)
	analysistest.Sampled(t, "instance", "db-000", "cpu", (busy-stolen)*madeCores)
}

// coresUsed records a machine on which all cores are equally busy, except for chance, over a
// phase of 120 samples. Of each sample only the busiest core is recorded.
func coresUsed(t *result.Trial, mean, deviation float64, random *rand.Rand) {
	sum, most := 0.0, 0.0
	for range 120 {
		busiest := 0.0
		for range madeCores {
			one := min(1, max(0, mean+deviation*random.NormFloat64()))
			sum, busiest = sum+one, max(busiest, one)
		}
		most += busiest
	}
	usedCPU(t, sum/120/madeCores, 0)
	analysistest.Sampled(t, "cpu", "", "core_max", most/120)
}

// between is a number in a range, all alike likely.
func between(low, high float64, random *rand.Rand) float64 { return low + (high-low)*random.Float64() }

func madeCauses() []cause {
	return []cause{
		{"one thread fills a core", diagnose.Saturated, resource.Core, func(t *result.Trial, r *rand.Rand) {
			usedCPU(t, between(0.07, 0.4, r), 0)
			analysistest.Sampled(t, "cpu", "", "core_max", between(0.97, 1, r))
		}, func(t *result.Trial, r *rand.Rand) { coresUsed(t, between(0.1, 0.85, r), between(0.02, 0.2, r), r) }},
		{"the hypervisor takes the CPU", diagnose.Stolen, resource.CPU, func(t *result.Trial, r *rand.Rand) {
			usedCPU(t, between(0.96, 1, r), between(0.15, 0.5, r))
		}, func(t *result.Trial, r *rand.Rand) { usedCPU(t, between(0.96, 1, r), between(0, 0.05, r)) }},
		{"an interface of unknown speed", diagnose.Unknown, "", func(t *result.Trial, r *rand.Rand) {
			usedCPU(t, 0.2, 0)
			analysistest.Sampled(t, "network", "eth0", "send_bytes", between(100e6, 125e6, r))
		}, func(t *result.Trial, r *rand.Rand) {
			usedCPU(t, 0.2, 0)
			analysistest.Sampled(t, "network", "eth0", "send_bytes", between(0, 8e6, r))
			analysistest.Sampled(t, "network", "lo", "send_bytes", between(100e6, 3e9, r))
		}},
		{"want of memory", diagnose.Saturated, resource.MemoryWait, func(t *result.Trial, r *rand.Rand) {
			usedCPU(t, 0.2, 0)
			analysistest.Sampled(t, "pressure", "memory", "some", between(0.35, 0.9, r))
			analysistest.Sampled(t, "pressure", "memory", "full", between(0.15, 0.3, r))
		}, func(t *result.Trial, r *rand.Rand) {
			usedCPU(t, 0.2, 0)
			analysistest.Sampled(t, "pressure", "memory", "some", between(0, 0.15, r))
			analysistest.Sampled(t, "pressure", "memory", "full", between(0, 0.05, r))
		}},
		{"swap in full memory, of which no waiting was measured", diagnose.Unknown, "", func(t *result.Trial, r *rand.Rand) {
			usedCPU(t, 0.2, 0)
			analysistest.Sampled(t, "machine", "", "memory_utilisation", between(0.96, 1, r))
			analysistest.Sampled(t, "machine", "", "swap_used", between(1e8, 8e9, r))
		}, func(t *result.Trial, r *rand.Rand) {
			usedCPU(t, 0.2, 0)
			analysistest.Sampled(t, "machine", "", "memory_utilisation", between(0.2, 0.9, r))
			analysistest.Sampled(t, "machine", "", "swap_used", between(1e8, 8e9, r))
		}},
		{"a machine without samples", diagnose.Unknown, "", func(t *result.Trial, _ *rand.Rand) {
			usedCPU(t, 0.2, 0)
			t.Machines = []result.Host{{Name: result.LocalMachine, Cores: madeCores}, {Name: "store-2", Roles: []string{result.StorageRole}}}
		}, func(t *result.Trial, r *rand.Rand) {
			usedCPU(t, 0.2, 0)
			t.Machines = []result.Host{{Name: result.LocalMachine, Cores: madeCores}, {Name: "store-2", Roles: []string{result.StorageRole}}}
			analysistest.SampledOn(t, "store-2", "cpu", "", "utilisation", between(0, 0.6, r))
		}},
	}
}
