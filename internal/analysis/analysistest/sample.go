package analysistest

import (
	"fmt"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/unit"
)

// Sample is one made-up trial in a table of a test: two minutes of orders that all
// took as long.
type Sample struct {
	Variant string
	Rung    int
	OPM     float64
	Mean    float64 // s; the histogram holds this value only
	Failed  bool
	Change  func(*result.Trial)
}

// MadeUp is a run with the given trials, objectives in the study's words.
func MadeUp(objectives []study.Objective, samples ...Sample) *result.Run {
	s := &study.Study{Name: "made-up", Application: study.Application{Workload: study.Workload{Name: "made-up"}, Objectives: objectives, Load: study.Load{Users: 8, ThinkTime: unit.Duration(300 * time.Millisecond)}}}
	run := &result.Run{ID: "made-up", Plan: &plan.Plan{Study: s}, Machine: &result.Machine{Cores: 8, MemoryBytes: 64 << 30}}
	repetition := map[string]int{}
	for i, m := range samples {
		key := fmt.Sprintf("%s/%d", m.Variant, m.Rung)
		repetition[key]++
		t := m.Trial(repetition[key])
		t.Position = i + 1
		run.Trials = append(run.Trials, t)
	}
	return run
}

// Trial makes the trial of a repetition.
func (m Sample) Trial(repetition int) *result.Trial {
	start := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	t := &result.Trial{
		ID: fmt.Sprintf("%s/%d/%d", m.Variant, m.Rung, repetition), Rung: m.Rung, Repetition: repetition,
		Variant: study.Variant{Name: m.Variant, Factors: map[string]string{"storage": m.Variant}, StorageName: m.Variant, Application: study.Application{Engine: study.Engine{Name: "made-up"}}},
		Status:  result.Passed, Start: start, Begun: start, MeasureStart: start.Add(10 * time.Second), MeasureEnd: start.Add(130 * time.Second),
		Part: result.Part{Profile: Orders(), Servers: Database(), Audit: &result.AuditSummary{Passed: true}},
	}
	t.Storages = result.OnlyStorage(t.Variant, describe.Storage{Class: "directory", Durable: true})
	if m.Failed {
		t.Status = result.Failed
		t.Failure = &result.Failure{Stage: result.StageDrive, Cause: "the server ended"}
	} else {
		t.Operations = map[string]result.OperationSummary{"order": Alike(m.OPM*2, m.Mean)}
	}
	if m.Change != nil {
		m.Change(t)
	}
	return t
}

// Alike is a summary of n units of work that all took as long.
func Alike(n, mean float64) result.OperationSummary {
	h := result.NewHistogram()
	result.RecordTimes(h, mean, max(int64(n), 1))
	text, _ := result.EncodeHistogram(h)
	return result.OperationSummary{
		Count: int64(n), Mean: mean, P50: mean, P90: mean, P95: mean, P99: mean, P999: mean, Max: mean, Histogram: text,
	}
}
