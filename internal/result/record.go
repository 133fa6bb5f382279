// Package result is the run directory: written once, read anywhere. It holds
// the types of every file in it, the writers and the readers. Nothing here
// judges; analysis does.
package result

import (
	"time"

	"plimsoll/internal/describe"
)

// Phase is the part of a trial that a record belongs to.
type Phase string

// Phases in their order.
const (
	Ramp    Phase = "ramp"
	Warmup  Phase = "warmup"
	Measure Phase = "measure"
)

// Record is one line of a driver's stream (operations.jsonl). Kind says which
// of the groups of fields is set.
type Record struct {
	Kind   RecordKind `json:"kind"`
	Driver string     `json:"driver,omitempty"`
	// Member is whose instances the driver plays, where the study has members.
	Member string `json:"member,omitempty"`
	// Second counts from the common start; the record covers
	// [Second, Second+1).
	Second int   `json:"second"`
	Phase  Phase `json:"phase,omitempty"`

	// KindOperation: one per second and operation that occurred.
	Operation  string           `json:"operation,omitempty"`
	Count      int64            `json:"count,omitempty"` // ended in this second, outcome Done
	RolledBack int64            `json:"rolled_back,omitempty"`
	Errors     map[string]int64 `json:"errors,omitempty"` // class -> count
	Bytes      int64            `json:"bytes,omitempty"`
	// Effort is what servers counted of those that ended well, where they count.
	Effort *describe.Effort `json:"effort,omitempty"`
	// Histogram holds response times in nanoseconds (Done and RolledBack),
	// HDR V2 compressed, base64.
	Histogram string `json:"histogram,omitempty"`

	// KindDriver: one per second, what the driver itself did.
	CPUUser   float64 `json:"cpu_user,omitempty"` // seconds used in this second
	CPUSystem float64 `json:"cpu_system,omitempty"`
	RSS       int64   `json:"rss,omitempty"`      // bytes
	Users     int     `json:"users,omitempty"`    // connected now
	Threads   int     `json:"threads,omitempty"`  // that run Go code at once
	LateMax   float64 `json:"late_max,omitempty"` // seconds by which a user woke too late
	LateMean  float64 `json:"late_mean,omitempty"`
	Wakes     int64   `json:"wakes,omitempty"`   // in LateMean
	Backlog   int64   `json:"backlog,omitempty"` // open loop: intended and not yet started
	// Off reports that users begin nothing in this second: it is between bursts.
	Off bool `json:"off,omitempty"`
	// Units counts units of work that ended in this second by instance number.
	Units map[int]int64 `json:"units,omitempty"`

	// KindInstance: one per instance at the end, over the measured phase.
	Instance *InstanceRecord `json:"instance,omitempty"`

	// KindWaiting: one at the end of the measured phase.
	Waiting *WaitingRecord `json:"waiting,omitempty"`

	// KindCeiling: what the driver did by itself, after the measured phase.
	Ceiling *Ceiling `json:"ceiling,omitempty"`

	// KindBegan: the first unit of a driver's fixed work began, At that moment, which is
	// after the common start where users took long to connect.
	// KindFinished: a user's fixed work was done, At that moment.
	Finished *FinishedRecord `json:"finished,omitempty"`

	// KindEvent: something worth marking ("instance 3: connection lost").
	At    time.Time `json:"at,omitzero"`
	Event string    `json:"event,omitempty"`
}

// Spent is an effort, or nothing where it is of no operation.
func Spent(e describe.Effort) *describe.Effort {
	if e.Count == 0 {
		return nil
	}
	return &e
}

// RecordKind selects the fields of a Record.
type RecordKind string

// Kinds of records.
const (
	KindOperation RecordKind = "operation"
	KindDriver    RecordKind = "driver"
	KindInstance  RecordKind = "instance"
	KindWaiting   RecordKind = "waiting"
	KindBegan     RecordKind = "began"
	KindFinished  RecordKind = "finished"
	KindCeiling   RecordKind = "ceiling"
	KindEvent     RecordKind = "event"
	KindEnd       RecordKind = "end" // the last one of a driver that finished; Event is empty or says why it gave up
)

// InstanceRecord sums one instance over the measured phase.
type InstanceRecord struct {
	Instance   int              `json:"instance"`
	Count      int64            `json:"count"`
	Bytes      int64            `json:"bytes,omitempty"` // of payload
	RolledBack int64            `json:"rolled_back"`
	Errors     map[string]int64 `json:"errors,omitempty"`
	Histogram  string           `json:"histogram"` // of the unit of work, as in Record
	// Operations are those that the units of work consist of, by name.
	Operations map[string]PartRecord `json:"operations,omitempty"`
	// Waiting is its part of what the driver says of units that had not ended; it is there
	// where instances may be set aside.
	Waiting *WaitingRecord `json:"waiting,omitempty"`
}

// PartRecord is an operation of one instance over the measured phase.
type PartRecord struct {
	Count      int64            `json:"count"`
	RolledBack int64            `json:"rolled_back,omitempty"`
	Errors     map[string]int64 `json:"errors,omitempty"`
	Histogram  string           `json:"histogram,omitempty"` // as in Record
}

// FinishedRecord is what all users of a driver had done when one of them finished.
type FinishedRecord struct {
	Count int64 `json:"count"` // units of work
	Bytes int64 `json:"bytes,omitempty"`
}

// WaitingRecord says which units of work a driver had begun, or were due, before the
// end of the measured phase and had not ended by then.
type WaitingRecord struct {
	Count int64 `json:"count"`
	// Offered is how many units were due in the measured phase, in the open
	// loop.
	Offered int64 `json:"offered,omitempty"`
	// Oldest is the longest age at the end of the phase, in seconds. Histogram has all
	// ages, as in Record.
	Oldest    float64 `json:"oldest"`
	Histogram string  `json:"histogram,omitempty"`
}
