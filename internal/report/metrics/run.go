package metrics

import (
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/result"
)

// RunInfo is what does not change while a run goes on.
type RunInfo struct {
	Run, Study, Version string
	Started             time.Time
}

// Run is a run that goes on. It implements progress.Feed and prometheus.Collector.
type Run struct {
	about RunInfo

	mu       sync.Mutex
	now      progress.Event // the latest that tells of progress
	phase    string
	finished map[string]int // trials, by outcome
	trial    *trial         // the latest; nil before the first
	machines machines
}

// New is a run without any events yet.
func New(about RunInfo) *Run {
	return &Run{about: about, phase: phaseIdle, finished: map[string]int{}, machines: newMachines()}
}

// Phases of a run, in addition to the phases of a trial's load.
const (
	phaseIdle    = "idle"    // between trials
	phasePrepare = "prepare" // instances are made and started
	phaseFinish  = "finish"  // users have gone; audit and teardown
)

var phases = []string{phaseIdle, phasePrepare, string(result.Ramp), string(result.Warmup), string(result.Measure), phaseFinish}

// Take takes an event of the campaign.
func (r *Run) Take(e progress.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e.Kind {
	case progress.Note:
		return
	case progress.TrialBegan:
		r.phase = phasePrepare
	case progress.Live:
		r.phase = e.Phase
	case progress.Stage:
		if r.phase != phasePrepare && r.phase != phaseIdle {
			r.phase = phaseFinish
		}
	case progress.TrialEnded, progress.TrialKept:
		r.end(e)
	}
	r.now = e
}

func (r *Run) end(e progress.Event) {
	outcome := "passed"
	if e.Failed {
		outcome = "failed"
	}
	r.finished[outcome]++
	if e.Kind == progress.TrialEnded {
		r.phase = phaseIdle
		r.machines.pause()
		if r.trial != nil {
			clear(r.trial.drivers)
		}
	}
}

// Begin implements progress.Feed.
func (r *Run) Begin(t result.Tile) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trial = newTrial(t)
}

// Record implements progress.Feed.
func (r *Run) Record(record result.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.trial != nil {
		r.trial.take(record)
	}
}

// Sampled implements progress.Feed.
func (r *Run) Sampled(some []result.Series) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range some {
		r.machines.take(s)
	}
}

// Handler answers scrapes, in OpenMetrics where that is asked for.
func (r *Run) Handler() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(r) // it is alone in it
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
}
