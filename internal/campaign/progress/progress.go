// Package progress shows how a campaign goes: what it does, the numbers of the running trial, and
// how much of its time is left.
package progress

import (
	"sync"
	"time"

	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
)

// EventKind says what an Event is about.
type EventKind string

// Kinds of events.
const (
	TrialBegan EventKind = "trial"    // Trial, Variant, Rung, Position, Of, Left
	Stage      EventKind = "stage"    // Text: the current stage
	Live       EventKind = "live"     // numbers of the running trial
	TrialEnded EventKind = "finished" // Text: the outcome in a sentence; its numbers
	TrialKept  EventKind = "kept"     // a resumed run holds it already; as TrialEnded
	Note       EventKind = "note"     // Text: something worth knowing
)

// Event shows a watcher how the campaign goes.
type Event struct {
	Kind     EventKind `json:"event"`
	At       time.Time `json:"at"`
	Trial    string    `json:"trial,omitempty"`
	Variant  string    `json:"variant,omitempty"`  // of the trial
	Rung     int       `json:"rung,omitempty"`     // of the trial
	Alone    string    `json:"alone,omitempty"`    // the member that the trial is of without the others
	Position int       `json:"position,omitempty"` // of the trial, from 1
	Of       int       `json:"of,omitempty"`
	// Instances is how many instances the trial has, once they are being made; Ready is how many
	// of them users can reach.
	Instances int     `json:"instances,omitempty"`
	Ready     int     `json:"ready,omitempty"`
	Text      string  `json:"text,omitempty"`
	Failed    bool    `json:"failed,omitempty"`
	Share     float64 `json:"share,omitempty"` // of the stage, 0..1, where it is known
	// Count is how many of the CountOf instances a stage has done, where it does one after the
	// other; StageLeft is the time that the rest is estimated to take, ns.
	Count     int           `json:"count,omitempty"`
	CountOf   int           `json:"count_of,omitempty"`
	StageLeft time.Duration `json:"stage_left,omitempty"`
	Done      float64       `json:"done,omitempty"` // of the campaign's time, 0..1
	Left      time.Duration `json:"left,omitempty"` // estimated time left of the campaign, ns

	// Numbers of a finished trial; of the last seconds when Live.
	Phase      string  `json:"phase,omitempty"`
	Throughput float64 `json:"throughput,omitempty"`
	Unit       string  `json:"unit,omitempty"` // of the throughput: OPM
	P95        float64 `json:"p95,omitempty"`  // s
	P99        float64 `json:"p99,omitempty"`
	Mean       float64 `json:"mean,omitempty"`
}

// Watch shows a campaign to who watches it.
type Watch struct {
	tell func(Event) // nil where nobody watches
	feed Feed        // nil where nobody reads
	pace pace
}

// New is the watch of a campaign by a plan. Both tell and feed may be nil.
func New(p *plan.Plan, tell func(Event), feed Feed) *Watch {
	return &Watch{tell: tell, feed: feed, pace: newPace(p)}
}

// Say shows the watcher an event, with how far the campaign is.
func (w *Watch) Say(e Event) {
	if w.tell == nil {
		return
	}
	e.At = time.Now()
	if e.Trial == "" {
		e.Trial = w.pace.current
	}
	e.Position, e.Of = w.pace.position, w.pace.total
	e.Left, e.Done = w.pace.left(), w.pace.done()
	w.tell(e)
}

// Watched reports whether anybody watches.
func (w *Watch) Watched() bool { return w.tell != nil }

// Stage shows the watcher the work that begins.
func (w *Watch) Stage(text string) { w.Say(Event{Kind: Stage, Text: text}) }

// Share returns a function that shows the watcher how far a stage is, a few times a second at
// most. Several goroutines may call the function at once.
func (w *Watch) Share(stage string) func(share float64) {
	var mu sync.Mutex
	var last time.Time
	return func(share float64) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(last) < 200*time.Millisecond {
			return
		}
		last = time.Now()
		w.Say(Event{Kind: Stage, Text: stage, Share: share})
	}
}

// Begin says that a trial begins.
func (w *Watch) Begin(t plan.Trial, begun result.Tile) {
	w.pace.begin(t)
	w.Feed().Begin(begun)
	w.Say(Event{Kind: TrialBegan, Trial: t.ID, Variant: t.Variant, Rung: t.Rung, Alone: t.Alone})
}

// Ended says how the trial that began last ended.
func (w *Watch) Ended(e Event) {
	w.Say(e)
	w.pace.finish()
}

// Skip counts a planned trial that a resumed run holds already.
func (w *Watch) Skip(t plan.Trial) { w.pace.skip(t) }

// Add counts a trial that was not planned.
func (w *Watch) Add(t plan.Trial) { w.pace.add(t) }

// pace estimates the time left: the planned time, corrected by how the finished trials compared
// with their estimates.
type pace struct {
	total, position int
	current         string
	ahead           time.Duration // planned time of the trials not yet begun
	planned, spent  time.Duration // of the trials that are done
	kept            time.Duration // planned time of the trials that a resumed run had
	estimate        time.Duration // of the running trial
	since           time.Time
}

func newPace(p *plan.Plan) pace {
	var all time.Duration
	for _, t := range p.Trials {
		all += t.Duration
	}
	return pace{total: len(p.Trials), ahead: all}
}

func (p *pace) skip(t plan.Trial) {
	p.position++
	p.ahead -= t.Duration
	p.kept += t.Duration
}

func (p *pace) add(t plan.Trial) { p.total++; p.ahead += t.Duration }

func (p *pace) begin(t plan.Trial) {
	p.position++
	p.current, p.estimate, p.since = t.ID, t.Duration, time.Now()
	p.ahead -= t.Duration
}

func (p *pace) finish() {
	p.planned += p.estimate
	p.spent += time.Since(p.since)
	p.current, p.estimate = "", 0
}

func (p *pace) left() time.Duration {
	ratio := 1.0
	if p.planned > 0 {
		ratio = float64(p.spent) / float64(p.planned)
	}
	left := time.Duration(ratio * float64(p.ahead+p.estimate))
	if p.estimate > 0 {
		running := time.Since(p.since)
		left -= min(running, time.Duration(ratio*float64(p.estimate)))
	}
	return max(0, left)
}

// done is the share of the campaign's time that has gone by.
func (p *pace) done() float64 {
	gone := p.kept + p.spent
	if p.estimate > 0 {
		gone += time.Since(p.since)
	}
	all := gone + p.left()
	if all <= 0 {
		return 0
	}
	return float64(gone) / float64(all)
}
