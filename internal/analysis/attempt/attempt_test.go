package attempt

import (
	"testing"

	"plimsoll/internal/result"
)

// made is an attempt at a repetition; it is spoiled by as much as its identifier says.
func made(id string, repetition, attempt int, status result.Status) *result.Trial {
	return &result.Trial{ID: id, Rung: 1, Repetition: repetition, Attempt: attempt, Status: status}
}

func weigh(by map[string]int) Weigh {
	return func(t *result.Trial) int { return by[t.ID] }
}

func TestWhichAttemptCounts(t *testing.T) {
	for _, c := range []struct {
		name    string
		second  result.Status
		spoiled map[string]int
		counts  string
	}{
		{"the one that was spoiled less", result.Passed, map[string]int{"first": 3, "second": 1}, "second"},
		{"the first of equals", result.Passed, map[string]int{"first": 1, "second": 1}, "first"},
		{"one that failed", result.Failed, nil, "second"},
	} {
		trials := []*result.Trial{made("first", 1, 0, result.Passed), made("second", 1, 2, c.second), made("other", 2, 0, result.Passed)}
		counting, instead := Counting(trials, weigh(c.spoiled))
		if len(counting) != 2 || counting[0].ID != c.counts || counting[1].ID != "other" || len(instead) != 1 {
			t.Errorf("%s: %v counts, %v does not", c.name, counting, instead)
		}
		for id, best := range instead {
			if id == c.counts || best.ID != c.counts {
				t.Errorf("%s: %s counts instead of %s", c.name, best.ID, id)
			}
		}
	}
}

func TestRetriesEndWhereTheyDoNotHelp(t *testing.T) {
	trials := []*result.Trial{made("first", 1, 0, result.Passed), made("second", 1, 2, result.Passed), made("other", 2, 0, result.Passed)}
	helped, busy := weigh(map[string]int{"first": 3, "second": 1, "other": 1}), weigh(map[string]int{"first": 3, "second": 3, "other": 1})
	if next, may := Next(trials, 9, helped); next != trials[2] || !may {
		t.Errorf("%v, %v", next, may)
	}
	if next, may := Next(trials, 1, helped); next != trials[2] || may {
		t.Errorf("%v, %v", next, may)
	}
	if SteadilyBusy(trials, helped) || !SteadilyBusy(trials, busy) {
		t.Error("a machine is steadily busy where a retry was spoiled as much")
	}
}
