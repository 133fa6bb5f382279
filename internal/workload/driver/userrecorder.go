package driver

import (
	"context"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/host/thread"
	"plimsoll/internal/workload"
)

// userRecorder is one user's view of the recorder.
type userRecorder struct {
	shared   *recorder
	shard    *shard // of it
	receipts *receipts
	target   int
	// due is when the running unit of work should have begun, zero in the closed
	// loop.
	due    time.Time
	begun  time.Time // the running unit, or attempt to connect; due, in the open loop
	ended  time.Time // when the running unit was observed to end, zero before
	failed []failure // of the running unit
	// paced reports that several units are in flight at once. Each reports when it was due.
	paced    bool
	blocking bool // the user waits in calls that block a thread
	turns    thread.Turns
}

// longestTurn is after how long a user whose calls block lets Go's scheduler run.
const longestTurn = 5 * time.Millisecond

// failure is an operation whose error is not known yet: Do returns it.
type failure struct {
	operation int
	end       time.Time
}

var _ workload.Recorder = (*userRecorder)(nil)

// Observe implements workload.Recorder.
func (r *userRecorder) Observe(operation int, start time.Time, d time.Duration, outcome workload.Outcome) {
	end := start.Add(d)
	if operation == whole {
		r.ended = end
		if r.paced {
			r.settleUnit(start, end)
		}
	}
	if outcome == workload.Failed {
		r.failed = append(r.failed, failure{operation, end})
		return
	}
	if operation == whole && !r.due.IsZero() {
		d = end.Sub(r.due)
	}
	r.shard.observe(r.target, operation, end, d, outcome)
	if r.blocking {
		r.turns.Yield(end, longestTurn)
	}
}

// Moved implements workload.Recorder.
func (r *userRecorder) Moved(operation int, bytes int64) {
	at := r.ended // reading the clock again would cost as much as the rest
	if !r.paced || at.IsZero() {
		at = time.Now()
	}
	r.shard.moved(r.target, operation, bytes, at)
}

// Spent implements workload.Recorder.
func (r *userRecorder) Spent(operation int, e describe.Effort) {
	at := r.ended
	if at.IsZero() {
		at = time.Now()
	}
	r.shard.spent(operation, e, at)
}

// Receipt implements workload.Recorder.
func (r *userRecorder) Receipt(receipt []byte) { r.receipts.add(receipt) }

// begin notes when something began that a unit waits for.
func (r *userRecorder) begin(at time.Time) { r.begun, r.ended = at, time.Time{} }

// settleWaiting counts what was under way when the measured phase ended.
func (r *userRecorder) settleWaiting() {
	ended := r.ended
	if ended.IsZero() {
		ended = time.Now()
	}
	r.settleUnit(r.begun, ended)
}

func (r *userRecorder) settleUnit(begun, ended time.Time) {
	if end := r.shared.clock.end(); begun.Before(end) && !ended.Before(end) {
		r.shared.waits(r.target, begun)
	}
}

// settle counts the operations of a unit that failed under the error's
// class. Units that were cut off because the driver ends are not counted.
func (r *userRecorder) settle(ctx context.Context, err error) {
	defer func() { r.failed = r.failed[:0] }()
	if !r.paced {
		r.settleWaiting()
	}
	if ctx.Err() != nil || err == nil && len(r.failed) == 0 {
		return
	}
	class := Other
	if err != nil {
		class = Classify(err)
		r.shared.explain(r.target, class, err)
	}
	if len(r.failed) == 0 {
		r.failed = append(r.failed, failure{whole, time.Now()})
	}
	for _, f := range r.failed {
		r.shard.fail(r.target, f.operation, f.end, class)
	}
}
