package trust

import "plimsoll/internal/analysis/steadiness"

// Kind is what a warning is about.
type Kind string

// Kinds of warnings about single trials: what they lack, and what is wrong with the load.
const (
	Telemetry    Kind = "telemetry"   // the machine was not observed
	Missing      Kind = "lost"        // evidence existed or should have, but is gone
	ShortPhase   Kind = "length"      // of the measured phase
	CutOff       Kind = "cut-off"     // fixed work had not finished
	Stonewall    Kind = "stonewall"   // throughput until the first user finished
	FewUnits     Kind = "count"       // few units of work were measured
	Records      Kind = "records"     // of the drivers are damaged or missing
	Errors       Kind = "errors"      // failed units of work
	Exhausted    Kind = "exhausted"   // something ran out
	Excluded     Kind = "set-aside"   // instances failed and the trial went on without them
	Loop         Kind = "loop"        // the response time law does not hold
	Audit        Kind = "audit"       // none, or a failed one
	DriverLate   Kind = "driver-late" // users woke late
	DriverBusy   Kind = "driver-saturated"
	DriverLimits Kind = "driver-ceiling" // the drivers do no more by themselves
)

// Kinds of warnings about machines, storage and limits.
const (
	Strangers    Kind = "strangers"  // others used disks and networks
	Steal        Kind = "steal"      // the hypervisor gave CPU to other guests
	Heat         Kind = "thermal"    // the CPU throttled
	Clock        Kind = "clock"      // the wall clock moved
	Background   Kind = "background" // CPU was used outside the trial
	Memory       Kind = "memory"     // tasks waited for memory
	Device       Kind = "device"     // busy time and queue contradict each other
	Limits       Kind = "limits"     // could not be enforced
	Throttled    Kind = "throttled"  // by an instance's own limit
	OutOfMemory  Kind = "out-of-memory"
	Cache        Kind = "cache"      // reads did not reach the storage
	StorageDoubt Kind = "storage"    // what the storage says against its own figures
	Durability   Kind = "durability" // was given up
)

// Kinds of warnings about the work of a phase, which was not steady.
const (
	Stall  = Kind(steadiness.Stall)
	WarmUp = Kind(steadiness.WarmUp)
	Drift  = Kind(steadiness.Drift)
	Shift  = Kind(steadiness.Change)
	Dip    = Kind(steadiness.Dip)
	Burst  = Kind(steadiness.Burst)
	Dips   = Kind(steadiness.Dips)
	Bursts = Kind(steadiness.Bursts)
	Wave   = Kind(steadiness.Wave)
)

// Kinds of warnings about repetitions, rungs and runs.
const (
	OneRepetition Kind = "repetition"    // the only one of its rung
	Outlier       Kind = "outlier"       // a repetition far from the others of its rung
	Sequence      Kind = "sequence"      // repetitions change one after the other
	Percentiles   Kind = "percentiles"   // come from a single repetition
	Damaged       Kind = "damaged"       // cannot be read or cannot be true
	Failed        Kind = "failed"        // the trial
	Unfinished    Kind = "unfinished"    // the trial never ended
	LeftOut       Kind = "left-out"      // another attempt counts
	SteadilyBusy  Kind = "steadily-busy" // retries do not help
	Running       Kind = "running"       // trials are still to come
	MissingTrial  Kind = "missing"       // a planned trial has no result
	Prices        Kind = "prices"        // were left out
	Baseline      Kind = "baseline"      // was left out, or is of other work
)

// Kinds of statements within warnings.
const (
	Work Kind = "work" // the figure that was not steady
)

// Kinds of warnings about comparisons and sizings.
const (
	Comparability Kind = "comparability" // the sides differ in more than they should
	Unmeasured    Kind = "sizing"        // no results to size from
	NotLimiting   Kind = "limit"         // nothing shows that the storage limits
	OtherMedia    Kind = "media"         // measured on media of another kind
	ReducedBasis  Kind = "reduced"       // measured with a reduced profile
	Simulated     Kind = "simulated"     // measured on simulated media
	PoorGrade     Kind = "grade"         // measured in a run of a poor grade
	SourceServers Kind = "servers"       // the demand names none
	Room          Kind = "room"          // whether the data have room is not considered
	NoPrice       Kind = "price"         // the demand gives none
)

// ByChance reports whether repetitions shrink the doubt: their scatter includes it.
func (k Kind) ByChance() bool { return k == OneRepetition || k == FewUnits }
