// This file decides which of several attempts at one trial counts, and which trial is
// to be measured again. Whoever judges trials says what spoiled one.

package trust

import (
	"fmt"
	"math"
	"strconv"

	"plimsoll/internal/result"
)

// SpoilCheck says what from outside spoiled a trial and how much that weighs, as in
// its grade; 0 when nothing did, or the trial failed by itself.
type SpoilCheck func(*result.Trial) (weight int, why string)

// Attempts are the measurements of one trial, the first one first: usually one, and a
// second where something outside spoiled the first.
type Attempts []*result.Trial

// GroupAttempts joins the attempts at each trial.
func GroupAttempts(trials []*result.Trial) []Attempts {
	var groups []Attempts
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

// countingOf keeps of each trial the attempt that counts. left says by identifier why each of
// the others does not.
func countingOf(trials []*result.Trial, spoiled SpoilCheck) (counting []*result.Trial, left map[string]string) {
	left = map[string]string{}
	for _, group := range GroupAttempts(trials) {
		best := group.best(spoiled)
		counting = append(counting, best)
		for _, t := range group {
			if t != best {
				left[t.ID] = whyLeftOut(t, best, spoiled)
			}
		}
	}
	return counting, left
}

// best is the attempt that was spoiled the least; the first of equals, so that
// nothing is gained by trying until a figure pleases. One that failed, with
// something lost perhaps, is not left out for one that passed.
func (a Attempts) best(spoiled SpoilCheck) *result.Trial {
	if len(a) == 1 {
		return a[0]
	}
	best, least := a[0], math.MaxInt
	for _, t := range a {
		if t.Status != result.Passed {
			return t
		}
		if weight, _ := spoiled(t); weight < least {
			best, least = t, weight
		}
	}
	return best
}

func whyLeftOut(t, best *result.Trial, spoiled SpoilCheck) string {
	why := fmt.Sprintf("left out; %s counts in its place", best.ID)
	if _, what := spoiled(t); what != "" {
		why += ": " + what
	}
	return why
}

// SteadilyBusyText says what SteadilyBusy means.
const SteadilyBusyText = "what interferes does not pass: a retry had as much of it as the first attempt, so there are no further retries"

// SteadilyBusyAttempts reports whether the last attempt at some trial was spoiled as much as the first.
func SteadilyBusyAttempts(trials []*result.Trial, spoiled SpoilCheck) bool {
	for _, group := range GroupAttempts(trials) {
		if len(group) == 1 {
			continue
		}
		first, _ := spoiled(group[0])
		last, _ := spoiled(group[len(group)-1])
		if last > 0 && last >= first {
			return true
		}
	}
	return false
}

// attemptAgain names the trial that is to be measured again, because something outside
// spoiled it, and says what. There is none (nil) when no trial was spoiled, when most
// trials were measured again already, or when that did not help; why then says so, where
// there is something to say. Each trial is measured again once.
func attemptAgain(trials []*result.Trial, most int, spoiled SpoilCheck) (again *result.Trial, why string) {
	if SteadilyBusyAttempts(trials, spoiled) {
		return nil, SteadilyBusyText
	}
	groups, used := GroupAttempts(trials), 0
	for _, group := range groups {
		used += len(group) - 1
	}
	for _, group := range groups {
		if len(group) > 1 {
			continue
		}
		if weight, why := spoiled(group[0]); weight > 0 && used < most {
			return group[0], why
		} else if weight > 0 {
			return nil, fmt.Sprintf("%s had outside interference (%s), but the retries are used up (--retries %d)", group[0].ID, why, most)
		}
	}
	return nil, ""
}
