package analysis

import (
	"fmt"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/plan"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// sample is one made-up trial in a table of a test.
type sample struct {
	variant string
	rung    int
	opm     float64
	mean    float64 // s; the histogram holds this value only
	failed  bool
	change  func(*result.Trial)
}

// madeUp is a run with the given trials, objectives in the study's words.
func madeUp(objectives []study.Objective, samples ...sample) *result.Run {
	s := &study.Study{Name: "made-up", Workload: study.Workload{Name: "dvdstore"}, Objectives: objectives,
		Load: study.Load{Users: 8, ThinkTime: study.Duration(300 * time.Millisecond)}}
	run := &result.Run{ID: "made-up", Plan: &plan.Plan{Study: s}, Machine: &result.Machine{Cores: 8, MemoryBytes: 64 << 30}}
	repetition := map[string]int{}
	for i, m := range samples {
		key := fmt.Sprintf("%s/%d", m.variant, m.rung)
		repetition[key]++
		t := m.trial(repetition[key])
		t.Position = i + 1
		run.Trials = append(run.Trials, t)
	}
	return run
}

func (m sample) trial(repetition int) *result.Trial {
	start := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	t := &result.Trial{
		ID: fmt.Sprintf("%s/%d/%d", m.variant, m.rung, repetition), Rung: m.rung, Repetition: repetition,
		Variant: study.Variant{Name: m.variant, Factors: map[string]string{"storage": m.variant}, StorageName: m.variant},
		Status:  result.Passed, Start: start, Begun: start, MeasureStart: start.Add(10 * time.Second), MeasureEnd: start.Add(130 * time.Second),
		Storage: describe.Storage{Class: "directory", Durable: true},
		Audit:   &result.AuditSummary{Passed: true},
	}
	if m.failed {
		t.Status = result.Failed
		t.Failure = &result.Failure{Stage: "drive", Cause: "the server ended"}
	} else {
		t.Operations = map[string]result.OperationSummary{"order": orders(m.opm*2, m.mean)}
	}
	if m.change != nil {
		m.change(t)
	}
	return t
}

// orders is a summary of n orders that all took as long.
func orders(n, mean float64) result.OperationSummary {
	h := result.NewHistogram()
	_ = h.RecordValues(max(int64(mean*1e6), 1), max(int64(n), 1)) // within the histogram's range in every test
	text, _ := result.EncodeHistogram(h)
	return result.OperationSummary{
		Count: int64(n), Mean: mean, P50: mean, P90: mean, P95: mean, P99: mean, P999: mean, Max: mean, Histogram: text,
	}
}

func meanBelow(limit float64) []study.Objective {
	return []study.Objective{{Operation: "order", Metric: "mean", Limit: limit, Text: fmt.Sprintf("mean <= %vs", limit)}}
}
