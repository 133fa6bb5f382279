package analysistest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// Loop describes a made-up trial of an open loop, or of a closed loop without think time.
// Its driver records are written, summed and read like real ones.
type Loop struct {
	Instances, Users, Seconds int     // per instance
	Service                   float64 // response time in s, give or take a tenth
	// Rate is how many units of work an instance is asked for each second in an open loop,
	// evenly spaced; Users are then none.
	Rate float64
	// Frozen is when an instance stands still, in s of the measured phase; nil is never.
	Frozen func(instance int) (from, to float64)
	// Often is when all stand still around a moment, in s of the measured phase.
	Often func(at float64) (from, to float64)
	// Slow is from when to when, in s, a unit of work takes so many times as long.
	Slow [3]float64
	// Stuck is how long one order of the first user takes, half way, in s.
	Stuck float64
	// Unrecorded are seconds, from the first to before the last, whose records are lost.
	Unrecorded [2]int
	Objectives []study.Objective
}

// Run writes a run of one such trial to a directory and reads it.
func (l Loop) Run(dir string) (*result.Run, error) {
	s := &study.Study{Name: "loop", Application: study.Application{Objectives: l.Objectives, Load: study.Load{Users: l.Users, Rate: l.Rate}}}
	v := study.Variant{Name: "a", Factors: map[string]string{"storage": "a"}, StorageName: "a", Application: study.Application{Load: s.Load}}
	id := fmt.Sprintf("a/%d/1", l.Instances)
	p := &plan.Plan{Study: s, Variants: []study.Variant{v}, Trials: []plan.Trial{{ID: id, Variant: "a", Rung: l.Instances, Repetition: 1, Position: 1}}}
	w, err := result.Create(dir, []byte("study: loop\n"), p, result.Machine{Cores: 8})
	if err != nil {
		return nil, err
	}
	files, err := w.Trial(id)
	if err != nil {
		return nil, err
	}
	start := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	sum, err := l.collect(start, dir+".jsonl")
	if err != nil {
		return nil, err
	}
	trial := Sample{Variant: "a", Rung: l.Instances}.Trial(1)
	trial.Start, trial.MeasureStart, trial.MeasureEnd = start, start, start.Add(time.Duration(l.Seconds)*time.Second)
	trial.OpenLoop = l.Rate > 0
	trial.Variant, trial.Operations, trial.Instances, trial.Drivers = v, sum.Operations, sum.Instances, sum.Drivers
	if err := errors.Join(files.Series(sum.Series), files.Finish(result.TileOf(trial))); err != nil {
		return nil, err
	}
	return result.Open(dir)
}

// collect writes the driver's records to a file and sums them.
func (l Loop) collect(start time.Time, path string) (*result.Summary, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := json.NewEncoder(f)
	for _, r := range l.records() {
		if r.Kind != result.KindEnd && r.Second >= l.Unrecorded[0] && r.Second < l.Unrecorded[1] {
			continue
		}
		if err := out.Encode(r); err != nil {
			return nil, err
		}
	}
	return result.Collect([]string{path}, start, Orders().Whole())
}

// records simulates the users and returns the records of a driver.
func (l Loop) records() (all []result.Record) {
	took := make([][]float64, l.Seconds)
	units := make([]map[int]int64, l.Seconds)
	random := rand.New(rand.NewPCG(1, 2))
	for instance := range l.Instances {
		for user := range l.Users {
			stuck := l.Stuck > 0 && instance == 0 && user == 0
			for at := 0.0; ; {
				service := l.Service * (0.9 + 0.2*random.Float64())
				if at >= l.Slow[0] && at < l.Slow[1] {
					service *= l.Slow[2]
				}
				if stuck && at > float64(l.Seconds)/2 {
					service, stuck = l.Stuck, false
				}
				end := l.end(instance, at, service)
				second := int(end)
				if second >= l.Seconds {
					break
				}
				if units[second] == nil {
					units[second] = map[int]int64{}
				}
				took[second] = append(took[second], end-at)
				units[second][instance]++
				at = end
			}
		}
	}
	waiting := l.open(func(instance int, at, end float64) {
		second := int(end)
		if units[second] == nil {
			units[second] = map[int]int64{}
		}
		took[second] = append(took[second], end-at)
		units[second][instance]++
	})
	if waiting != nil {
		all = append(all, result.Record{Kind: result.KindWaiting, Waiting: waiting})
	}
	for second := range l.Seconds {
		if n := len(took[second]); n > 0 {
			h := result.NewHistogram()
			for _, s := range took[second] {
				result.RecordTimes(h, s, 1)
			}
			text, _ := result.EncodeHistogram(h) // of values within its range
			all = append(all, result.Record{Kind: result.KindOperation, Second: second, Phase: result.Measure, Operation: Orders().Whole(), Count: int64(n), Histogram: text})
		}
		all = append(all, result.Record{Kind: result.KindDriver, Second: second, Phase: result.Measure, CPUUser: 0.1, Users: l.Instances * l.Users, Units: units[second]})
	}
	return append(all, result.Record{Kind: result.KindEnd, Second: l.Seconds})
}

// open plays an open loop, whose units of work end or are left waiting; nil of a closed
// one.
func (l Loop) open(ended func(instance int, at, end float64)) *result.WaitingRecord {
	if l.Rate <= 0 {
		return nil
	}
	w, ages := &result.WaitingRecord{}, result.NewHistogram()
	random := rand.New(rand.NewPCG(3, 4))
	for instance := range l.Instances {
		for at := 0.5 / l.Rate; at < float64(l.Seconds); at += 1 / l.Rate {
			w.Offered++
			if end := l.end(instance, at, l.Service*(0.9+0.2*random.Float64())); end < float64(l.Seconds) {
				ended(instance, at, end)
				continue
			}
			age := float64(l.Seconds) - at
			w.Count, w.Oldest = w.Count+1, max(w.Oldest, age)
			result.RecordTimes(ages, age, 1)
		}
	}
	w.Histogram, _ = result.EncodeHistogram(ages) // of values within its range
	return w
}

// end is when a unit of work that begins at a moment and takes so long ends.
func (l Loop) end(instance int, at, service float64) float64 {
	from, to := 0.0, 0.0
	switch {
	case l.Frozen != nil:
		from, to = l.Frozen(instance)
	case l.Often != nil:
		from, to = l.Often(at + service)
	}
	if at+service > from && at < to {
		return to + at + service - max(at, from)
	}
	return at + service
}
