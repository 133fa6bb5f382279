package trust

import (
	"testing"

	"plimsoll/internal/result"
)

// made is an attempt at a repetition; it is spoiled by as much as its identifier says.
func made(id string, repetition, attempt int, status result.Status) *result.Trial {
	return &result.Trial{ID: id, Rung: 1, Repetition: repetition, Attempt: attempt, Status: status}
}

func weigh(by map[string]int) SpoilCheck {
	return func(t *result.Trial) (int, string) {
		if by[t.ID] == 0 {
			return 0, ""
		}
		return by[t.ID], "a neighbour"
	}
}

func TestWhichAttemptCounts(t *testing.T) {
	for _, c := range []struct {
		name    string
		second  result.Status
		spoiled map[string]int
		counts  string
		why     string // the other does not
	}{
		{"the one that was spoiled less", result.Passed, map[string]int{"first": 3, "second": 1}, "second", "left out; second counts in its place: a neighbour"},
		{"the first of equals", result.Passed, map[string]int{"first": 1, "second": 1}, "first", "left out; first counts in its place: a neighbour"},
		{"one that failed", result.Failed, nil, "second", "left out; second counts in its place"},
	} {
		trials := []*result.Trial{made("first", 1, 0, result.Passed), made("second", 1, 2, c.second), made("other", 2, 0, result.Passed)}
		counting, left := countingOf(trials, weigh(c.spoiled))
		if len(counting) != 2 || counting[0].ID != c.counts || counting[1].ID != "other" || len(left) != 1 {
			t.Errorf("%s: %v counts, %v does not", c.name, counting, left)
		}
		for _, why := range left {
			if why != c.why {
				t.Errorf("%s: %q, want %q", c.name, why, c.why)
			}
		}
	}
}

func TestRetriesEndWhereTheyDoNotHelp(t *testing.T) {
	trials := []*result.Trial{made("first", 1, 0, result.Passed), made("second", 1, 2, result.Passed), made("other", 2, 0, result.Passed)}
	helped, busy := weigh(map[string]int{"first": 3, "second": 1, "other": 1}), weigh(map[string]int{"first": 3, "second": 3, "other": 1})
	if again, why := attemptAgain(trials, 9, helped); again != trials[2] || why != "a neighbour" {
		t.Errorf("%v, %q", again, why)
	}
	if again, why := attemptAgain(trials, 1, helped); again != nil || why == "" {
		t.Errorf("%v, %q", again, why)
	}
	if again, why := attemptAgain(trials, 9, busy); again != nil || why != SteadilyBusyText {
		t.Errorf("%v, %q", again, why)
	}
}
