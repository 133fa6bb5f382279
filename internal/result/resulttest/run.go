// Package resulttest makes synthetic run directories, for tests and benchmarks
// of what reads them. The numbers come from a closed queueing network of a CPU
// and a device, so that response times, utilisations and load lines fit each
// other; the noise depends on nothing but the trial's name.
package resulttest

import (
	"errors"
	"fmt"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/unit"
)

// usersPerInstance and thinkTime are the load of every trial.
const (
	usersPerInstance = 8
	thinkTime        = 300 * time.Millisecond
	warmup           = 10 * time.Second
)

// Run makes a finished run of every variant at every rung. seconds is the
// length of the measured phase; telemetry has an interval of one second. The
// first variant is the fastest, each further one has a device that is three
// times slower. There are no records (operations.jsonl) and no logs.
func Run(dir string, variants []string, rungs []int, repetitions, seconds int) error {
	return RunOf(Shop(), dir, variants, rungs, repetitions, seconds)
}

// RunOf makes the same run of any workload, which has at most four operations.
func RunOf(profile describe.Profile, dir string, variants []string, rungs []int, repetitions, seconds int) error {
	p := newPlan(profile, variants, rungs, repetitions, seconds)
	w, err := result.Create(dir, []byte("study: synthetic\n"), p, machine())
	if err != nil {
		return fmt.Errorf("make a synthetic run: %w", err)
	}
	for _, t := range p.Trials {
		if err := writeTrial(w, newTrial(profile, p, t, seconds)); err != nil {
			return fmt.Errorf("make synthetic trial %s: %w", t.ID, err)
		}
	}
	return nil
}

func writeTrial(w *result.Writer, s *trialMaker) error {
	files, err := w.Trial(s.planned.ID)
	if err != nil {
		return err
	}
	if err := files.Audit(s.audit()); err != nil {
		return err
	}
	series := s.series()
	trial, err := s.trial(series)
	if err != nil {
		return err
	}
	return errors.Join(files.Series(series), files.Finish(result.TileOf(trial)))
}

func newPlan(profile describe.Profile, variants []string, rungs []int, repetitions, seconds int) *plan.Plan {
	s := &study.Study{
		Name: "synthetic", Title: "A synthetic run", Question: "How many instances does each variant carry?",
		Application: study.Application{Workload: study.Workload{Name: profile.Workload}, Engine: study.Engine{Name: "postgres"}, Load: study.Load{Users: usersPerInstance, ThinkTime: unit.Duration(thinkTime)}, Objectives: []study.Objective{
			{Metric: "mean", Limit: 0.2, Text: "mean <= 200ms"},
			{Metric: "errors", Limit: 0.001, Text: "errors <= 0.1%"},
		}},
		Storage:     map[string]study.Storage{},
		Ladder:      study.Ladder{Rungs: rungs},
		Repetitions: repetitions,
		Phases:      study.Phases{Warmup: unit.Duration(warmup), Measure: unit.Duration(time.Duration(seconds) * time.Second), RampRate: 0},
		Telemetry:   study.Telemetry{Interval: unit.Duration(time.Second)},
		Seed:        1,
	}
	p := &plan.Plan{Study: s}
	for _, name := range variants {
		storage := study.Storage{Class: "directory"}
		s.Storage[name] = storage
		p.Variants = append(p.Variants, study.Variant{
			Name: name, Factors: map[string]string{"storage": name}, StorageName: name, Storages: map[string]study.Storage{name: storage},
			Application: study.Application{Engine: s.Engine, Workload: s.Workload, Load: s.Load},
		})
	}
	for repetition := 1; repetition <= repetitions; repetition++ {
		for _, rung := range rungs {
			for _, name := range variants {
				p.Trials = append(p.Trials, plan.Trial{
					Position: len(p.Trials) + 1, ID: fmt.Sprintf("%s/%d/%d", name, rung, repetition),
					Variant: name, Rung: rung, Repetition: repetition, Seed: uint64(len(p.Trials) + 1),
					Duration: warmup + time.Duration(seconds)*time.Second,
				})
			}
		}
	}
	return p
}

func machine() result.Machine {
	return result.Machine{
		OS: "Synthetic Linux", Kernel: "6.1", Arch: "amd64", CPUModel: "Synthetic CPU",
		Cores: int(cores), MemoryBytes: memory, Cgroup: "v2", Root: true,
		Disks:    []result.Disk{{Name: "vda", Bytes: 1 << 40}},
		Programs: map[string]string{"postgres": "15.18"}, ClockSource: "tsc", Plimsoll: "0.0.0",
	}
}
