// Package attempt decides which of several attempts at one trial counts, and which trial is to be
// measured again. Whoever judges trials says how much something outside spoiled one.
package attempt

import (
	"math"
	"strconv"

	"plimsoll/internal/result"
)

// Weigh is how much something from outside spoiled a trial, as in its grade; 0 when nothing did,
// or the trial failed by itself.
type Weigh func(*result.Trial) int

// attempts are the measurements of one trial, the first one first: usually one, and a
// second where something outside spoiled the first.
type attempts []*result.Trial

// group joins the attempts at each trial.
func group(trials []*result.Trial) []attempts {
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

// Counting keeps of each trial the attempt that counts. instead has, by the identifier of each
// of the others, the one that counts in its place.
func Counting(trials []*result.Trial, spoiled Weigh) (counting []*result.Trial, instead map[string]*result.Trial) {
	instead = map[string]*result.Trial{}
	for _, attempts := range group(trials) {
		best := attempts.best(spoiled)
		counting = append(counting, best)
		for _, t := range attempts {
			if t != best {
				instead[t.ID] = best
			}
		}
	}
	return counting, instead
}

// best is the attempt that was spoiled the least; the first of equals, so that
// nothing is gained by trying until a figure pleases. One that failed, with
// something lost perhaps, is not left out for one that passed.
func (a attempts) best(spoiled Weigh) *result.Trial {
	if len(a) == 1 {
		return a[0]
	}
	best, least := a[0], math.MaxInt
	for _, t := range a {
		if t.Status != result.Passed {
			return t
		}
		if weight := spoiled(t); weight < least {
			best, least = t, weight
		}
	}
	return best
}

// SteadilyBusy reports whether the last attempt at some trial was spoiled as much as the first.
func SteadilyBusy(trials []*result.Trial, spoiled Weigh) bool {
	for _, attempts := range group(trials) {
		if len(attempts) == 1 {
			continue
		}
		if last := spoiled(attempts[len(attempts)-1]); last > 0 && last >= spoiled(attempts[0]) {
			return true
		}
	}
	return false
}

// Next is the first spoiled trial that was measured once, nil for none; may reports whether it is
// to be measured again, as fewer than most were. Each trial is measured again once.
func Next(trials []*result.Trial, most int, spoiled Weigh) (next *result.Trial, may bool) {
	groups, used := group(trials), 0
	for _, attempts := range groups {
		used += len(attempts) - 1
	}
	for _, attempts := range groups {
		if len(attempts) == 1 && spoiled(attempts[0]) > 0 {
			return attempts[0], used < most
		}
	}
	return nil, false
}
