// Package trust decides what of a run may be believed: it leaves out trials whose
// figures cannot be true and attempts that another replaces, and gives every
// other trial its warnings and a grade. It looks at single trials and their
// repetitions; what follows from the figures is for package analysis.
package trust

import (
	"cmp"
	"errors"
	"reflect"
	"sync"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/neighbour"
	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Severity is how much a warning may matter.
type Severity string

// Severities of warnings.
const (
	Note    Severity = "note"    // good to know
	Caution Severity = "caution" // the figure may be off
	Serious Severity = "serious" // the figure misleads
)

// Graver orders severities, the gravest first.
func (s Severity) Graver(other Severity) int { return other.weight() - s.weight() }

// weight is what a warning of the severity counts in a grade.
func (s Severity) weight() int {
	switch s {
	case Serious:
		return 3
	case Caution:
		return 1
	}
	return 0
}

// Warning is a reason to distrust a trial. Kind, Form and Args say what it is; the words are
// made from them in package say, at the end of the analysis.
type Warning struct {
	Trial    string   `json:"trial,omitempty"`                                           // it is about, empty for the run
	Kind     Kind     `json:"kind"`                                                      // driver-saturated, warm-up, cache, ...
	Severity Severity `json:"severity" jsonschema:"enum=note,enum=caution,enum=serious"` // how much it may matter
	Text     string   `json:"text"`                                                      // the reason in words
	// Figures are the numbers in Text, and Names its other names, such as a machine, a
	// device or the unit of work, both in order of appearance.
	Figures []Figure `json:"figures,omitempty"`
	Names   []string `json:"names,omitempty"`
	// Form is which of the sentences of its kind Text is: warnings of several trials that have
	// kind, severity, form and names in common say the same but for their figures.
	Form Form `json:"form"`
	// Args are the values in Text, in the order of its sentence.
	Args []Arg `json:"args,omitempty"`
	// Bound is how far the figures of the trial may be off for it; missing where it changes none.
	Bound *bound.Bound `json:"bound,omitempty"`
	// Rate is the same for throughput, where that is off by less: users who think lose less of it to waiting.
	Rate *bound.Bound `json:"rate,omitempty"`
	// Unsteady is what Text says of the course of the work; nil where it is about something
	// else.
	Unsteady *steadiness.Unsteadiness `json:"-"`
}

// Warn makes a warning.
func Warn(kind Kind, severity Severity, form Form, args ...Arg) Warning {
	return Warning{Kind: kind, Severity: severity, Form: form, Args: args}
}

// Of is the warning of a trial.
func (w Warning) Of(trial string) Warning {
	w.Trial = trial
	return w
}

// By is the warning of something that may have changed figures by so much.
func (w Warning) By(b bound.Bound) Warning {
	if w.Bound = nil; !b.Zero() {
		w.Bound = &b
	}
	return w
}

// ByWaiting is By of something that units of work waited for.
func (w Warning) ByWaiting(t *result.Trial, b bound.Bound) Warning {
	return w.ByBoth(neighbour.Bounds{Response: b, Rate: b.OfWaiting(trial.Waiting(t))})
}

// ByBoth is By where the throughput is off by less.
func (w Warning) ByBoth(b neighbour.Bounds) Warning {
	if w = w.By(b.Response); w.Bound != nil && b.Rate != b.Response {
		w.Rate = &b.Rate
	}
	return w
}

// OfRate is how far the throughput may be off; nil where it is not.
func (w Warning) OfRate() *bound.Bound { return cmp.Or(w.Rate, w.Bound) }

// warn makes a list of one warning.
func warn(kind Kind, severity Severity, form Form, args ...Arg) []Warning {
	return []Warning{Warn(kind, severity, form, args...)}
}

// Reason is what the warning says, without what it is about and how grave it is.
func (w Warning) Reason() Reason { return Reason{w.Kind, w.Form, w.Args} }

// Same reports whether two warnings say the same of the same trial.
func (w Warning) Same(other Warning) bool {
	return w.Trial == other.Trial && w.Severity == other.Severity && reflect.DeepEqual(w.Reason(), other.Reason())
}

// Evidence is what a run has to show.
type Evidence struct {
	Run   *result.Run  // with the trials that count
	Study *study.Study // with the objectives that can be true; never nil
	Cores float64      // of the campaign's machine, 0 when not known
	// Damage is what was left out because it cannot be true.
	Damage []Warning
	// attempted are all trials, those included that another attempt replaces;
	// left says by identifier why one was left out.
	attempted []*result.Trial
	left      map[string]Reason
	// stalled are the stalls that hid something, by trial.
	stalled map[string]steadiness.Stalls
	// judged remembers doubtsOf by trial, of those that WholeOf read.
	judged sync.Map
	// Trends holds the trends over repetitions that change one after the other, by trial.
	Trends map[string]steadiness.Trend
	// Machines attributes the CPU time of the run's machines.
	Machines neighbour.Machines
}

// ErrNothing says that a run holds nothing to analyse.
var ErrNothing = errors.New("analyse the run: it holds neither a plan nor a finished trial, so there is nothing to report; was it interrupted before its first trial ended?")

// Sift takes from a run what can be true of it and what counts.
func Sift(run *result.Run) *Evidence {
	copied := *run
	e := &Evidence{Run: &copied, Machines: neighbour.Machines{Run: &copied}, Study: &study.Study{}, stalled: map[string]steadiness.Stalls{}}
	if run.Plan != nil && run.Plan.Study != nil {
		study := *run.Plan.Study
		e.Study = &study
	}
	if run.Machine != nil {
		e.Cores = float64(max(run.Machine.Cores, 0))
	}
	var damaged []Warning
	e.Run.Trials, e.Damage = Sound(run.Trials)
	e.Study.Objectives, damaged = soundObjectives(e.Study.Objectives)
	e.Damage = append(e.Damage, damaged...)
	e.attempted = e.Run.Trials
	e.countAttempts()
	e.correct()
	e.Trends = steadiness.TrendsOf(trial.Repetitions(e.Run.Trials))
	return e
}

// Attempted lists all trials, those included that another attempt replaces.
func (e *Evidence) Attempted() []*result.Trial { return e.attempted }

// WhyLeftOut says why a trial does not count, if it does not.
func (e *Evidence) WhyLeftOut(trial string) (why Reason, out bool) {
	why, out = e.left[trial]
	return why, out
}

// Any reports whether some trial that counts is so.
func (e *Evidence) Any(is func(*result.Trial) bool) bool {
	for _, t := range e.Run.Trials {
		if is(t) {
			return true
		}
	}
	return false
}
