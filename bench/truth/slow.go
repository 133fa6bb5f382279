package main

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/tail"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// bursty is a made-up run whose work takes longer in bursts, with what truly makes it.
type bursty struct {
	what string
	of   func(random *rand.Rand) analysistest.Bursty
	is   describe.Component // that units of work wait in; empty where nothing may be said
	with describe.Component // that they are served in, which takes as much longer
}

// leastSaid bounds how often something is said of tails where the truth can be seen. Of what is said, 95 %
// are then right, as wrongTimed bounds what is wrong.
const leastSaid = wrongTimed / (1 - rightTimed)

// slowPeriods counts how often the component that makes bursts is named, and how often another.
func slowPeriods() table {
	return table{"What the slowest units of work wait for", func(c *counter) [][]string {
		header := []string{"what makes bursts of high response time"}
		for _, noise := range timedNoise {
			header = append(header, fmt.Sprintf("said, right of said, wrong with noise of %.0f %% a second", 300*noise))
		}
		rows := [][]string{header}
		for _, one := range burstyRuns() {
			row := []string{one.what}
			for _, noise := range timedNoise {
				row = append(row, one.counted(c, 3*noise))
			}
			rows = append(rows, row)
		}
		return rows
	}}
}

// counted is how often something was said, was right, and was wrong.
func (b bursty) counted(c *counter, noise float64) string {
	what := fmt.Sprintf("slow periods: %s, noise %g", b.what, noise)
	var known sync.Map // what is said of each seed
	said := func(seed uint64) *tail.Attribution {
		found, is := known.Load(seed)
		if !is {
			found = b.said(seed, noise)
			known.Store(seed, found)
		}
		return found.(*tail.Attribution)
	}
	wrong := c.atMost(wrongTimed, "wrong: "+what, func(seed uint64) bool { a := said(seed); return a != nil && !b.right(a) })
	if b.is == "" {
		return "–, –, " + percent(wrong)
	}
	spoken := c.atLeast(leastSaid, "said: "+what, func(seed uint64) bool { return said(seed) != nil })
	return percent(spoken) + ", " + percent(1-wrong/spoken) + ", " + percent(wrong)
}

// right reports whether the conclusion is the truth alone.
func (b bursty) right(a *tail.Attribution) bool {
	return b.is != "" && a.Growth[0].Component == b.is && (a.Causes == 1 || a.Growth[1].Component == b.with)
}

// said is what the analysis says of the tail; nil for nothing.
func (b bursty) said(seed uint64, noise float64) (found *tail.Attribution) {
	made := b.of(rand.New(rand.NewPCG(seed, 0x51de)))
	made.Noise = noise
	run, series := made.Run(seed)
	err := analysistest.InFiles(run, series, func(filed *result.Run) {
		if a, err := analysis.Analyse(filed, analysis.Options{}); err == nil {
			found = a.Variants[0].Tail
		}
	})
	if err != nil {
		panic(err) // no space for the files
	}
	return found
}

// burstyRuns are the made-up ones. Their trials have 3 to 12 bursts each, in which a station is 2.5 to
// 4 times as slow.
func burstyRuns() []bursty {
	const cpu, disk, lock, hidden, quota = 0, 1, 2, 3, 4
	of := func(slow int, change func(*analysistest.Bursty)) func(r *rand.Rand) analysistest.Bursty {
		return func(r *rand.Rand) analysistest.Bursty {
			b := analysistest.Bursty{
				Stations: []analysistest.TimedStation{
					{Demand: between(0.003, 0.005, r), Servers: 2, Inside: "running", Waiting: "cpu_wait", CPU: true},
					{Demand: between(0.004, 0.006, r), Inside: "device_wait", Waiting: "device_wait", Device: "vda"},
					{Demand: between(0.004, 0.006, r), Inside: "other_wait", Waiting: "lock_wait"},
					{Demand: between(0.004, 0.006, r)},
				},
				Slow: slow, Other: slow, By: between(2.5, 4, r), Every: between(15, 40, r), Length: between(3, 6, r), Repetitions: 3, Seconds: 120, Metric: "p95",
			}
			if slow == quota {
				b.Slow, b.Other = cpu, cpu
				b.Stations[cpu] = analysistest.TimedStation{Demand: between(0.004, 0.006, r), Inside: "running", Waiting: "quota_wait"}
			}
			if slow == cpu {
				b.By *= 2 // of two
			}
			if change != nil {
				change(&b)
			}
			return b
		}
	}
	return []bursty{
		{"a disk", of(disk, nil), describe.DeviceWait, describe.DeviceWait},
		{"a CPU", of(cpu, nil), describe.CPUWait, describe.Running},
		{"a CPU limit", of(quota, nil), describe.QuotaWait, describe.Running},
		{"a lock", of(lock, nil), describe.LockWait, describe.OtherWait},
		{"a lock, and p99 is limited", of(lock, func(b *analysistest.Bursty) { b.Metric = "p99" }), describe.LockWait, describe.OtherWait},
		{"a lock, with a disk that is slow at other times by a third of that", of(lock, func(b *analysistest.Bursty) { b.Other, b.Stations[disk].Demand = disk, b.Stations[disk].Demand/3 }), describe.LockWait, describe.OtherWait},
		{"something that nothing shows", of(hidden, nil), "", ""},
		{"nothing: there are none", of(disk, func(b *analysistest.Bursty) { b.By = 1 }), "", ""},
		{"a lock, and the mean is limited", of(lock, func(b *analysistest.Bursty) { b.Metric = "mean" }), "", ""},
		{"a disk, once in a trial of one repetition", of(disk, func(b *analysistest.Bursty) { b.Every, b.Repetitions = 150, 1 }), "", ""},
	}
}
