package trust

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// attempts are the measurements of one trial, the first one first: usually one, and a
// second where something outside spoiled the first.
type attempts []*result.Trial

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

// groupAttempts joins the attempts at each trial.
func groupAttempts(trials []*result.Trial) []attempts {
	var groups []attempts
	at := map[string]int{}
	for _, t := range trials {
		key := t.Variant.Name + "/" + strconv.Itoa(t.Rung) + "/" + strconv.Itoa(t.Repetition)
		i, known := at[key]
		if !known || t.Attempt == 0 {
			i = len(groups)
			at[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], t)
	}
	return groups
}

// leaveOut keeps of each trial the attempt that counts and notes why the others
// do not.
func (e *Evidence) leaveOut() {
	e.attempted = e.Run.Trials
	var counting []*result.Trial
	for _, group := range groupAttempts(e.Run.Trials) {
		best := e.best(group)
		counting = append(counting, best)
		for _, t := range group {
			if t != best {
				e.left[t.ID] = e.whyLeftOut(t, best)
			}
		}
	}
	e.Run.Trials = counting
}

// best is the attempt that was spoiled the least; the first of equals, so that
// nothing is gained by trying until a figure pleases. One that failed, with
// something lost perhaps, is not left out for one that passed.
func (e *Evidence) best(group attempts) *result.Trial {
	if len(group) == 1 {
		return group[0]
	}
	best, least := group[0], math.MaxInt
	for _, t := range group {
		if t.Status != result.Passed {
			return t
		}
		if weight, _ := e.spoiled(t); weight < least {
			best, least = t, weight
		}
	}
	return best
}

func (e *Evidence) whyLeftOut(t, best *result.Trial) string {
	why := fmt.Sprintf("left out; %s counts in its place", best.ID)
	if _, spoiled := e.spoiled(t); spoiled != "" {
		why += ": " + spoiled
	}
	return why
}

// LeftOut are the notes on attempts that do not count.
func (e *Evidence) LeftOut() (notes []Warning) {
	for _, t := range e.attempted {
		if why := e.left[t.ID]; why != "" {
			notes = append(notes, Warn("left-out", Note, "%s", why).Of(t.ID))
		}
	}
	if e.steadilyBusy() != nil {
		notes = append(notes, Warn("steadily-busy", Caution, steadilyBusyText))
	}
	return notes
}

const steadilyBusyText = "what interferes does not pass: a retry had as much of it as the first attempt, so there are no further retries"

// steadilyBusy gives the attempts at a trial of which the last was spoiled as
// much as the first; nil when there are none.
func (e *Evidence) steadilyBusy() attempts {
	for _, group := range groupAttempts(e.attempted) {
		if len(group) == 1 {
			continue
		}
		first, _ := e.spoiled(group[0])
		last, _ := e.spoiled(group[len(group)-1])
		if last > 0 && last >= first {
			return group
		}
	}
	return nil
}

// Counting gives the trials of a run that count: of several attempts at one
// trial the one that was spoiled the least from outside.
func Counting(run *result.Run) []*result.Trial { return Sift(run).Run.Trials }

// Again names the trial that is to be measured again, because something outside
// spoiled it (a neighbour, CPU given to others, a simulated medium that was
// late), and says what. There is none (nil) when no trial was spoiled, when most
// trials of the run were measured again already, or when that did not help; why
// then says so, where there is something to say. Each trial is measured again
// once.
func Again(run *result.Run, most int) (spoiled *result.Trial, why string) {
	if most <= 0 {
		return nil, ""
	}
	e := Sift(run)
	if e.steadilyBusy() != nil {
		return nil, steadilyBusyText
	}
	groups, used := groupAttempts(e.attempted), 0
	for _, group := range groups {
		used += len(group) - 1
	}
	for _, group := range groups {
		if len(group) > 1 {
			continue
		}
		if weight, why := e.spoiled(group[0]); weight > 0 && used < most {
			return group[0], why
		} else if weight > 0 {
			return nil, fmt.Sprintf("%s had outside interference (%s), but the retries are used up (--retries %d)", group[0].ID, why, most)
		}
	}
	return nil, ""
}
