// Package load says how users act: closed and open loops, think time, ramp,
// phases, and the recorder. A driver is a process of its own (plimsoll drive)
// that takes a Job and streams Records.
package load

import (
	"encoding/json"
	"time"

	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// Job is what one driver does. It holds passwords, so its file has mode 0600.
type Job struct {
	// Name is the driver's name in its records: "driver-0".
	Name       string            `json:"name,omitempty"`
	Workload   string            `json:"workload"`
	Parameters json.RawMessage   `json:"parameters"`
	Targets    []workload.Target `json:"targets"`
	Users      int               `json:"users"` // of each target
	ThinkTime  study.Duration    `json:"think_time"`
	Rate       float64           `json:"rate,omitempty"` // orders/s offered to each target; 0 is the closed loop
	// Arrivals is how the open loop spaces orders: Constant (also when empty)
	// or Poisson.
	Arrivals Arrivals `json:"arrivals,omitempty"`
	RampRate float64  `json:"ramp_rate"` // users/s of this driver; 0 is all at once
	// Start is the common start. The ramp begins then; warm-up begins at
	// Start+Ramp, where Ramp is the longest ramp of all drivers of the trial.
	Start   time.Time      `json:"start"`
	Ramp    study.Duration `json:"ramp"`
	Warmup  study.Duration `json:"warmup"`
	Measure study.Duration `json:"measure"`
	Seed    uint64         `json:"seed"`
	// ErrorLimit is the share of failed orders (0..1) past which the driver
	// gives up; 0 never gives up.
	ErrorLimit float64 `json:"error_limit,omitempty"`
	// Records is the file to which records are appended, one JSON object a
	// line; "-" is standard output.
	Records string `json:"records"`
	// Acks is the directory for acknowledgements, one file an instance.
	Acks string `json:"acks"`
}

// Arrivals names a schedule of the open loop.
type Arrivals string

// Schedules of the open loop.
const (
	Constant Arrivals = "constant" // one order every 1/Rate seconds
	Poisson  Arrivals = "poisson"  // exponential gaps with mean 1/Rate, as many independent users make
)
