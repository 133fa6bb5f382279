package fileio

import (
	"time"

	"plimsoll/internal/workload"
)

// Turn says when a paced session may begin its next unit of work: when it is due, and when the
// pause after a failure is over.
type Turn struct {
	Waits bool // a unit was taken and has not begun

	pace    workload.Pace
	due     time.Time // of the unit; zero for at once
	failing int       // units that failed since one succeeded
	resume  time.Time // when the pause is over
}

// Pace implements workload.PacedSession.
func (t *Turn) Pace(p workload.Pace) { t.pace = p }

// Take takes the next unit, unless one waits. It reports whether there is one.
func (t *Turn) Take() bool {
	if !t.Waits {
		t.due, t.Waits = t.pace.Next()
	}
	return t.Waits
}

// Ready reports whether the unit may begin. If not, it has waited, but for no longer than a
// driver may have to wait for the session. A clock is read only where there is a moment to wait
// for: four users of memory do a million units a second.
func (t *Turn) Ready(longest time.Duration) bool {
	begin := t.due
	if t.resume.After(begin) {
		begin = t.resume
	}
	if begin.IsZero() {
		return true
	}
	rest := time.Until(begin)
	if rest > 0 {
		Sleep(min(rest, longest))
	}
	return rest <= 0
}

// Due is when the unit that begins now was due: now, in the closed loop.
func (t *Turn) Due(now time.Time) time.Time {
	if t.due.IsZero() {
		return now
	}
	return t.due
}

// Failed has the next unit wait, and returns how many have failed in a row.
func (t *Turn) Failed(now time.Time) int {
	t.failing++
	t.resume = now.Add(Pause(t.failing))
	return t.failing
}

// Succeeded has the next unit begin when it is due.
func (t *Turn) Succeeded() { t.failing, t.resume = 0, time.Time{} }
