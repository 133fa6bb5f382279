package workload

import "time"

// started ties wall-clock time to the monotonic clock once, so that the times of all
// sessions of a driver can be compared even when the clock is set.
var started = time.Now()

// Now is time.Now for sessions. It reads one of the system's clocks, where time.Now
// reads two: in a unit of work of ten microseconds that is noticed.
func Now() time.Time { return started.Add(time.Since(started)) }

// OutcomeOf is how an operation ended that gave an error, or none.
func OutcomeOf(err error) Outcome {
	if err != nil {
		return Failed
	}
	return Done
}

// Timed does an operation and observes it.
func Timed(rec Recorder, operation int, do func() error) error {
	began := Now()
	err := do()
	rec.Observe(operation, began, time.Since(began), OutcomeOf(err))
	return err
}
