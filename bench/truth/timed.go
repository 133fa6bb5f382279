package main

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// timed is a made-up closed ladder, solved by exact mean-value analysis, with what truly makes its
// response time grow.
type timed struct {
	what   string
	ladder func(random *rand.Rand) analysistest.Timed
	// is and with are the components that grow; empty for one that nothing shows.
	is, with describe.Component
	// of is the name that units of work wait under; empty where they have none.
	of string
}

// Bounds of causes by time.
const (
	rightTimed = 0.95
	wrongTimed = 0.02
)

// timedNoise and timedRepetitions are those of the columns.
var (
	timedNoise       = []float64{0.01, 0.03, 0.1}
	timedRepetitions = []int{2, 3}
)

// timedCauses counts how often the cause is the component that truly grew, and how often another.
func timedCauses() table {
	return table{"Causes by what the time is spent on", func(c *counter) [][]string {
		header := []string{"what makes response time grow"}
		for _, noise := range timedNoise {
			for _, repetitions := range timedRepetitions {
				header = append(header, fmt.Sprintf("right, wrong with noise of %.0f %%, %d repetitions", 100*noise, repetitions))
			}
		}
		rows := [][]string{header}
		for _, one := range timedLadders() {
			row := []string{one.what}
			for _, noise := range timedNoise {
				for _, repetitions := range timedRepetitions {
					row = append(row, one.counted(c, noise, repetitions))
				}
			}
			rows = append(rows, row)
		}
		return rows
	}}
}

// counted is how often the cause was right, and how often wrong.
func (d timed) counted(c *counter, noise float64, repetitions int) string {
	what := fmt.Sprintf("causes by time: %s, noise %g, %d repetitions", d.what, noise, repetitions)
	var known sync.Map // the cause of each seed
	cause := func(seed uint64) diagnose.Cause {
		found, is := known.Load(seed)
		if !is {
			found = d.cause(seed, noise, repetitions)
			known.Store(seed, found)
		}
		return found.(diagnose.Cause)
	}
	right := c.atLeast(rightTimed, what, func(seed uint64) bool { return d.right(cause(seed)) })
	wrong := c.atMost(wrongTimed, "wrong: "+what, func(seed uint64) bool { return d.wrong(cause(seed)) })
	return percent(right) + ", " + percent(wrong)
}

// right reports whether a cause is the true one, and both where two are. A cause that nothing shows
// must be left open.
func (d timed) right(c diagnose.Cause) bool {
	switch {
	case d.is == "":
		return c.Component == "" && c.Kind == diagnose.Waiting
	case d.with != "":
		return c.Component == d.is && c.WithComponent == d.with || c.Component == d.with && c.WithComponent == d.is
	case c.Component == "":
		return d.isResource(c)
	}
	return c.Component == d.is && c.WithComponent == "" && c.Wait == d.of
}

// wrong reports whether a cause names something that is not true.
func (d timed) wrong(c diagnose.Cause) bool {
	named := func(k describe.Component) bool { return k != "" && k != d.is && k != d.with }
	return named(c.Component) || named(c.WithComponent) || c.Component == "" && c.Kind != diagnose.Waiting && !d.isResource(c)
}

// isResource reports whether a cause is the resource that limits, by its use alone.
func (d timed) isResource(c diagnose.Cause) bool {
	of := map[describe.Component]resource.Kind{describe.DeviceWait: resource.Device, describe.CPUWait: resource.CPU, describe.QuotaWait: resource.Quota}
	return (c.Kind == diagnose.Saturated || c.Kind == diagnose.Queueing) && d.is != "" && c.ResourceKind == of[d.is]
}

// throughFiles is of how many made-up runs one is written to files and read back.
const throughFiles = 10

// cause is what the analysis names.
func (d timed) cause(seed uint64, noise float64, repetitions int) (found diagnose.Cause) {
	l := d.ladder(rand.New(rand.NewPCG(seed, 0x7a1e)))
	l.Noise, l.Repetitions = noise, repetitions
	take := func(run *result.Run) {
		a, err := analysis.Analyse(run, analysis.Options{})
		if err != nil {
			return
		}
		for _, f := range a.Findings {
			if f.Kind == "bottleneck" {
				found = *f.Cause
			}
		}
	}
	run := l.Run(seed)
	if seed%throughFiles > 0 {
		take(run)
		return found
	}
	if err := analysistest.InFiles(run, nil, take); err != nil {
		panic(err) // no space for the files
	}
	return found
}

// timedLadders are the made-up ones. The station that limits is used to 80 to 97 %.
func timedLadders() []timed {
	stations := func(r *rand.Rand) (cpu, disk analysistest.TimedStation) {
		cpu = analysistest.TimedStation{Demand: between(0.001, 0.004, r), Servers: 8, Inside: "running", Waiting: "cpu_wait", CPU: true}
		disk = analysistest.TimedStation{Demand: between(0.001, 0.004, r), Inside: "device_wait", Waiting: "device_wait", Wait: "data read", Device: "vda"}
		return cpu, disk
	}
	of := func(r *rand.Rand, at int, all ...analysistest.TimedStation) analysistest.Timed {
		return analysistest.Timed{Stations: all, At: at, Busy: between(0.8, 0.97, r), Rungs: []int{1, 2, 3, 4}}
	}
	uncounted := func(l analysistest.Timed) analysistest.Timed {
		l.Uncounted = true
		return l
	}
	lock := analysistest.TimedStation{Inside: "other_wait", Waiting: "lock_wait", Wait: "row lock"}
	over := func(ladder func(*rand.Rand) analysistest.Timed, rungs ...int) func(*rand.Rand) analysistest.Timed {
		return func(r *rand.Rand) analysistest.Timed {
			l := ladder(r)
			l.Rungs = rungs
			return l
		}
	}
	disk := func(r *rand.Rand) analysistest.Timed {
		cpu, disk := stations(r)
		return of(r, 1, cpu, disk)
	}
	locked := func(r *rand.Rand) analysistest.Timed {
		cpu, disk := stations(r)
		return of(r, 2, cpu, disk, lock)
	}
	hidden := func(part float64) func(r *rand.Rand) analysistest.Timed {
		return func(r *rand.Rand) analysistest.Timed {
			cpu, disk := stations(r)
			disk.Part = part * between(0.9, 1.1, r)
			return of(r, 2, cpu, disk, analysistest.TimedStation{})
		}
	}
	// pool has servers between the databases and the disk, in which requests queue; at is the
	// station that limits.
	pool := func(at int) func(*rand.Rand) analysistest.Timed {
		return func(r *rand.Rand) analysistest.Timed {
			cpu, disk := stations(r)
			disk.Wait = "WAL flush"
			servers := analysistest.TimedStation{Inside: "device_wait", Waiting: "device_wait", Wait: "WAL flush", Behind: "quota_wait"}
			if at == 1 {
				servers.Behind, servers.Part = "running", between(0.2, 0.4, r)
			} else {
				disk.Part = between(0.2, 0.4, r)
			}
			return of(r, at, cpu, disk, servers)
		}
	}
	return []timed{
		{"a disk", disk, describe.DeviceWait, "", "data read"},
		{"a CPU", func(r *rand.Rand) analysistest.Timed {
			cpu, disk := stations(r)
			cpu.Servers = 2
			return of(r, 0, cpu, disk)
		}, describe.CPUWait, "", ""},
		{"a CPU limit", func(r *rand.Rand) analysistest.Timed {
			cpu, disk := stations(r)
			cpu.Servers, cpu.Waiting, cpu.CPU, cpu.Quota = 1, "quota_wait", false, 0.25
			return of(r, 0, cpu, disk)
		}, describe.QuotaWait, "", ""},
		{"a lock, with idle resources", locked, describe.LockWait, "", "row lock"},
		{"a disk and a lock", func(r *rand.Rand) analysistest.Timed {
			cpu, disk := stations(r)
			also := lock
			also.Part = between(0.9, 1, r)
			return of(r, 1, cpu, disk, also)
		}, describe.DeviceWait, describe.LockWait, ""},
		{"a disk and a CPU", func(r *rand.Rand) analysistest.Timed {
			cpu, disk := stations(r)
			cpu.Servers, cpu.Part = 1, between(0.9, 1, r)
			return of(r, 1, cpu, disk)
		}, describe.DeviceWait, describe.CPUWait, ""},
		{"a lock, beside a disk that is used to two thirds of that", func(r *rand.Rand) analysistest.Timed {
			cpu, disk := stations(r)
			disk.Part = between(0.6, 0.7, r)
			return of(r, 2, cpu, disk, lock)
		}, describe.LockWait, "", "row lock"},
		{"a disk, over two rungs", over(disk, 1, 3), describe.DeviceWait, "", "data read"},
		{"a disk, over two rungs close together", over(disk, 3, 4), describe.DeviceWait, "", "data read"},
		{"a lock, over two rungs", over(locked, 1, 3), describe.LockWait, "", "row lock"},
		{"a CPU limit of the pool's servers", pool(2), describe.QuotaWait, "", ""},
		{"a disk of a pool", pool(1), describe.DeviceWait, "", "WAL flush"},
		{"something that nothing shows, over two rungs", over(hidden(0.3), 1, 3), "", "", ""},
		{"something that nothing shows", hidden(0.3), "", "", ""},
		{"… beside a disk that is used to two thirds of that", hidden(0.65), "", "", ""},
		{"a disk, of which only the queue is known", func(r *rand.Rand) analysistest.Timed { return uncounted(disk(r)) }, describe.DeviceWait, "", ""},
		{"something that nothing shows, and states of threads are not known", func(r *rand.Rand) analysistest.Timed { return uncounted(hidden(0.3)(r)) }, "", "", ""},
		{"… beside a disk that is used to two thirds of that, without states of threads", func(r *rand.Rand) analysistest.Timed { return uncounted(hidden(0.65)(r)) }, "", "", ""},
	}
}
