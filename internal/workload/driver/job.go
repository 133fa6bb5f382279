// Package driver says how users act: closed and open loops, think time, ramp,
// phases, and the recorder. A driver is a process of its own, a task, that takes
// a Job and streams records and receipts: for each second every operation's
// counts and response times and what the driver itself used, at the end a sum
// for each instance. It writes no file, and nothing that it keeps grows with the
// length of a run.
//
// Times. In the closed loop an operation's time is its service time: a user
// who waits for an answer offers no load meanwhile, so a stall is seen once for
// each user and not once for each unit of work that would have come. In the open loop
// (Job.Rate, or users with a rate of their own) units are due on a schedule and timed from when they were due,
// whether or not a user was free then, so a stall counts in full; the other
// operations still report service time. An operation belongs to the second and
// the phase in which it ends. What ends after the measured phase, in units
// that had begun before, is in records without a phase.
//
// Ends. When the measured phase is over, users finish the unit they are in,
// for at most 30 seconds. Fixed work (Profile.Fixed) ends with its last user, if that
// comes first; each user who finishes leaves a record with what all had done by then. A cancelled context ends everything at once.
package driver

import (
	"encoding/json"
	"time"

	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
)

// Job is the specification of one driver. It holds passwords, so it is passed on standard
// input.
type Job struct {
	// Name is the driver's name in its records: "driver-0".
	Name string `json:"name,omitempty"`
	// Member is the member of the study that the instances belong to, if it has members.
	// Every record carries it.
	Member     string            `json:"member,omitempty"`
	Workload   string            `json:"workload"`
	Parameters json.RawMessage   `json:"parameters"`
	Targets    []workload.Target `json:"targets"`
	Users      int               `json:"users"` // of each target
	ThinkTime  unit.Duration     `json:"think_time"`
	Rate       float64           `json:"rate,omitempty"` // units of work/s offered to each target; 0 is the closed loop, or what describe.Profile.UserRate says
	// Arrivals is how the open loop spaces units: study.Constant (also when
	// empty) or study.Poisson.
	Arrivals study.Arrivals `json:"arrivals,omitempty"`
	// Bursts are when users begin units; nil is always. Rate is that within them.
	Bursts   *study.Bursts `json:"bursts,omitempty"`
	RampRate float64       `json:"ramp_rate"` // users/s of this driver; 0 is all at once
	// Start is the common start. The ramp begins then; warm-up begins at
	// Start+Ramp, where Ramp is the longest ramp of all drivers of the trial.
	Start   time.Time     `json:"start"`
	Ramp    unit.Duration `json:"ramp"`
	Warmup  unit.Duration `json:"warmup"`
	Measure unit.Duration `json:"measure"`
	// Linger is how long users continue after the measured phase, unmeasured, so that faults
	// at that time meet instances at work.
	Linger unit.Duration `json:"linger,omitempty"`
	// Ceiling is how long users are at work once more when all else is over, against a
	// process that answers and keeps no contents; 0 is not at all. The workload must have a
	// workload.Answerer.
	Ceiling unit.Duration `json:"ceiling,omitempty"`
	Seed    uint64        `json:"seed"`
	// ErrorLimit is the share of failed units (0..1) above which the driver stops; 0 never
	// stops it.
	ErrorLimit float64 `json:"error_limit,omitempty"`
	// Tolerate is the number of targets that may fail. The failures of the targets with the
	// most failures, as many as this, do not count for ErrorLimit, unless there is no other
	// target. Pending units are then reported by target.
	Tolerate int `json:"tolerate,omitempty"`
}
