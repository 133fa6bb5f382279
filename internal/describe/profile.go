package describe

import (
	"cmp"
	"time"
)

// Profile is a workload's description of itself. Tables, axes and verdicts take their words
// from it.
type Profile struct {
	Workload string `json:"workload"` // registry key
	Unit     Unit   `json:"unit"`     // the unit of work
	// User is the workload's word for one of its users: worker, stream; empty is user. Its
	// plural is regular.
	User string `json:"user,omitempty"`
	// Operations are the names that sessions report, in session order. The
	// first is the unit of work itself, without think time; it has the unit's name.
	Operations []string `json:"operations"`
	// Growth is by how many bytes a volume grows for each unit of work, about; of fixed
	// work, for all of it.
	Growth float64 `json:"growth,omitempty"`
	// Outstanding is how many units of work a user keeps under way at once; 0 is one.
	Outstanding int `json:"outstanding,omitempty" within:"0..1000000"`
	// Busy reports that a user never sleeps between units of work, as one who keeps several
	// under way.
	Busy bool `json:"busy,omitempty"`
	// UserRate is how many units of work a second each user begins on a schedule of
	// its own, whatever answers (an open loop); 0 leaves the load to the study.
	UserRate float64 `json:"user_rate,omitempty"`
	// Direct reports that the work goes past the memory of the machine: no cache of
	// the kernel serves it.
	Direct bool `json:"direct,omitempty"`
	// OnVolume reports that drivers work on a mounted volume by their own system calls.
	// Their kernel time is then the storage's cost, not the load generator's.
	OnVolume bool `json:"on_volume,omitempty"`
	// ReadsOnce reports that nothing is read twice, so that what was taken out of caches
	// before the load comes from the storage.
	ReadsOnce bool `json:"reads_once,omitempty"`
	// Fixed reports that the work ends by itself, as a list of queries does; else
	// the phases of the study end it.
	Fixed bool `json:"fixed,omitempty"`
	// Listed reports that the operations after the first are the items of a list, each a unit of
	// work that every user does once; a single user does them one after the other. Reports
	// hold variants against each other by item.
	Listed bool `json:"listed,omitempty"`
	// Answered reports that users can be answered by a process that keeps no contents, so that
	// trials say what their drivers do by themselves (Ceiling).
	Answered bool `json:"answered,omitempty"`
	// Optional are operations whose time is in the throughput and that the field also
	// reports without: flush, close. Reports show both.
	Optional []string `json:"optional,omitempty"`
	// Metrics are figures that objectives may limit and that only this workload has.
	Metrics []Metric `json:"metrics,omitempty"`
	// Requests are what a unit of work asks of volumes, if the workload makes its requests itself
	// and knows them.
	Requests []Request `json:"requests,omitempty"`
	// Hints are what the next experiment could change where a stage of the work limits the
	// others: Resource is stage, Role its name, and Parameter a path of the study. One without
	// From is a setting of servers, whose value the study has.
	Hints []Hint `json:"hints,omitempty"`
	// Saves says that the work is what another is interrupted for to save its state, as
	// training is for checkpoints; reports say how much of that work's time it takes.
	Saves *Saves `json:"saves,omitempty"`
	// Correctness says, for a workload without an audit, what its correctness
	// rests on: "every block is verified when it is read".
	Correctness string `json:"correctness,omitempty"`
	// Unused lists the keys of parameters that have no effect given the values of the
	// others. Reports do not list them.
	Unused []string `json:"unused,omitempty"`
}

// NeverSleeps reports whether a user without think time or schedule is always at work.
func (p Profile) NeverSleeps() bool { return p.Busy || p.Outstanding > 0 }

// Together is how many units of work a user keeps under way at once.
func (p Profile) Together() int { return max(1, p.Outstanding) }

// Whole is the operation that is the unit of work.
func (p Profile) Whole() string {
	if len(p.Operations) == 0 {
		return ""
	}
	return p.Operations[0]
}

// Metric is the share of their time that users spend in an operation that always takes equally
// long, such as computing on a batch: its sum over the users' time. An objective is a minimum of
// it: "au >= 90%".
type Metric struct {
	Name      string `json:"name"`      // as objectives write it: au
	Operation string `json:"operation"` // whose time counts
	Text      string `json:"text"`      // in a sentence: utilisation
	Does      string `json:"does"`      // what users did meanwhile: computed
	Rest      string `json:"rest"`      // the rest of their time: time without computing
}

// MetricOf is the metric of an operation's time. Trials recorded before workloads declared them
// have none: then the operation's name stands for its words.
func (p Profile) MetricOf(operation string) Metric {
	for _, m := range p.Metrics {
		if m.Operation == operation {
			return m
		}
	}
	return Metric{Name: operation, Operation: operation, Text: operation + " time", Does: "were in " + operation, Rest: "time outside " + operation}
}

// Saves describes work that saves the state of a computation that may fail, and restores it
// after a failure. The profile describes the operations; the computation in between is not
// part of the load.
type Saves struct {
	Save    string `json:"save"`    // operation for which the other work stands still
	Restore string `json:"restore"` // operation after a failure
	// Interval is how long the other work goes on between two saves, and Failures the mean
	// time between its failures: both assumed, in seconds.
	Interval float64 `json:"interval"`
	Failures float64 `json:"failures"` // described with Interval
}

// Unit is what a workload counts, and how its throughput is written.
type Unit struct {
	Name       string  `json:"name"`       // order, transaction, file, query
	Plural     string  `json:"plural"`     // orders
	Throughput string  `json:"throughput"` // OPM, TPS, files/s, MB/s
	Seconds    float64 `json:"seconds"`    // that the throughput counts over: 60 for OPM, 1 for TPS
	// Bytes reports that the throughput counts payload, not units: in millions of bytes,
	// or in as many as Each says, such as the 125 million of a gigabit.
	Bytes bool    `json:"bytes,omitempty"`
	Each  float64 `json:"each,omitempty"`
	// PerDrive reports that the throughput is already per drive.
	PerDrive bool `json:"per_drive,omitempty"`
	// Relative reports that published throughput is in percent of another variant's.
	Relative bool `json:"-"`
}

// Rate is the throughput of so many units, or bytes of payload, in a time.
func (u Unit) Rate(count, bytes int64, in time.Duration) float64 {
	if in <= 0 {
		return 0
	}
	n := float64(count)
	if u.Bytes {
		n = float64(bytes) / cmp.Or(u.Each, 1e6)
	}
	return n * u.Seconds / in.Seconds()
}

// Payload is how many millions of bytes a second a throughput is; 0 for units that do
// not count payload.
func (u Unit) Payload(throughput float64) float64 {
	if !u.Bytes || u.Seconds <= 0 {
		return 0
	}
	return throughput / u.Seconds * cmp.Or(u.Each, 1e6) / 1e6
}

// Of returns the word for so many units: order, orders.
func (u Unit) Of(n int64) string {
	if n == 1 {
		return u.Name
	}
	return u.Plural
}

// Complete reports whether nothing is missing that results need.
func (u Unit) Complete() bool {
	return u.Name != "" && u.Plural != "" && u.Throughput != "" && u.Seconds > 0
}
