package result

import (
	"slices"
	"testing"
	"time"
)

var began = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

func at(second int) time.Time { return began.Add(time.Duration(second) * time.Second) }

// marked is a fault as a reader sees it; seconds since the start, -1 for no end.
type marked struct {
	fault   string
	at, end int
	repairs bool
}

func marks(events []Event) (all []marked) {
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

// Runs that had only words for a fault are read as those that name it.
func TestFaultsOfOlderRuns(t *testing.T) {
	says := func(second int, text string) Event { return Event{At: at(second), Text: text} }
	for name, c := range map[string]struct {
		events []Event
		want   []marked
	}{
		"storage": {[]Event{
			says(30, "fault: restart brick 1"), says(38, `healed: full redundancy 8 s after "restart brick 1"`),
			says(10, "fault: stop brick 1"), // lists need not be in order
			says(50, "fault: cut link 3"), says(61, `after the load: restore link 3`), says(63, `healed: full redundancy 2 s after "restore link 3"`),
		}, []marked{{"stop brick 1", 10, 38, false}, {"restart brick 1", 30, -1, true}, {"cut link 3", 50, 63, false}}},
		"processes": {[]Event{
			says(5, "fault: kill peer 2 (its processes crash; unlike a power cut, the kernel still writes its caches to the disks)"),
			says(6, "driver-0: connection lost"),
		}, []marked{{"kill peer 2", 5, -1, false}}},
		"instances": {[]Event{
			says(1, "fault: kill instance 0"), says(3, "instance 0 answers again 2.0 s after it was killed"),
			says(4, "fault: kill instance 1 db"), says(5, "fault: kill instance 0"),
			says(7, "role db of instance 1 answers again 3.0 s after it was killed"), says(9, "instance 0 answers again 4.0 s after it was killed"),
		}, []marked{{"kill instance 0", 1, 3, false}, {"kill instance 1 db", 4, 7, false}, {"kill instance 0", 5, 9, false}}},
		"platform": {[]Event{
			says(1, "fault: drain node a"), says(4, `instance 0 answers again 3.0 s after "drain node a"`), says(6, `instance 1 answers again 5.0 s after "drain node a"`),
		}, []marked{{"drain node a", 1, 6, false}}},
		"power, and the end": {[]Event{
			says(2, "fault: cut power"), says(2, "power cut"), says(5, "all instances answer again 2.5 s after the power returned"),
			says(61, "power cut"), says(66, "all instances answer again 4.0 s after the power returned"),
		}, []marked{{"cut power", 2, 5, false}, {"cut power", 61, 66, false}}},
		"none": {[]Event{says(31, "instance 7: server ended")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := marksOf(c.events); !slices.Equal(got, c.want) {
				t.Errorf("faults %+v, want %+v", got, c.want)
			}
		})
	}
}

// What a run says of its faults stands, whatever the words are.
func TestFaultsThatAreNamed(t *testing.T) {
	given := []Event{
		{At: at(20), Text: `healed: full redundancy 9 s after "mend"`},
		{At: at(5), Text: "fault: a", Fault: "a", Until: at(11)},
	}
	if got, want := marksOf(given), []marked{{"a", 5, 11, false}}; !slices.Equal(got, want) {
		t.Errorf("faults %+v, want %+v", got, want)
	}
	if given[0].Fault != "" || given[1].Fault != "a" {
		t.Error("the events were changed")
	}
}

func marksOf(events []Event) []marked {
	t := Trial{Events: events}
	t.liftEvents()
	return marks(t.Events)
}
