package trust

import (
	"plimsoll/internal/analysis/attempt"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// outside are the doubts about what came from outside a trial and may be gone
// when it is measured again.
func outside() []doubt {
	return []doubt{onEach(doubtSteal), onEach(doubtHeat), onEach(doubtNeighbour), doubtStorage}
}

// spoiled says what from outside spoiled a trial and how much that weighs, as
// in its grade; 0 when nothing did, or the trial failed by itself.
func (e *Evidence) spoiled(t *result.Trial) (weight int, why []Reason) {
	if t.Status != result.Passed || trial.Published(t) {
		return 0, nil
	}
	t = e.Whole(t)
	m := trial.MetricsOf(t)
	for _, d := range outside() {
		for _, w := range d(e, t, m) {
			if w.Severity != Note {
				weight += w.Severity.weight()
				why = append(why, w.Reason())
			}
		}
	}
	return weight, why
}

// weigh is how much something outside spoiled a trial.
func (e *Evidence) weigh(t *result.Trial) int {
	weight, _ := e.spoiled(t)
	return weight
}

// countAttempts keeps of each trial the attempt that counts, and says why others do not.
func (e *Evidence) countAttempts() {
	counting, instead := attempt.Counting(e.attempted, e.weigh)
	e.Run.Trials, e.left = counting, map[string]Reason{}
	for _, t := range e.attempted {
		best, out := instead[t.ID]
		if !out {
			continue
		}
		e.left[t.ID] = Reason{LeftOut, LeftOutFor, []Arg{Name(best.ID)}}
		if _, why := e.spoiled(t); why != nil {
			e.left[t.ID] = Reason{LeftOut, LeftOutSpoiled, []Arg{Name(best.ID), All(why...)}}
		}
	}
}

// LeftOut are the notes on attempts that do not count.
func (e *Evidence) LeftOut() (notes []Warning) {
	for _, t := range e.attempted {
		if why, out := e.left[t.ID]; out {
			notes = append(notes, Warn(LeftOut, Note, why.Form, why.Args...).Of(t.ID))
		}
	}
	if attempt.SteadilyBusy(e.attempted, e.weigh) {
		notes = append(notes, Warn(SteadilyBusy, Caution, SteadilyBusyNow))
	}
	return notes
}

// Counting gives the trials of a run that count: of several attempts at one
// trial the one that was spoiled the least from outside.
func Counting(run *result.Run) []*result.Trial { return Sift(run).Run.Trials }

// Again names the trial of a run that is to be measured again, because something outside
// spoiled it (a neighbour, CPU given to others, a simulated medium that was late), and says
// what. There is none (nil) when no trial was spoiled, when most trials were measured again
// already, or when that did not help; why then says so, where there is something to say.
func Again(run *result.Run, most int) (spoiled *result.Trial, why []Reason) {
	if most <= 0 {
		return nil, nil
	}
	e := Sift(run)
	if attempt.SteadilyBusy(e.attempted, e.weigh) {
		return nil, []Reason{{SteadilyBusy, SteadilyBusyNow, nil}}
	}
	next, may := attempt.Next(e.attempted, most, e.weigh)
	if next == nil {
		return nil, nil
	}
	if _, why = e.spoiled(next); may {
		return next, why
	}
	return nil, []Reason{{LeftOut, RetriesUsedUp, []Arg{Name(next.ID), All(why...), Count(most)}}}
}
