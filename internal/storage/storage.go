// Package storage defines storage classes, which hand out the volumes of instances. Classes
// are packages below this one (directory, disk, gluster) and pass storagetest.
package storage

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/event"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/text/words"
)

// Volume is where data of an instance live.
type Volume struct {
	Name string `json:"name"`
	// Path is where servers and tasks find it: a directory, empty or cloned, owned by
	// Env.Owner, or a device. Empty is a volume that is only reached over a network, such
	// as a bucket.
	Path string `json:"path"`
	// Reached is how users reach it; zero is the directory at Path. See Endpoint.
	Reached endpoint.Endpoint `json:"reached,omitzero"`
	// Claim is the name of the claim that the volume is, on a platform that knows
	// volumes by claims; Path is then where the user of the volume finds it.
	Claim string `json:"claim,omitempty"`
	// Cgroups are the groups on the node that the volume shares with its instance, by
	// controller; the instance runs below them. Empty on storage that has nodes of its own.
	Cgroups map[string]string `json:"cgroups,omitempty"`
}

// Endpoint is how users reach the volume where no server stands before it. Its Role is
// left empty.
func (v Volume) Endpoint() endpoint.Endpoint {
	if v.Reached.Kind != "" || v.Path == "" {
		return v.Reached
	}
	return endpoint.OfDirectory("", v.Path)
}

// DeviceVolume is a volume that is a block device without a file system, of so many
// bytes; 0 is not known.
func DeviceVolume(name, path string, bytes int64) Volume {
	return Volume{Name: name, Path: path, Reached: endpoint.OfDevice("", path, bytes)}
}

// MemoryPath is the directory whose files are memory on every machine.
const MemoryPath = "/dev/shm"

// Claim describes a wanted volume.
type Claim struct {
	Name string // unique in the run
	// Kind is the kind of its endpoint, one of those that the class hands out
	// (Kind.VolumeKinds); empty is a directory, or the only kind that there is.
	Kind string
	// Bytes is how large it must be able to get, for classes whose volumes have a size;
	// 0 is Env.VolumeBytes.
	Bytes int64
	// With is the volume whose owner it has, as another mount of one server; empty is one of
	// its own.
	With string
	// Unshared are patterns of files (path.Match, from its root) that get blocks of their own
	// where clones share theirs.
	Unshared []string
}

// Of refuses a claim of another kind than a class hands out.
func (c Claim) Of(kinds ...string) error {
	if c.Kind == "" || slices.Contains(kinds, c.Kind) {
		return nil
	}
	return fmt.Errorf("make volume %s: it is to be a %s, but the storage class hands out %s", c.Name, c.Kind, strings.Join(kinds, " and "))
}

// Node is a storage server that telemetry should watch by itself.
type Node struct {
	Name    string            `json:"name"`              // peer1
	PIDs    []int             `json:"pids"`              // its daemons; children are included
	Cgroups map[string]string `json:"cgroups,omitempty"` // as platform.Process.Cgroups
	Netns   string            `json:"netns"`             // named network namespace, when it has its own
	CPU     float64           `json:"cpu"`               // limit in cores, 0 for none
}

// Env is the environment of a class.
type Env struct {
	RunID   string // unique; every object made carries it in its name
	Scratch string // directory on a real file system, of this class and run alone
	Journal *journal.Journal
	Owner   Owner
	// HasUser reports whether a server of the run runs as a user; nil where all are this
	// process's own.
	HasUser func(uid int) bool
	// Executable is the plimsoll binary, for helpers that are processes of
	// their own.
	Executable string
	Log        *slog.Logger
	// Claims makes claims, on a platform that has them; nil elsewhere.
	Claims Claims
	// VolumeBytes is how large volumes must be able to get whose claims do not say, for
	// classes whose volumes have a size.
	VolumeBytes int64
	// PowerCuts announces the use of PowerCutter: the class keeps the records that this
	// needs, at the cost of memory and CPU time.
	PowerCuts bool
}

// Owner says whom a volume is to belong to, by its name: whoever its server runs as. Nil
// is root.
type Owner func(volume string) (uid, gid int)

// Of is the owner of a volume.
func (o Owner) Of(volume string) (uid, gid int) {
	if o == nil {
		return 0, 0
	}
	return o(volume)
}

// For is the owner of a claim's volume.
func (o Owner) For(c Claim) (uid, gid int) { return o.Of(cmp.Or(c.With, c.Name)) }

// Class hands out volumes. Up is called once before the rest and Down once
// after; both are idempotent. Everything that stays behind a crash is
// journalled before it is made. Methods other than Up and Down may be called
// concurrently.
type Class interface {
	// Up makes the class ready (mounts, starts daemons). Its error names what this machine
	// lacks and how to get it.
	Up(ctx context.Context) error
	// Describe describes the storage; valid after Up.
	Describe() describe.Storage
	// Devices lists the devices behind it; valid after Up.
	Devices() []describe.Device
	// Nodes lists its servers, if it has any.
	Nodes() []Node
	// Import brings a golden data directory in, once per key, so that Clone
	// is fast. The source stays unchanged and must stay until Down.
	Import(ctx context.Context, key, source string) error
	// Provision makes an empty volume.
	Provision(ctx context.Context, c Claim) (Volume, error)
	// Clone makes a volume with the contents that Import brought in.
	Clone(ctx context.Context, key string, c Claim) (Volume, error)
	// Delete removes a volume and gives its space back.
	Delete(ctx context.Context, v Volume) error
	// Settle writes back data left dirty by provisioning and drops caches as far as
	// permitted, so that trials start alike. It reports its actions.
	Settle(ctx context.Context) (string, error)
	// Down removes everything.
	Down(ctx context.Context) error
	// Capabilities are the abilities that not every class has.
	Capabilities() Capabilities
}

// Capabilities are the abilities of a class besides handing out volumes; a missing one is nil. The
// tag names a capability in lists.
type Capabilities struct {
	// Remount drops the volumes from every cache between the servers and the medium, so that
	// later reads come from the medium: it unmounts them and mounts them again where they
	// were. Where it cannot or must not, it writes back and drops caches. No process may use
	// the volumes meanwhile. Limits stay removed until the next Settle.
	Remount func(ctx context.Context) (RemountResult, error) `has:"caches that can be dropped"`
	// RemoveLimits takes simulated times and limits off until the next Settle, for work that
	// is not measured.
	RemoveLimits func() error `has:"simulated limits that can be lifted"`
	// Doubts lists what went wrong with the class's own figures since the last Settle, such
	// as a simulation that could not keep up.
	Doubts func(ctx context.Context) []Doubt `has:"doubts about its own figures"`
	// CheckCopies compares the copies of a volume, which nobody uses meanwhile.
	CheckCopies func(ctx context.Context, v Volume) (Copies, error) `has:"a comparison of copies"`
	// TierWork counts the work of its cache tiers since the last Settle.
	TierWork func(ctx context.Context) (TierWork, error) `has:"counts of cache tiers"`
	// Meters are the daemons that can be asked now.
	Meters func() []Meter `has:"counters of daemons"`
	// Happened is what changed by itself or after a fault since it was last asked, such as a
	// recovery that began, in order of time.
	Happened func() []Event `has:"records of what happened by itself"`
	// Do does an event of the kind's declaration that cuts no power, such as "kill peer 2",
	// and returns when it is done. on are the volumes of the servers that it is about, if it
	// is about any.
	Do     func(ctx context.Context, e event.Event, on []Volume) error `has:"events while users are at work"`
	Healer Healer                                                      `has:"faults that are repaired"`
	Power  PowerCutter                                                 `has:"power cuts"`
	// Clones is for a class that can clone none but volumes of its own: a data set is
	// prepared on one of them, and the source of Import is that volume's name. It returns the
	// cloning method in a word or two ("volume clone", "snapshot"), or the reason why there is
	// none. Both are for the result.
	Clones func(ctx context.Context) (by, whyNot string, err error) `has:"clones of its own volumes alone"`
}

// Healer is a class whose events may break something.
type Healer interface {
	// Repair undoes the faults that are left (restarts killed processes, restores links)
	// and reports its actions; there may be nothing to do.
	Repair(ctx context.Context) (done []string, err error)
	// Healthy reports whether redundancy is complete again.
	Healthy(ctx context.Context) (bool, error)
}

// PowerCutter is a class whose power can be cut, like a machine's with its
// disks. Env.PowerCuts announces it before Up.
type PowerCutter interface {
	// CutPower cuts the power of everything, or of a part that the class knows, such as
	// "peer 2". From here on everything on it fails; some of the data that no completed
	// flush covers is lost, drawn by the seed.
	CutPower(ctx context.Context, part string, seed uint64) (PowerLoss, error)
	// RestorePower switches the power on, lets the file systems recover and
	// brings the volumes back where they were. The callers have ended what used
	// them. An error that the loss explains is part of the answer: the storage
	// did not survive.
	RestorePower(ctx context.Context) error
}

// PowerLoss counts the effects of a power cut.
type PowerLoss struct {
	Unflushed int64 `json:"unflushed"` // writes that could be lost
	Lost      int64 `json:"lost"`      // writes that were lost as a whole
	Torn      int64 `json:"torn"`      // writes that were lost in part
	Bytes     int64 `json:"bytes"`     // that are as they were before
}

// Plus adds the losses of several disks.
func (l PowerLoss) Plus(o PowerLoss) PowerLoss {
	return PowerLoss{l.Unflushed + o.Unflushed, l.Lost + o.Lost, l.Torn + o.Torn, l.Bytes + o.Bytes}
}

// String is for people.
func (l PowerLoss) String() string {
	if l.Unflushed == 0 {
		return "no unflushed writes"
	}
	return fmt.Sprintf("of %d unflushed writes, %d were lost and %d were torn, %.1f MB in total",
		l.Unflushed, l.Lost, l.Torn, float64(l.Bytes)/1e6)
}

// Copies is how the copies of a volume compare.
type Copies struct {
	Files     int      // compared; 0 where there is nothing to compare
	Different []string // files with different copies, and where
}

// RemountResult is the outcome of a remount, for the result.
type RemountResult struct {
	Done string   // reads that come from the medium from here on: "unmounted ..."
	Kept []string // what could not be dropped, and why
}

// String says both.
func (r RemountResult) String() string {
	if len(r.Kept) == 0 {
		return r.Done
	}
	return r.Done + "; kept: " + strings.Join(r.Kept, "; ")
}

// Doubt is a class's objection to its own figures.
type Doubt struct {
	Said words.Phrase
	// Lost is how much longer requests took than the simulation says, summed over all of
	// them; 0 where the doubt is about something else.
	Lost time.Duration
}

// Meter is a daemon with counters.
type Meter struct {
	Name string // osd.0
	// Read asks it once. Counts that it does not have are left out; it is an error where
	// it has none.
	Read func(context.Context) ([]Count, error)
}

// Count is a counter of a daemon.
type Count struct {
	Metric string // of telemetry's kind daemon
	As     CountKind
	// Value is the current value, or the sum since the daemon began.
	Value float64
	// Of is how many things Value is the sum of, where it is the mean that counts.
	Of float64
}

// CountKind decides how a counter becomes a sample.
type CountKind int

// Kinds of counters.
const (
	Level CountKind = iota // the value
	Rate                   // its growth by the second
	Mean                   // the growth of the value for each thing that it is the sum of
)

// Event is a change in the storage at a moment.
type Event struct {
	At   time.Time
	Text string
}

// TierWork counts the work of one or more cache tiers.
type TierWork struct {
	Hits, Misses int64 // reads that a tier answered alone, and the others
	Bypassed     int64 // writes that passed a full tier by
	// Bytes that were copied to the tier, that were written back, and that were
	// dirty at the end.
	Promoted, WrittenBack, Dirty int64
}

// Plus adds the work of several tiers.
func (w TierWork) Plus(o TierWork) TierWork {
	return TierWork{
		w.Hits + o.Hits, w.Misses + o.Misses, w.Bypassed + o.Bypassed,
		w.Promoted + o.Promoted, w.WrittenBack + o.WrittenBack, w.Dirty + o.Dirty,
	}
}

// String is for people; empty when nothing happened.
func (w TierWork) String() string {
	if w == (TierWork{}) {
		return ""
	}
	reads := "there were no reads"
	if all := w.Hits + w.Misses; all > 0 {
		reads = fmt.Sprintf("it answered %.0f %% of %d reads", 100*float64(w.Hits)/float64(all), all)
	}
	return fmt.Sprintf("cache tier: %s; %.1f MB were copied to it, %.1f MB were written back and %.1f MB were dirty at the end; %d writes bypassed it because too much was dirty",
		reads, float64(w.Promoted)/1e6, float64(w.WrittenBack)/1e6, float64(w.Dirty)/1e6, w.Bypassed)
}

// Kind makes classes of one kind from their typed parameters.
type Kind interface {
	Name() string
	// Defaults returns a pointer to a fresh parameter struct with yaml and json
	// tags and jsonschema descriptions.
	Defaults() any
	// Validate reports every impossible value as "field: reason".
	Validate(parameters any) []describe.Problem
	// Usable reports whether this machine can run it; the error names the missing parts and
	// the commands that install them.
	Usable(parameters any) error
	// VolumeKinds lists the kinds of endpoints that volumes are, such as
	// endpoint.Device; without parameters, all that any parameters give.
	VolumeKinds(parameters any) []string
	// Place describes, before anything is up, where volumes take their space and the
	// class's own needs. The plan checks space, memory and time with it.
	Place(parameters any) Place
	// New binds parameters to an environment; nothing happens before Up.
	New(name string, parameters any, env Env) (Class, error)
	// Capabilities are the abilities that not every kind has.
	Capabilities() KindCapabilities
}

// KindCapabilities are the optional abilities of a kind; a missing one is nil. The tag names an
// ability in lists.
type KindCapabilities struct {
	// Checker looks for the class's requirements on the machine.
	Checker doctor.Checker `has:"checks of its requirements"`
	// CheckPath returns an error if volumes cannot be below a work directory.
	CheckPath func(directory string) error `has:"limits on work directories"`
	// Events declares what classes with these valid parameters can do while users are at
	// work; of nil, what any of them can. Studies ask it before anything is up.
	Events func(parameters any) event.Declaration `has:"a declaration of events"`
	// Asks names, from the parameters alone, the existing servers that Usable connects to and
	// the sources of the secrets it uses there; it is empty where there are none.
	Asks func(parameters any) string `has:"questions to existing servers"`
	// CheckShared names the servers that cannot use a volume at once because they are not on
	// one node.
	CheckShared func(parameters any) error `has:"a check of volumes shared between nodes"`
	Lender      Lender                     `has:"volumes on existing servers"`
	// Claims is for classes whose volumes are claims of the platform's; they need Env.Claims.
	Claims ClaimKind `has:"claims of the platform's storage classes"`
	// Class has every ability that some parameters give a class. It is for lists: its functions
	// belong to no class that is up.
	Class Capabilities
}

// Lender makes volumes on existing servers, such as buckets of an object store. No
// sweep of a machine reaches the leftovers of a crash there: anyone who can log in removes
// them.
type Lender interface {
	// Lends are the kinds of objects that its volumes are in the journal.
	Lends() []journal.Kind
	// Lent reports whether an object of the journal is a volume of a class with these
	// parameters.
	Lent(parameters any, o journal.Object) bool
	// GiveBack removes such a volume of a run with all its contents, and nothing else.
	// found reports whether it was still there.
	GiveBack(ctx context.Context, parameters any, run string, o journal.Object) (found bool, err error)
	// ByHand tells a person who can log in how to remove an object of these kinds.
	ByHand(o journal.Object) string
}

// Place is where volumes of a class take their space from.
type Place struct {
	// Path is a directory on the file system that is filled; empty is the
	// run's work directory.
	Path string
	// Elsewhere reports that volumes take no space on file systems of this machine: they
	// are devices, claims or volumes of existing servers.
	Elsewhere bool
	// InMemory reports whether space there is memory (tmpfs).
	InMemory bool
	// Capacity is the size of the class itself in bytes, 0 for the size of the file system.
	Capacity int64
	// VolumeCapacity is the size of each volume in bytes, where it is fixed; 0 is not
	// known.
	VolumeCapacity int64
	// Copies is how many bytes are kept for each byte of a volume, such as 3
	// for three replicas; 0 is one.
	Copies float64
	// Memory is the need of the class's own servers, and VolumeMemory each volume's
	// addition to it, in bytes.
	Memory, VolumeMemory int64
	// Media is how many simulated media it consists of, and MediumMemory each medium's
	// share of Memory and of a volume's.
	Media        int
	MediumMemory int64
	// VolumeTime is how long a volume takes to be made and deleted, besides the
	// copying of its contents.
	VolumeTime time.Duration
}

// Registry holds the kinds by name.
type Registry map[string]Kind

// NewRegistry registers each kind under its name.
func NewRegistry(kinds ...Kind) Registry {
	r := Registry{}
	for _, k := range kinds {
		r[k.Name()] = k
	}
	return r
}

// Capabilities returns the capabilities of a kind, none for an unknown one.
func (r Registry) Capabilities(class string) KindCapabilities {
	if k, ok := r[class]; ok {
		return k.Capabilities()
	}
	return KindCapabilities{}
}

// Get finds a kind; its error lists the known ones.
func (r Registry) Get(class string) (Kind, error) {
	if k, ok := r[class]; ok {
		return k, nil
	}
	return nil, fmt.Errorf("unknown storage class %q; known: %v", class, slices.Sorted(maps.Keys(r)))
}
