package trial

import (
	"context"
	"fmt"
	"sync"
	"time"

	"plimsoll/internal/campaign/climit"
	"plimsoll/internal/campaign/instance"
	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// Env is what trials are run with.
type Env struct {
	*instance.Env
	Classes *instance.Classes
	Golden  *instance.Golden
	Results *result.Writer
	Dir     string // of the run's results
	// ErrorLimit is the share of failed work past which a trial fails.
	ErrorLimit float64
	Steps      climit.Steps
	Cores      float64 // of the platform; 0 is not known
}

// trial is one trial while it runs.
type trial struct {
	*Env
	plan     plan.Trial
	variant  study.Variant
	storages []instance.Storage // the variant's own first
	members  []*member
	result   *result.Tile
	files    *result.TrialWriter

	instances []*instance.Instance
	drivers   []*instanceDriver
	release   func(context.Context) error // of places for drivers
	live      *live
	unsummed  []result.Series // that are written and not yet in the result
	stage     string
	full      []string      // what had no space left when it was over, before it was taken down
	ended     chan<- ending // of servers that ended by themselves, while users are at work
	excluded  exclusions
	suspects  []*instance.Instance // whose audit failed
	noting    sync.Mutex           // guards the events of the result

	// What faults did. Written by the goroutine that carries them out, and
	// after it has ended.
	disturbed bool // faults were injected into the platform
	recovery  recovery
	faulted   bool // faults were injected into the storage
	repair    repair
	healthy   bool  // since the last repair
	powerCuts int   // of all that the instances live on
	degraded  []int // marks of faults that the storage has not recovered from
	lastCut   []int // mark of the power cut that ended the load, if one did
}

// note adds a note to the result; an empty one is none.
func (t *trial) note(text string) {
	if text != "" {
		t.result.Notes = append(t.result.Notes, text)
	}
}

func (t *trial) say(e progress.Event) {
	if !t.Watch.Watched() {
		return
	}
	e.Trial = t.plan.ID
	e.Instances, e.Ready = len(t.instances), t.readyInstances()
	t.Watch.Say(e)
}

// mainStorage is the storage that the variant is about. Faults of storage concern it.
func (t *trial) mainStorage() instance.Storage { return t.storages[0] }

// prefix begins the names of the trial's servers; it is left out, as logs lie
// in the trial's own directory.
func (t *trial) prefix() string { return fmt.Sprintf("t%d-", t.plan.Position) }

// tolerance returns how many failed instances the study tolerates.
func (t *trial) tolerance() study.Percentage { return t.Plan.Study.Tolerate }

func (t *trial) event(text string) { t.happened(result.Event{At: time.Now(), Text: text}) }

// happened adds an event and gives its place among them.
func (t *trial) happened(e result.Event) int {
	t.noting.Lock()
	defer t.noting.Unlock()
	t.result.Events = append(t.result.Events, e)
	return len(t.result.Events) - 1
}

// phaseAt names the phase of a second after the common start.
func (t *trial) phaseAt(second int) string {
	at := float64(second)
	switch {
	case at < t.result.RampSeconds:
		return string(result.Ramp)
	case at < t.result.RampSeconds+t.result.WarmupSeconds:
		return string(result.Warmup)
	}
	return string(result.Measure)
}

// begin shows the watcher what the trial does from now on.
func (t *trial) begin(what string) { t.say(progress.Event{Kind: progress.Stage, Text: what}) }
