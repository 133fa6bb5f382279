package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"plimsoll/bench/standin"
	"plimsoll/internal/app"
	"plimsoll/internal/campaign"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/driver"
)

// size is how much there is of everything.
type size struct {
	nodes, instances, users, perDriver, seconds int
	rungs, variants                             int // of the ladder up to the instances, each on all nodes
}

func (s size) drivers() int { return (s.instances + s.perDriver - 1) / s.perDriver }

// ladder are the rungs, evenly spaced.
func (s size) ladder() (rungs []int) {
	for n := range s.rungs {
		rungs = append(rungs, s.instances*(n+1)/s.rungs)
	}
	return rungs
}

func (s size) trials() int { return s.rungs * s.variants }

// driven is how many instances there are in all trials together.
func (s size) driven() (sum int) {
	for _, n := range s.ladder() {
		sum += n * s.variants
	}
	return sum
}

// collected is what a process that collected the records of a trial says of it.
type collected struct {
	Wire    int64         `json:"wire"`    // bytes that drivers sent
	Plan    time.Duration `json:"plan"`    // that the plan took
	Drive   time.Duration `json:"drive"`   // from the start of the drivers to the end of the trial
	Whole   time.Duration `json:"whole"`   // of the campaign
	Events  int64         `json:"events"`  // that a watcher was shown
	Failure string        `json:"failure"` // of the trial
}

func workloads() workload.Registry {
	return workload.NewRegistry(standin.Work{Operations: operations()})
}

func engines() map[string]app.Engine {
	return map[string]app.Engine{standin.Name: standin.Engine{}}
}

// study is one trial of each variant at each rung.
func (s size) study() string {
	var classes, rungs []string
	for n := range s.variants {
		classes = append(classes, fmt.Sprintf("volumes-%d: {class: %s}", n+1, classKind{}.Name()))
	}
	for _, n := range s.ladder() {
		rungs = append(rungs, fmt.Sprint(n))
	}
	return fmt.Sprintf(`study: growth
workload: {name: %s}
engine: {name: %s, cpu: 1, memory: 1GiB}
storage: {%s}
ladder: [%s]
phases: {warmup: 0s, measure: %ds, ramp_rate: 1000000}
load: {users: %d, think_time: 1s, instances_per_driver: %d}
objectives: [mean <= 200ms]
`, standin.Name, standin.Name, strings.Join(classes, ", "), strings.Join(rungs, ", "), s.seconds, s.users, s.perDriver)
}

// collect runs a campaign below dir, and writes its cost to out.
func (s size) collect(ctx context.Context, dir string, out io.Writer) error {
	var wire, events atomic.Int64
	var has collected
	parts := facts.Parts{
		Workloads: workloads(), Kinds: storage.NewRegistry(classKind{}), Engines: engines(), Platform: cluster{size: s, wire: &wire},
	}
	began := time.Now()
	asked, err := study.Parse("growth.yaml", []byte(s.study()), "", facts.Vocabulary(parts))
	if err != nil {
		return err
	}
	planned, err := facts.Plan(ctx, parts, asked, facts.Site{}, facts.FetchNever)
	if err != nil {
		return err
	}
	if len(planned.Problems) > 0 {
		return fmt.Errorf("plan: %+v", planned.Problems)
	}
	has.Plan = time.Since(began)
	id := journal.NewRunID("growth")
	run := filepath.Join(dir, runName)
	if err := os.MkdirAll(run, 0o755); err != nil {
		return err
	}
	began = time.Now()
	err = campaign.Run(ctx, parts, campaign.Options{
		Plan: planned, Dir: run, RunID: id, Scratch: filepath.Join(dir, journal.Name(id)), Cache: filepath.Join(dir, "cache"),
		ErrorLimit: 0.5, StudyText: []byte(s.study()),
		Log:      slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Progress: func(progress.Event) { events.Add(1) },
	})
	if err != nil {
		return err
	}
	has.Whole, has.Wire, has.Events = time.Since(began), wire.Load(), events.Load()
	found, err := result.Open(run)
	if err != nil {
		return err
	}
	for _, t := range found.Trials {
		has.Drive = t.Ended.Sub(t.Ready)
		if t.Failure != nil {
			has.Failure = t.Failure.Cause
		}
	}
	return json.NewEncoder(out).Encode(has)
}

// idle has the drivers send to nobody: what that takes is no cost of the campaign.
func (s size) idle(ctx context.Context) error {
	for range s.variants {
		for _, instances := range s.ladder() {
			if err := s.idleAt(ctx, instances); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s size) idleAt(ctx context.Context, instances int) error {
	for first := 0; first < instances; first += s.perDriver {
		j := driver.Job{Name: fmt.Sprintf("driver-%d", first/s.perDriver), Users: s.users, Start: time.Now()}
		for n := first; n < min(first+s.perDriver, instances); n++ {
			j.Targets = append(j.Targets, workload.Target{Instance: n})
		}
		described, err := task.NewJob(driver.TaskKind, j.Name, j)
		if err != nil {
			return err
		}
		r, w := io.Pipe()
		go func() { _ = w.CloseWithError(write(w, platform.Task{Name: j.Name, Job: described})) }() // gives no error
		handlers := job.Handlers(job.Registries{})
		handlers[driver.TaskKind] = s.drive
		if err := task.Main(ctx, r, io.Discard, handlers); err != nil {
			return err
		}
	}
	return nil
}
