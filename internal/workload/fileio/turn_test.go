package fileio_test

import (
	"testing"
	"time"

	"plimsoll/internal/workload/fileio"
)

// duePace gives units that are due at some moments.
type duePace []time.Time

func (p *duePace) Next() (due time.Time, more bool) {
	if len(*p) == 0 {
		return due, false
	}
	due, *p = (*p)[0], (*p)[1:]
	return due, true
}

// A unit that waits is the next one until it has begun, and begins when it is due.
func TestUnitsBeginWhenTheyAreDue(t *testing.T) {
	now := time.Now()
	past := now.Add(-time.Second)
	var turn fileio.Turn
	turn.Pace(&duePace{{}, now.Add(time.Hour), past})
	if !turn.Take() || !turn.Ready(time.Hour) || turn.Due(now) != now {
		t.Errorf("a unit that is due at once: %+v", turn)
	}
	turn.Waits = false
	for range 2 {
		if !turn.Take() || turn.Ready(time.Nanosecond) || turn.Due(now) != now.Add(time.Hour) {
			t.Errorf("a unit that is due in an hour: %+v", turn)
		}
	}
	turn.Waits = false
	if !turn.Take() || !turn.Ready(time.Hour) || turn.Due(now) != past {
		t.Errorf("a unit that is late: %+v", turn)
	}
	if turn.Waits = false; turn.Take() {
		t.Error("there are more than three")
	}
}

// After a failure a unit that is due waits for the end of the pause, and after a success it does
// not; when it was due stays.
func TestUnitsWaitAfterAFailure(t *testing.T) {
	var turn fileio.Turn
	turn.Pace(&duePace{{}})
	later := time.Now().Add(time.Hour)
	for n := range 2 {
		if got := turn.Failed(later); got != n+1 {
			t.Errorf("%d failures in a row, want %d", got, n+1)
		}
	}
	if !turn.Take() || turn.Ready(time.Nanosecond) || turn.Due(later) != later {
		t.Errorf("%+v", turn)
	}
	turn.Succeeded()
	if !turn.Ready(time.Hour) || turn.Failed(later) != 1 {
		t.Errorf("after a success: %+v", turn)
	}
}
