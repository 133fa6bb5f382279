package trust

import (
	"strings"

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
func (e *Evidence) spoiled(t *result.Trial) (weight int, why string) {
	if t.Status != result.Passed || trial.Published(t) {
		return 0, ""
	}
	t = e.Whole(t)
	m := trial.MetricsOf(t)
	var found []string
	for _, d := range outside() {
		for _, w := range d(e, t, m) {
			if w.weight() > 0 {
				weight += w.weight()
				found = append(found, w.Text)
			}
		}
	}
	return weight, strings.Join(found, "; ")
}

// LeftOut are the notes on attempts that do not count.
func (e *Evidence) LeftOut() (notes []Warning) {
	for _, t := range e.attempted {
		if why := e.left[t.ID]; why != "" {
			notes = append(notes, Warn("left-out", Note, "%s", why).Of(t.ID))
		}
	}
	if SteadilyBusyAttempts(e.attempted, e.spoiled) {
		notes = append(notes, Warn("steadily-busy", Caution, SteadilyBusyText))
	}
	return notes
}

// Counting gives the trials of a run that count: of several attempts at one
// trial the one that was spoiled the least from outside.
func Counting(run *result.Run) []*result.Trial { return Sift(run).Run.Trials }

// Again names the trial of a run that is to be measured again, because something outside
// spoiled it (a neighbour, CPU given to others, a simulated medium that was late), and says
// what; nil, perhaps with a reason, as trust.attemptAgain says. At most so many trials are.
func Again(run *result.Run, most int) (spoiled *result.Trial, why string) {
	if most <= 0 {
		return nil, ""
	}
	e := Sift(run)
	return attemptAgain(e.attempted, most, e.spoiled)
}
