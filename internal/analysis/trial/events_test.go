package trial_test

import (
	"slices"
	"testing"
	"time"

	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

var began = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

func at(second int) time.Time { return began.Add(time.Duration(second) * time.Second) }

// Events are in order of time, and the trial stays as it is.
func TestEventsAreInOrder(t *testing.T) {
	given := []result.Event{{At: at(20), Text: "b"}, {At: at(5), Text: "a", Fault: "a", Until: at(11)}}
	got := trial.Events(&result.Trial{Events: given})
	if len(got) != 2 || got[0] != given[1] || got[1] != given[0] {
		t.Errorf("events %+v", got)
	}
	if given[0].Fault != "" || given[1].Fault != "a" {
		t.Error("the trial itself was changed")
	}
}

// A rung has the faults of its measured phase: the power cut that ends the load
// touches no figure.
func TestFaultsOfARung(t *testing.T) {
	events := []result.Event{
		{At: at(2), Text: "fault: b", Fault: "b"}, {At: at(12), Text: "fault: a", Fault: "a"},
		{At: at(13), Text: "fault: b", Fault: "b"}, {At: at(61), Text: "fault: cut power", Fault: "cut power"},
	}
	one := &result.Trial{MeasureStart: at(10), MeasureEnd: at(60), Events: events}
	if got := trial.Faults([]*result.Trial{one, one, {}}); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("faults %q", got)
	}
}
