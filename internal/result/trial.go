package result

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// SchemaVersion is the version of the run directory's files, and oldestSchema the oldest
// that is read: version 2 has histograms in microseconds, version 3 in nanoseconds, and from
// version 4 on every trial has members.
const (
	SchemaVersion = 4
	oldestSchema  = 2
)

// Status is how a trial ended.
type Status string

// Ends of a trial.
const (
	Passed Status = "passed" // measured and audited; objectives are judged later
	Failed Status = "failed"
)

// Trial is everything about one application of a measured run that a reader needs without
// opening the streams in the same directory. An application without a name is the only one
// of its trial.
type Trial struct {
	Schema  int           `json:"schema"`
	ID      string        `json:"id"` // as in the plan, also its directory below trials/
	Variant study.Variant `json:"variant"`
	Rung    int           `json:"rung" within:"0..1000000"`
	// Alone is the member that was measured without the others of its tile; empty is all.
	Alone      string `json:"alone,omitempty"`
	Repetition int    `json:"repetition" within:"0..1000000"` // from 1
	// Attempt is 2 for a trial that was measured again because something outside
	// had spoiled it, and its identifier ends in .2; 0 for all others.
	Attempt  int    `json:"attempt,omitempty" within:"0..1000000"`
	Position int    `json:"position" within:"0..10000000"` // in the campaign, from 1, of the first attempt
	Seed     uint64 `json:"seed"`

	Status  Status   `json:"status"`
	Failure *Failure `json:"failure,omitempty"`

	Begun        time.Time `json:"begun"`          // provisioning began
	Ready        time.Time `json:"ready,omitzero"` // all instances answered
	Start        time.Time `json:"start,omitzero"` // common start of the drivers
	MeasureStart time.Time `json:"measure_start,omitzero"`
	MeasureEnd   time.Time `json:"measure_end,omitzero"`
	Ended        time.Time `json:"ended,omitzero"`

	Part
	// Published reports that the trial stands for a published figure.
	Published bool `json:"published,omitempty"`
	// Storages are those that mounts use, by their keys in the variant.
	Storages map[string]*describe.Storage `json:"storages,omitempty"`
	Devices  []describe.Device            `json:"devices,omitempty"`
	// Machines are those that were observed; none where nothing was, or the platform
	// does not tell.
	Machines      []Host  `json:"machines,omitempty"`
	RampSeconds   float64 `json:"ramp_seconds" within:"0..604800"`
	WarmupSeconds float64 `json:"warmup_seconds" within:"0..604800"`

	// Emptied reports that no cache held what was prepared when the load began; of volumes in
	// memory, that there is none.
	Emptied bool `json:"emptied,omitempty"`

	// SetAside are instances that failed by themselves and that the study tolerates, by
	// member and number: what follows has nothing of them.
	SetAside []Exclusion `json:"set_aside,omitempty"`

	// Stonewalled is what had been done of fixed work when the first user finished: until
	// then all of them were at work. It is missing where no user finished.
	Stonewalled *Stonewall `json:"stonewalled,omitempty"`
	// Unfinished is how many users the end of the measured phase kept from finishing
	// their fixed work.
	Unfinished int `json:"unfinished,omitempty"`
	// Resources sums telemetry over the measured phase.
	Resources []ResourceSummary `json:"resources,omitempty"`
	Events    []Event           `json:"events,omitempty"`
	Notes     []string          `json:"notes,omitempty"` // what could not be done as asked
	// Doubts are what the storage class says against its own figures, as a
	// simulation that could not keep up, and what of an engine was never tried; each
	// lowers the trial's grade.
	Doubts []string `json:"doubts,omitempty"`
	// Behind lists the simulated media on which requests took longer than their models say.
	// How much doubt that casts on the trial depends on how long users waited meanwhile.
	// Earlier runs have it among Doubts.
	Behind []MediaDelay `json:"behind,omitempty"`
	// Damage is what of the drivers' records could not be used: lines that cannot
	// be read, drivers that never came to their end.
	Damage []string `json:"damage,omitempty"`
	// TelemetryChecksum is the checksum of telemetry.parquet (CRC-32C, hexadecimal).
	TelemetryChecksum string `json:"telemetry_checksum,omitempty"`
	// Checksums are the checksums, by name, of the other files behind its figures and its
	// audit; missing in files of earlier versions.
	Checksums map[string]string `json:"checksums,omitempty"`
	// Evidence is what was kept of instances whose audit failed.
	Evidence []Evidence `json:"evidence,omitempty"`

	whole *Trial // that it is a member's of, without any member's part; nil is itself
	lean  bool   // it has shed what Run.Whole reads again
}

// Shed gives a copy without what most of a trial's memory is for: histograms, and what was
// measured of each resource and instance. Run.Whole reads it again.
func (t *Trial) Shed() *Trial {
	lean := *t
	lean.lean = true
	lean.Resources, lean.Instances = nil, nil
	lean.Operations = make(map[string]OperationSummary, len(t.Operations))
	for name, o := range t.Operations {
		lean.Operations[name] = o.shed()
	}
	lean.Bursts = t.Bursts.shed()
	if t.whole != nil {
		lean.whole = t.whole.Shed()
	}
	return &lean
}

// shed drops histograms where figures are present.
func (o OperationSummary) shed() OperationSummary {
	if o.P50 != 0 || o.P95 != 0 || o.Max != 0 {
		o.Histogram = ""
	}
	if o.Corrected != nil {
		c := *o.Corrected
		c.Histogram = ""
		o.Corrected = &c
	}
	return o
}

// Scheduled reports whether units of work are due at moments of a schedule: users who are
// late lose no load, and response times count from when a unit was due.
func (t *Trial) Scheduled() bool { return t.OpenLoop || t.Variant.Load.Rate > 0 }

// Whole sums the unit of work.
func (t *Trial) Whole() OperationSummary { return t.Operations[t.Profile.Whole()] }

// Stonewall is fixed work until the first user finished. (fio calls the wait for all
// a stonewall; IOzone counts until the first has finished.)
type Stonewall struct {
	At      time.Time `json:"at"`
	Seconds float64   `json:"seconds"` // from the start until then
	// Count and Bytes are the work done by then. For drivers whose users finished later, it
	// is interpolated within the last second.
	Count int64 `json:"count"`
	Bytes int64 `json:"bytes,omitempty"`
	// Users is how many finished, then or later, and UserSeconds how long all users were
	// at work, summed up.
	Users       int     `json:"users"`
	UserSeconds float64 `json:"user_seconds"`
}

// Throughput is the throughput of the measured phase in the profile's unit; 0 if the phase
// was not reached. For fixed work the phase ends with the last user.
func (t *Trial) Throughput() float64 {
	whole := t.Whole()
	return t.Profile.Unit.Rate(whole.Count, whole.Bytes, t.MeasureEnd.Sub(t.MeasureStart))
}

// StonewalledThroughput is the throughput of fixed work until the first user finished,
// while all were at work; 0 for other work.
func (t *Trial) StonewalledThroughput() float64 {
	if s := t.Stonewalled; s != nil {
		return t.Profile.Unit.Rate(s.Count, s.Bytes, time.Duration(s.Seconds*float64(time.Second)))
	}
	return 0
}

// ThroughputWithout is what the throughput would be without the time that users spent
// in the optional operations of the profile; 0 where they spent none, or where a rate
// is offered.
func (t *Trial) ThroughputWithout() float64 {
	spent, at := t.OptionalSeconds(), t.UserSeconds()
	if t.OpenLoop || spent <= 0 || spent >= at {
		return 0
	}
	return t.Throughput() / (1 - spent/at)
}

// OptionalSeconds is how long users spent in the optional operations of the profile,
// summed up.
func (t *Trial) OptionalSeconds() (sum float64) {
	for _, name := range t.Profile.Optional {
		o := t.Operations[name]
		sum += o.Mean * float64(o.Count+o.RolledBack)
	}
	return sum
}

// UserSeconds is how long users were at work in the measured phase, summed up; those
// that keep several units under way count as often.
func (t *Trial) UserSeconds() float64 {
	each := float64(t.Profile.Together())
	if t.Stonewalled != nil {
		return each * t.Stonewalled.UserSeconds
	}
	return each * float64(t.Variant.Load.Users*t.Ran()) * t.MeasureEnd.Sub(t.MeasureStart).Seconds()
}

// Provisioning is how the instances of a trial got their data set.
type Provisioning struct {
	// By is Cloned, InPlace, or how the storage class clones: "volume clone",
	// "snapshot".
	By string `json:"by"`
	// Why says why each was prepared by itself although the data set can be cloned.
	Why string `json:"why,omitempty"`
	// Seconds is how long that took for all instances, at most AtOnce of them at the same
	// time, and GoldenSeconds how long the making of the golden volumes took, whenever that was.
	Seconds       float64 `json:"seconds"`
	AtOnce        int     `json:"at_once"`
	GoldenSeconds float64 `json:"golden_seconds,omitempty"`
}

// Ways of provisioning.
const (
	Cloned  = "clone"
	InPlace = "in place"
)

// Evidence is what was kept of an instance whose audit failed.
type Evidence struct {
	Member   string `json:"member,omitempty"` // whose instance it is
	Instance int    `json:"instance"`
	// Path is the directory, relative to the run's: the volume as the audit left
	// it, the driver's receipts and how to log in. Empty when it was not kept.
	Path string `json:"path,omitempty"`
	// Missing says why it was not kept, or not completely.
	Missing string `json:"missing,omitempty"`
}

// Whose names the instance in sentences.
func (e Evidence) Whose() string {
	if e.Member == "" {
		return fmt.Sprintf("instance %d", e.Instance)
	}
	return fmt.Sprintf("instance %d of %s", e.Instance, e.Member)
}

// Failure says when and why a trial failed.
type Failure struct {
	At    time.Time `json:"at"`
	Stage string    `json:"stage"` // provision, start, drive, audit, teardown
	Cause string    `json:"cause"`
	// Reason is what the cause comes down to, where an error that is known is in it,
	// however deep in a server's log: "no space is left on a file system".
	Reason string `json:"reason,omitempty"`
	// Member is whose failure it is, where the study has members and it is one's.
	Member string `json:"member,omitempty"`
}

// Server is what fills a role of an instance.
type Server struct {
	Role    string  `json:"role"` // db; telemetry calls its servers db-000, db-001, ...
	Name    string  `json:"name"` // of the engine
	Version string  `json:"version,omitempty"`
	Source  string  `json:"source,omitempty"`          // installed, embedded, existing
	Count   int     `json:"count" within:"0..1000000"` // in each instance
	CPU     float64 `json:"cpu,omitempty"`             // limits of each
	Memory  int64   `json:"memory,omitempty"`
	// Limited reports that the limits were enforced.
	Limited bool `json:"limited"`
	// GivesUp lists the settings among Durability that give it up, in words.
	GivesUp []string `json:"gives_up,omitempty"`
	// Durability is what the servers answered when they were asked for the settings on
	// which it depends, whoever started them; several values where servers differ.
	Durability map[string][]string `json:"durability,omitempty"`
	// Stateless reports that it keeps nothing, so that there may be any number of it.
	Stateless bool `json:"stateless,omitempty"`
	// Direct reports that its data bypass the memory of its machine.
	Direct bool `json:"direct,omitempty"`
	// Gauge is what each of them counts of itself, in series of kind gauge: php-000/workers.
	Gauge *describe.Gauge `json:"gauge,omitempty"`
}

// numbered is what follows the role in the name of a server: the instance, and the
// server's own number where an instance has several, and of a gauge its name.
var numbered = regexp.MustCompile(`^-[0-9]+(-[0-9]+)?(/.*)?$`)

// Runs reports whether a series of kind instance or gauge belongs to the role.
func (s Server) Runs(series string) bool {
	rest, ok := strings.CutPrefix(series, s.Role)
	return ok && numbered.MatchString(rest)
}

// MediaDelay is by how much simulated media were slower than their models.
type MediaDelay struct {
	Text    string         `json:"text"`              // which, and why
	Figures []words.Figure `json:"figures,omitempty"` // the numbers in Text
	// Seconds is how much longer requests took, summed over all since the media settled
	// before the trial.
	Seconds float64 `json:"seconds"`
}

// OperationSummary sums one operation over the measured phase and all
// drivers. Times are in seconds and come from the merged histogram.
type OperationSummary struct {
	Count      int64            `json:"count"` // Done
	RolledBack int64            `json:"rolled_back"`
	Errors     map[string]int64 `json:"errors,omitempty"`
	Bytes      int64            `json:"bytes,omitempty"`
	// Effort is what servers counted of those that ended well; missing where they do not
	// count.
	Effort    *describe.Effort `json:"effort,omitempty"`
	Mean      float64          `json:"mean"`
	P50       float64          `json:"p50"`
	P90       float64          `json:"p90"`
	P95       float64          `json:"p95"`
	P99       float64          `json:"p99"`
	P999      float64          `json:"p999"`
	Max       float64          `json:"max"`
	Histogram string           `json:"histogram"` // nanoseconds, HDR V2 compressed, base64

	// Waiting is how many units of work had begun, or were due, before the end of the
	// measured phase and had not ended by then; Oldest is the longest age among
	// them, in seconds. Overdue of them had waited longer than 99 in 100 took:
	// they are in the times above with their age, and not in Count.
	Waiting int64   `json:"waiting,omitempty"`
	Overdue int64   `json:"overdue,omitempty"`
	Oldest  float64 `json:"oldest,omitempty"`
	// Offered is how many units of work were due in the measured phase of an open loop.
	Offered int64 `json:"offered,omitempty"`

	// Corrected has what a stall hid. The analysis adds it; no file of a run holds it.
	Corrected *CorrectedTimes `json:"corrected,omitempty"`
}

// InstanceSummary is one instance's share.
type InstanceSummary struct {
	Instance   int              `json:"instance" within:"0..1000000000"`
	Count      int64            `json:"count"`           // units of work done in the measured phase
	Bytes      int64            `json:"bytes,omitempty"` // of payload
	RolledBack int64            `json:"rolled_back"`
	Errors     map[string]int64 `json:"errors,omitempty"`
	Mean       float64          `json:"mean"` // s
	P95        float64          `json:"p95"`
	P99        float64          `json:"p99"`
	// Deviation is the standard deviation of the response times, in seconds, and
	// Times are those at InstanceShares; missing where nothing was completed.
	Deviation float64   `json:"deviation,omitempty"`
	Times     []float64 `json:"times,omitempty"`
	Max       float64   `json:"max,omitempty"` // s
	// Operations are the operations that make up the units of work, by name. A trial's only
	// instance has the trial's operations.
	Operations map[string]InstancePart `json:"operations,omitempty"`
	// Volumes are the names of those that the instance was on.
	Volumes []string `json:"volumes,omitempty"`
}

// InstancePart is one operation of an instance; fields have the same meaning as in the
// instance.
type InstancePart struct {
	Count      int64            `json:"count"`
	RolledBack int64            `json:"rolled_back,omitempty"`
	Errors     map[string]int64 `json:"errors,omitempty"`
	Mean       float64          `json:"mean,omitempty"`
	Deviation  float64          `json:"deviation,omitempty"`
	Times      []float64        `json:"times,omitempty"`
	Max        float64          `json:"max,omitempty"`
}

// Of is the instance with the figures of one operation in place of the unit of work's; ok
// is false if they were not recorded.
func (s InstanceSummary) Of(operation string) (of InstanceSummary, ok bool) {
	p, ok := s.Operations[operation]
	return InstanceSummary{
		Instance: s.Instance, Count: p.Count, RolledBack: p.RolledBack, Errors: p.Errors,
		Mean: p.Mean, Deviation: p.Deviation, Times: p.Times, Max: p.Max, Volumes: s.Volumes,
	}, ok
}

// DriverSummary is what one driver process spent in the measured phase.
type DriverSummary struct {
	Name      string  `json:"name"`
	CPUUser   float64 `json:"cpu_user"` // s
	CPUSystem float64 `json:"cpu_system"`
	RSSMax    int64   `json:"rss_max"`
	LateMax   float64 `json:"late_max"` // s
	LateMean  float64 `json:"late_mean"`
	Wakes     int64   `json:"wakes,omitempty"` // in LateMean; 0 in files of versions that averaged seconds
	// Threads is how many threads ran Go code at once, and Users how many users were
	// connected, at most; 0 is not known.
	Threads int `json:"threads,omitempty"`
	Users   int `json:"users,omitempty"`
	// BusyMax is the largest CPU use of a second, in cores.
	BusyMax float64 `json:"busy_max"`
	// Ceiling is the driver's throughput without the store; missing if it was not measured.
	Ceiling *Ceiling `json:"ceiling,omitempty"`
}

// ResourceSummary is one series of telemetry over the measured phase.
type ResourceSummary struct {
	Machine string  `json:"machine,omitempty"` // as Series
	Kind    string  `json:"kind"`              // as Series
	Name    string  `json:"name"`
	Metric  string  `json:"metric"`
	Unit    string  `json:"unit"`
	Mean    float64 `json:"mean"`
	P95     float64 `json:"p95"`
	Max     float64 `json:"max"`
}

// Event marks a moment: a fault, a reconnect, a process that ended.
type Event struct {
	At   time.Time `json:"at"`   // when it happened
	Text string    `json:"text"` // what happened, in words
	// Do is the study's event at this moment, if it breaks and repairs nothing:
	// "checkpoint instance 0".
	Do string `json:"do,omitempty"`
	// Fault is what was injected at this moment, in the study's words: "kill peer 2".
	Fault string `json:"fault,omitempty"`
	// Repairs reports that the fault undoes an earlier one: "restart peer 2".
	Repairs bool `json:"repairs,omitempty"`
	// Until is the end of a fault's effect: the failed part answers again, or the storage
	// has its full redundancy back. It is zero for repairs, and if the end was not seen.
	Until time.Time `json:"until,omitzero"`
}

// AuditSummary joins the audits of all instances (audit.json has them whole).
type AuditSummary struct {
	Passed bool `json:"passed"`
	// Uncounted says why it was not found out whether anything is missing, where nothing
	// that was counted is: the database of an instance is gone.
	Uncounted    string `json:"uncounted,omitempty"`
	Instances    int    `json:"instances"` // that were audited
	Acknowledged int64  `json:"acknowledged"`
	Present      int64  `json:"present"`
	Doubtful     int64  `json:"doubtful"`
	// SetAside is how many instances were not audited, as they had been set aside.
	SetAside int    `json:"set_aside,omitempty"`
	Text     string `json:"text"` // one sentence
	// Source says what the audit read: what was dropped from memory before it,
	// and what could not be.
	Source string `json:"source,omitempty"`
}

// Failed reports whether something that was acknowledged is known to be missing or wrong.
func (s *AuditSummary) Failed() bool { return s != nil && !s.Passed && s.Uncounted == "" }

// Audit is audit.json.
type Audit struct {
	Member    string           `json:"member,omitempty"` // that it is of
	Summary   AuditSummary     `json:"summary"`
	Instances []describe.Audit `json:"instances,omitempty"`
	Members   []Audit          `json:"members,omitempty"` // one for each member, if the study has members
}

// Series is one time series of a trial, a row of telemetry.parquet. Values
// that could not be read are NaN.
type Series struct {
	// Kind is machine, cpu, device, network, pressure, instance, driver,
	// node (a storage server), gauge (what a server counts of itself), self (Plimsoll) or operation (derived from operations.jsonl at
	// the end of the trial, so that a report need not read the histograms).
	Kind string `json:"kind" parquet:"kind,dict"`
	// Name is the thing's name: loop3, eth0, db-007, driver-0, purchase. Empty
	// for the machine.
	Name string `json:"name" parquet:"name,dict"`
	// Metric is in the list in package telemetry: utilisation, read_bytes, ...
	Metric string `json:"metric" parquet:"metric,dict"`
	// Machine is where it was sampled, as the platform calls it; empty for what
	// comes from the records of drivers. Two machines may have a loop3 each.
	Machine string `json:"machine,omitempty" parquet:"machine,optional,dict"`
	Unit    string `json:"unit" parquet:"unit,dict"` // 1, s, B/s, IO/s, cores
	// Start is the common start's Unix time in milliseconds; Times are
	// milliseconds since then (negative before it), one per value.
	Start int64 `json:"start" parquet:"start"`
	//
	// Times hardly differ from their neighbours and the bytes of floats
	// compress best apart from each other, hence the encodings.
	Times  []int64   `json:"times" parquet:"times,list" parquet-element:",delta"`
	Values []float64 `json:"values" parquet:"values,list" parquet-element:",split"`
}

// Machine is machine.json: the inventory of a machine in the run.
type Machine struct {
	Hostname     string            `json:"hostname,omitempty"`        // left out of reports unless asked
	OS           string            `json:"os"`                        // distribution and release
	Kernel       string            `json:"kernel"`                    // its release
	Arch         string            `json:"arch"`                      // of the processor, as Go names it
	CPUModel     string            `json:"cpu_model"`                 // as the processor reports it
	Cores        int               `json:"cores" within:"0..1000000"` // that the run could use
	Installed    int               `json:"installed_cores,omitempty"` // that the machine has
	Limits       []Limit           `json:"limits,omitempty"`          // of the control groups that the run was in
	MemoryBytes  int64             `json:"memory_bytes"`              // of RAM
	Virtual      string            `json:"virtual,omitempty"`         // kvm, container, ...
	Cgroup       string            `json:"cgroup"`                    // v1, v2, hybrid, none
	Root         bool              `json:"root"`                      // ran as root
	Disks        []Disk            `json:"disks"`                     // all block devices
	FileSystems  []FileSystem      `json:"file_systems"`              // that the run used
	Programs     map[string]string `json:"programs"`                  // name -> version
	ClockSource  string            `json:"clock_source,omitempty"`    // of the kernel: "tsc"
	Governor     string            `json:"governor,omitempty"`        // of the CPU frequency
	Plimsoll     string            `json:"plimsoll"`                  // version
	SystemLimits map[string]string `json:"system_limits,omitempty"`   // of processes and the kernel, by name
}

// Limit is a control group's limit on everything that runs in it, such as a container, a
// service or a batch job.
type Limit struct {
	Of    string  `json:"of" oneof:"cpu memory tasks"` // cpu, memory, tasks
	Group string  `json:"group"`                       // its path, as the run saw it: "/docker/4f2"; "/" is all that it saw
	Value float64 `json:"value"`                       // cores, bytes; processes and threads
}

// Disk is one block device.
type Disk struct {
	Name       string `json:"name"`                // as the kernel calls it: "sda"
	Model      string `json:"model,omitempty"`     // as the drive reports it
	Bytes      int64  `json:"bytes"`               // its size
	Rotational bool   `json:"rotational"`          // as the kernel believes
	Scheduler  string `json:"scheduler,omitempty"` // of I/O: "mq-deadline"
}

// FileSystem is one mounted file system that matters to the run.
type FileSystem struct {
	Mount   string `json:"mount"`   // where it is mounted
	Type    string `json:"type"`    // ext4, xfs, tmpfs, ...
	Options string `json:"options"` // it is mounted with
	Bytes   int64  `json:"bytes"`   // its size
	Free    int64  `json:"free"`    // bytes that were free
}

// Storage describes the storage on which a mount is unless its server says otherwise.
func (t *Trial) Storage() *describe.Storage {
	if s := t.Storages[t.Variant.StorageName]; s != nil {
		return s
	}
	return &describe.Storage{}
}

// OnlyStorage describes the storage of a variant whose mounts are all on one.
func OnlyStorage(v study.Variant, s describe.Storage) map[string]*describe.Storage {
	return map[string]*describe.Storage{v.StorageName: &s}
}
