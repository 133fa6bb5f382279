// Package study holds one question as data: workload, variants, ladder,
// limits. It decodes the YAML strictly (every problem at once, with file, line
// and column), applies a profile, expands the matrix into variants and prints
// the JSON Schema. It knows the names of workloads, engines and storage
// classes only through the Vocabulary it is given.
package study

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"plimsoll/internal/text/unit"
)

// Study is one question, with the chosen profile already applied.
type Study struct {
	// Name identifies the study in files and commands: lower-case letters,
	// digits and hyphens.
	Name string `yaml:"study" json:"study"`
	// Title and Question are shown at the head of the report.
	Title    string `yaml:"title,omitempty" json:"title,omitempty"`
	Question string `yaml:"question,omitempty" json:"question,omitempty"`
	// Answer says what answers the question; left out, it follows from the rest: see Asks.
	Answer Answer `yaml:"answer,omitempty" json:"answer,omitzero"`
	// Source cites the experiment this study re-enacts.
	Source string `yaml:"source,omitempty" json:"source,omitempty"`
	// Reference names published results to show with the study's own.
	Reference string `yaml:"reference,omitempty" json:"reference,omitempty"`
	// Claims are conclusions that the run is to show or to contradict, next to the conclusions of
	// Reference: a datasheet's, or your own of last year.
	Claims []Claim `yaml:"claims,omitempty" json:"claims,omitempty"`
	// Baseline is a run, or reference/NAME, to show throughput as fractions of its best.
	Baseline string `yaml:"baseline,omitempty" json:"baseline,omitempty"`
	// Profile is the name of the applied profile, empty for the full study.
	Profile string `yaml:"-" json:"profile,omitempty"`
	// Set lists what was set on the command line, each as PATH=VALUE.
	Set []string `yaml:"-" json:"set,omitempty"`
	// Reduced reports that the applied profile is scaled down; reports label it.
	Reduced bool `yaml:"reduced,omitempty" json:"reduced,omitempty"`

	// Members are the applications of a tile, in place of workload, engine, stack, target,
	// load and objectives: each has its own. The ladder then counts tiles. A study that was read
	// has at least one; the only one of a file without members has no name.
	Members []Member `yaml:"members,omitempty" json:"members,omitempty"`
	// Application is what the study of one member alone is of, as Tile returns it.
	Application
	// Deployment is how instances are set apart from their machine and from each
	// other; empty is bare.
	Deployment Deployment `yaml:"deployment,omitempty" json:"deployment,omitempty" jsonschema:"enum=bare,enum=container,enum=vm"`
	// Platform is where the instances run; empty is this machine.
	Platform Platform           `yaml:"platform,omitempty" json:"platform,omitzero"`
	Storage  map[string]Storage `yaml:"storage" json:"storage"`
	// StorageOrder lists the names of Storage in the order of the file.
	StorageOrder []string `yaml:"-" json:"storage_order"`
	Matrix       Matrix   `yaml:"matrix,omitempty" json:"matrix,omitempty"`
	Ladder       Ladder   `yaml:"ladder" json:"ladder"`
	Repetitions  int      `yaml:"repetitions,omitempty" json:"repetitions" within:"0..1000000"` // default 1
	// Tolerate is the share of a trial's instances that may fail by themselves: they are set
	// aside, and the trial goes on with the others. By default none may.
	Tolerate Percentage `yaml:"tolerate,omitempty" json:"tolerate,omitempty"`
	Phases   Phases     `yaml:"phases,omitempty" json:"phases"`
	// ObjectivesOf says who must keep them: each instance as well as all together,
	// which is the default, or only all together (whole).
	ObjectivesOf string  `yaml:"objectives_of,omitempty" json:"objectives_of,omitempty" jsonschema:"enum=each,enum=whole"`
	Prices       *Prices `yaml:"prices,omitempty" json:"prices,omitempty"`
	// MinGrade is the lowest grade (A to F) at which the study wants a verdict;
	// empty leaves it to whoever runs it.
	MinGrade string `yaml:"min_grade,omitempty" json:"min_grade,omitempty" jsonschema:"enum=A,enum=B,enum=C,enum=D,enum=E,enum=F"`
	// Accuracy is how far the answer may be off: the run goes on beyond its repetitions until no
	// figure behind the answer may be off by more. 0 asks for no more than the repetitions.
	Accuracy  Percentage `yaml:"accuracy,omitempty" json:"accuracy,omitempty" within:"0..1"`
	Telemetry Telemetry  `yaml:"telemetry,omitempty" json:"telemetry"`
	Faults    []Event    `yaml:"faults,omitempty" json:"faults,omitempty"` // whose survival is the question
	Events    []Event    `yaml:"events,omitempty" json:"events,omitempty"`
	Seed      uint64     `yaml:"seed,omitempty" json:"seed"` // default 1

	vocabulary Vocabulary // what the parameters were decoded with
	member     string     // that the study is of alone; empty is all of it
	weight     int        // of that member
	whole      *Study     // that it is a member of
}

// Claim is a conclusion, as a predicate on the figures of a run.
type Claim struct {
	// Predicate compares figures: throughput("ssd", 8) / throughput("hdd", 8) >= 5. Its functions
	// are in docs/claims.md.
	Predicate string `yaml:"claim" json:"claim"`
	// Text says it in words, and Place where it was published.
	Text  string `yaml:"text,omitempty" json:"text,omitempty"`
	Place string `yaml:"place,omitempty" json:"place,omitempty"`
}

// Application is what instances are, what users do there and what must hold.
type Application struct {
	Workload Workload `yaml:"workload,omitempty" json:"workload,omitzero"`
	Engine   Engine   `yaml:"engine,omitempty" json:"engine,omitzero"`
	// Stack says by role which server fills it, where an instance has several;
	// engine is short for a stack of one.
	Stack map[string]Engine `yaml:"stack,omitempty" json:"stack,omitempty"`
	// Target lists existing web sites by URL, one for each instance, in place of
	// engine or stack: nothing is prepared, started or audited.
	Target Target `yaml:"target,omitempty" json:"target,omitempty"`
	Load   Load   `yaml:"load,omitempty" json:"load,omitzero"`
	// Objectives are limits that its instances must keep. A rung is carried when
	// every member keeps its own.
	Objectives []Objective `yaml:"objectives,omitempty" json:"objectives,omitempty"`
}

// Member is one of the applications that a tile consists of, such as a shop that runs
// together with a file server. Each member has its own drivers, receipts, records and
// results.
type Member struct {
	// Name is in the names of its instances and servers: lower-case letters and digits,
	// beginning with a letter.
	Name string `yaml:"name" json:"name"`
	// Weight is how many instances of it each tile has.
	Weight int `yaml:"weight,omitempty" json:"weight" within:"0..1000000"` // default 1
	Application
	// ReferenceThroughput is the member's throughput in a reference tile, such as a
	// published one, in the workload's unit; the score is relative to it. 0 is the average
	// throughput in the tiles of the first rung of the first variant.
	ReferenceThroughput float64 `yaml:"reference_throughput,omitempty" json:"reference_throughput,omitempty"`
}

// Who must keep the objectives.
const (
	OfEach  = "each"  // every instance by itself, and all together
	OfWhole = "whole" // all together
)

// Workload names what the users do. Parameters is the workload's own typed,
// validated value (a pointer to its struct), defaults filled in.
type Workload struct {
	Name       string `yaml:"name" json:"name"`
	Parameters any    `yaml:"parameters,omitempty" json:"parameters,omitempty"`
}

// Platform is where instances run. Parameters is the platform's own typed value (a
// pointer to its struct), defaults filled in; nil where Name is empty.
type Platform struct {
	Name       string `json:"name,omitempty"`
	Parameters any    `json:"parameters,omitempty"`
}

// Deployment is how an instance is set apart from its machine and from others.
type Deployment string

// Deployments. A platform says which of them it can do.
const (
	// Bare servers are processes like any other of the machine.
	Bare Deployment = "bare"
	// Container runs the servers of an instance in one network and namespaces of their own.
	Container Deployment = "container"
	// VM runs the servers of an instance in a virtual machine.
	VM Deployment = "vm"
)

// OrBare is the deployment, with the default for an empty one.
func (d Deployment) OrBare() Deployment {
	if d == "" {
		return Bare
	}
	return d
}

// Engine is a server that every instance runs, with its limits.
type Engine struct {
	// Name is the engine's key.
	Name string `yaml:"name" json:"name"`
	// Version is a major version ("15"); empty takes the newest installed.
	Version string `yaml:"version,omitempty" json:"version,omitempty"`
	// CPU is the limit in cores, 0 for none; also as Kubernetes writes it, 500m.
	CPU unit.Cores `yaml:"cpu,omitempty" json:"cpu,omitempty"`
	// Memory is the limit of an instance in bytes, 0 for none.
	Memory unit.Bytes `yaml:"memory,omitempty" json:"memory,omitempty"`
	// Volume is the size an instance's volume must be able to reach.
	Volume unit.Bytes `yaml:"volume,omitempty" json:"volume,omitempty"`
	// Settings are passed to the engine's configuration file after the
	// settings that Plimsoll derives from the limits.
	Settings map[string]string `yaml:"settings,omitempty" json:"settings,omitempty"`
	// Count is how many servers of the role an instance has; 0 is one.
	Count int `yaml:"count,omitempty" json:"count,omitempty" within:"0..1000000"`
	// Storage places mounts of the role's servers on a storage (a key of Study.Storage).
	// Mounts without an entry are on the variant's storage.
	Storage map[string]string `yaml:"storage,omitempty" json:"storage,omitempty"`
	// Existing is an existing server, in place of one that is started.
	Existing *Existing `yaml:"existing,omitempty" json:"existing,omitempty"`
}

// Storage is one storage class of the study. Class names the kind; Parameters
// is that kind's own typed value (a pointer to its struct), defaults filled in.
type Storage struct {
	Class string `yaml:"class" json:"class"`
	// Label is the name in charts and tables; the study's key when empty.
	Label      string `yaml:"label,omitempty" json:"label,omitempty"`
	Parameters any    `yaml:"-" json:"parameters,omitempty"` // the remaining keys of the mapping
	// Otherwise is the class to use where this one is not usable. Its Rename
	// is the name that the storage then goes by, so that no result is labelled
	// with a medium that it did not run on; empty keeps the name.
	Otherwise *Storage `yaml:"otherwise,omitempty" json:"otherwise,omitempty"`
	Rename    string   `yaml:"name,omitempty" json:"rename,omitempty"`
	// OtherwiseNote is set when the class could not be used on this machine
	// and its fallback was taken; it says why.
	OtherwiseNote string `yaml:"-" json:"otherwise_note,omitempty"`
}

// Matrix lists factors and their levels; variants are their product. A factor
// is "storage" (names of Study.Storage), "deployment", or a dotted path into the
// study, such as engine.cpu, engine.settings.KEY, storage.NAME.KEY or
// workload.parameters.KEY. Without a matrix there is one variant for
// each storage class.
type Matrix struct {
	Factors []Factor         `yaml:"-" json:"factors,omitempty"` // in the order of the file
	Exclude []map[string]any `yaml:"exclude,omitempty" json:"exclude,omitempty"`
}

// Factor is one varied thing.
type Factor struct {
	Path   string `json:"path"`
	Levels []any  `json:"levels"`
}

// Variant is one configuration under test, fully resolved.
type Variant struct {
	// Name is made of the levels that vary, joined by hyphens; safe as a
	// directory name.
	Name string `json:"name"`
	// Factors maps each factor's path to the level as text.
	Factors map[string]string `json:"factors"`
	// StorageName is the key, in Storages, of the storage on which a mount is unless its
	// server says otherwise.
	StorageName string `json:"storage_name"`
	// Storages are those that the variant uses, by their keys in Study.Storage.
	Storages   map[string]Storage `json:"storages"`
	Deployment Deployment         `json:"deployment,omitempty"`
	// Members are the applications of its tile, as in a study.
	Members []Member `json:"members,omitempty"`
	// Application is what the variant of one member alone is of, as Tile returns it.
	Application
	// Member and Weight are set in a variant that Tile returned.
	Member string `json:"-"`
	Weight int    `json:"-"`
}

// UnmarshalJSON implements json.Unmarshaler. It also reads variants of earlier versions, which
// have the storage of StorageName in a field of its own, and may have an application in place of
// members.
func (v *Variant) UnmarshalJSON(data []byte) error {
	type variant Variant
	read := struct {
		*variant
		Storage *Storage           `json:"storage"`
		Placed  map[string]Storage `json:"placed"`
	}{variant: (*variant)(v)}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	if read.Storage != nil {
		v.Storages = map[string]Storage{v.StorageName: *read.Storage}
		maps.Copy(v.Storages, read.Placed)
	}
	lift(&v.Members, &v.Application)
	return nil
}

// UnmarshalJSON implements json.Unmarshaler. It also reads studies of earlier versions, which
// may have an application in place of members.
func (s *Study) UnmarshalJSON(data []byte) error {
	type study Study
	err := json.Unmarshal(data, (*study)(s))
	lift(&s.Members, &s.Application)
	return err
}

// HasObjectives reports whether instances of some application must keep a limit.
func (s *Study) HasObjectives() bool {
	return slices.ContainsFunc(s.Tile(), func(one *Study) bool { return len(one.Objectives) > 0 })
}

// lift makes an application that stands by itself the only member.
func lift(members *[]Member, own *Application) {
	if len(*members) == 0 {
		*members = []Member{{Weight: 1, Application: *own}}
	}
	*own = Application{}
}

// Ladder is the list of counts to try, or a search for the load line.
type Ladder struct {
	// Of is the unit of a rung: instances if it is empty, or OfUsers.
	Of    string `json:"of,omitempty"`
	Rungs []int  `json:"rungs,omitempty" within:"1..10000000"`
	// Auto searches from From on where the load line is predicted, until the bracket is
	// Precision instances wide (0: a tenth of the line, at least 1), within Budget trials per
	// variant, and Within from the start of the run (0: no limit). With Rungs it climbs those in order, up to the first that breaks an objective
	// or adds nothing to the score.
	Auto      bool          `json:"auto,omitempty"`
	From      int           `json:"from,omitempty" within:"0..10000000"`
	To        int           `json:"to,omitempty" within:"0..10000000"`
	Precision int           `json:"precision,omitempty" within:"0..10000000"`
	Budget    int           `json:"budget,omitempty" within:"0..10000000"`
	Within    unit.Duration `json:"within,omitzero"`
	// Alone also measures each member alone, without the other members of its tile, with
	// the instances of one tile. Its response times in the tile are compared with these.
	Alone bool `json:"alone,omitempty"`
}

// Climbs reports whether the rungs are measured in order until one ends the ladder.
func (l Ladder) Climbs() bool { return l.Auto && len(l.Rungs) > 0 }

// OfUsers makes a ladder of the users of one instance: workers on one volume, customers of
// one database. load.users and load.rate then apply to one step of the ladder.
const OfUsers = "users"

// Instances is how many there are at a rung.
func (l Ladder) Instances(rung int) int {
	if l.Of == OfUsers {
		return 1
	}
	return rung
}

// Load returns the load of each instance at a rung.
func (l Ladder) Load(each Load, rung int) Load {
	if l.Of == OfUsers {
		each.Users *= rung
		each.Rate *= float64(rung)
	}
	return each
}

// Noun returns the unit of a rung, in the singular. user is the workload's own word for a
// user, or empty.
func (l Ladder) Noun(user string) string {
	if l.Of != OfUsers {
		return "instance"
	}
	return cmp.Or(user, "user")
}

// Phases are the lengths of a trial's parts. Ramp is not counted in either.
type Phases struct {
	Warmup  unit.Duration `yaml:"warmup,omitempty" json:"warmup"`   // default 1m
	Measure unit.Duration `yaml:"measure,omitempty" json:"measure"` // default 5m
	// Expect is how long fixed work usually takes, which Measure only limits: what plans
	// estimate with. 0 is not known.
	Expect unit.Duration `yaml:"expect,omitempty" json:"expect,omitzero"`
	// RampRate is how many users a second each driver starts; 0 starts all at once.
	RampRate float64 `yaml:"ramp_rate,omitempty" json:"ramp_rate"` // default 10
	// End is how the load ends: users finish their work, or CutPower: the
	// power of storage and instances is cut while the users are at work, and
	// the audit asks what came back.
	End string `yaml:"end,omitempty" json:"end,omitempty"`
}

// For are the phases of fixed or timed work. Fixed work has no ramp and no warm-up: all
// of it is measured, from its beginning until it ends, for Measure at most.
func (p Phases) For(fixed bool) Phases {
	if fixed {
		p.Warmup, p.RampRate = 0, 0
	}
	return p
}

// Load is how many users there are and how they act.
type Load struct {
	// Users is the number of concurrent users of each instance.
	Users int `yaml:"users,omitempty" json:"users" within:"0..1000000"` // default 8
	// ThinkTime is the mean pause after a unit of work, drawn uniformly from
	// [0, 2*ThinkTime).
	ThinkTime unit.Duration `yaml:"think_time,omitempty" json:"think_time"`
	// Rate makes the loop open: units of work per second offered to each instance.
	// 0 is the closed loop.
	Rate float64 `yaml:"rate,omitempty" json:"rate,omitempty"`
	// Arrivals is how the open loop spaces work: constant, the default, or
	// poisson, as many independent users make it.
	Arrivals Arrivals `yaml:"arrivals,omitempty" json:"arrivals,omitempty"`
	// Bursts are when users are at work; nil is always.
	Bursts *Bursts `yaml:"bursts,omitempty" json:"bursts,omitempty"`
	// InstancesPerDriver is how many instances one driver process plays;
	// 0 is all of them.
	InstancesPerDriver int `yaml:"instances_per_driver,omitempty" json:"instances_per_driver,omitempty"`
}

// Bursts have users begin work for On of every Every, the first time Offset after the
// ramp. Between them they finish what they are doing and wait.
type Bursts struct {
	Every  unit.Duration `yaml:"every" json:"every"`
	On     unit.Duration `yaml:"on" json:"on"`
	Offset unit.Duration `yaml:"offset,omitempty" json:"offset,omitempty"`
}

// Share is the part of the time that users are at work, 0 to 1.
func (l Load) Share() float64 {
	if l.Bursts == nil {
		return 1
	}
	return l.Bursts.On.D().Seconds() / l.Bursts.Every.D().Seconds()
}

// Arrivals names a schedule of the open loop.
type Arrivals string

// Schedules of the open loop.
const (
	Constant Arrivals = "constant" // a unit of work every 1/Rate seconds
	Poisson  Arrivals = "poisson"  // exponential gaps with mean 1/Rate, as many independent users make
)

// Objective is a limit that the trial must keep, written "p95 <= 200ms",
// "mean <= 1s", "errors <= 0.1%", "purchase p99 <= 2s", "rate >= 99%", "au >= 90%", "growth >= 0%".
type Objective struct {
	Operation string  `json:"operation"` // empty is the unit of work
	Metric    string  `json:"metric"`    // mean, p50, p90, p95, p99, p99.9, max, errors, rolledback, undone, idle, decline
	Limit     float64 `json:"limit"`     // seconds; for errors, rolledback, undone, idle and decline a fraction
	Text      string  `json:"text"`      // as written
}

// Undone is the share of the units that an open loop offered and that were not done.
// Studies write its complement, the rate: "rate >= 99%" means at most 1 % undone.
const Undone = "undone"

// RolledBack is the metric of the share of units of work that their servers rolled back.
const RolledBack = "rolledback"

// Idle is the share of their time that users spend outside an operation whose time is the same
// for every unit of work. Studies write its complement by the name that the workload declares
// (describe.Metric): a minimum of 90 % means that users are idle for at most 10 % of the time.
const Idle = "idle"

// Decline is by which share the throughput of all instances is below the highest at fewer. Studies write
// its complement: "growth >= 0%" means that it must not be below, "growth >= -5%" by 5 % at most.
const Decline = "decline"

// IsShare reports whether the objective limits a share, of the units of work or of throughput, and not a time.
func (o Objective) IsShare() bool {
	return o.Metric == "errors" || o.Metric == RolledBack || o.Metric == Undone || o.Metric == Idle || o.Metric == Decline
}

// Telemetry says how often machines are sampled.
type Telemetry struct {
	Interval unit.Duration `yaml:"interval,omitempty" json:"interval"` // default 1s
}

// Prices is the cost model: what each variant is built from and what the
// parts cost.
type Prices struct {
	Currency string `yaml:"currency" json:"currency"` // ISO 4217
	// Years is the period that the total covers.
	Years float64 `yaml:"years" json:"years"`
	// Items are the parts. An item with For applies only to variants whose
	// factor levels all match.
	Items []PriceItem `yaml:"items" json:"items"`
	Note  string      `yaml:"note,omitempty" json:"note,omitempty"`
}

// PriceItem is one line of a bill.
type PriceItem struct {
	Name     string  `yaml:"name" json:"name"`
	Kind     string  `yaml:"kind,omitempty" json:"kind,omitempty"` // server, drive, controller, licence, subscription, support
	Quantity float64 `yaml:"quantity" json:"quantity"`
	Price    float64 `yaml:"price" json:"price"`                           // of one, for the period
	PerYear  bool    `yaml:"per_year,omitempty" json:"per_year,omitempty"` // Price is for one year
	// Capacity is the raw capacity of one unit in bytes, for price per TB.
	Capacity unit.Bytes `yaml:"capacity,omitempty" json:"capacity,omitempty"`
	// Protection is how drives keep data when one fails, such as replica 3 or replica 2 on RAID
	// 10+2; it decides how much of the capacity is usable.
	Protection string `yaml:"protection,omitempty" json:"protection,omitempty"`
	// Reserve is the share of the usable space that a file system keeps back.
	Reserve Percentage        `yaml:"reserve,omitempty" json:"reserve,omitempty"`
	For     map[string]string `yaml:"for,omitempty" json:"for,omitempty"`
}

// Event is something that is done while users are at work, such as "kill peer 2" or
// "checkpoint instance 0". The events of a list are in the order of their times. A fault is
// an event that breaks something; a study with a list of faults asks whether the
// applications survive them, unless answer says otherwise.
//
// docs/events.md lists all verbs. Faults that no later event undid are
// undone after the load. The trial then waits until redundancy is complete, records how long
// that took, and audits.
//
// "kill instance 0" works with every class; instances count from 0. It kills the instance's
// servers, or with "kill instance 0 db" the servers of one role, and starts them again on
// the same volumes; its users reconnect by themselves.
type Event struct {
	At unit.Duration `yaml:"at" json:"at"` // after the start of the measured phase
	// Every repeats the event until the end of the measured phase.
	Every unit.Duration `yaml:"every,omitempty" json:"every,omitempty"`
	// For undoes the event after a time, with the verb that undoes it.
	For unit.Duration `yaml:"for,omitempty" json:"for,omitempty"`
	// From leaves the event out of rungs with fewer instances, or tiles.
	From int    `yaml:"from,omitempty" json:"from,omitempty"`
	Do   string `yaml:"do" json:"do"`
}
