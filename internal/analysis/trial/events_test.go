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

// marked is what a reader is told of a fault; seconds since the start, -1 for no end.
type marked struct {
	fault   string
	at, end int
	repairs bool
}

func marks(events []result.Event) (all []marked) {
	for _, e := range events {
		if e.Fault == "" {
			continue
		}
		m := marked{e.Fault, int(e.At.Sub(began).Seconds()), -1, e.Repairs}
		if !e.Until.IsZero() {
			m.end = int(e.Until.Sub(began).Seconds())
		}
		all = append(all, m)
	}
	return all
}

// What a run says of its faults stands, whatever the words are.
func TestFaultsThatAreNamed(t *testing.T) {
	given := []result.Event{
		{At: at(20), Text: `healed: full redundancy 9 s after "mend"`},
		{At: at(5), Text: "fault: a", Fault: "a", Until: at(11)},
	}
	got := trial.Events(&result.Trial{Events: given})
	if want := []marked{{"a", 5, 11, false}}; !slices.Equal(marks(got), want) || got[0].Fault != "a" {
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
