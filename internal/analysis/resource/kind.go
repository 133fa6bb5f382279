package resource

import "cmp"

// Kind says what a resource is. What follows from it is in the table of traits alone.
type Kind string

// Kinds of resources.
const (
	CPU           Kind = "cpu"            // of a whole machine
	Device        Kind = "device"         // behind the storage
	Network       Kind = "network"        // an interface
	Memory        Kind = "memory"         // space, not time
	Node          Kind = "node"           // a storage server, against its own CPU limit
	Quota         Kind = "quota"          // CPU limit of the servers of a role
	DriverQuota   Kind = "driver-quota"   // CPU limit of a driver
	Container     Kind = "container"      // CPU quota over everything that runs on a machine for a trial
	DriverThreads Kind = "driver-threads" // that users can run on, shared by many
	UserThreads   Kind = "user-threads"   // that users can run on, one each
	Gauge         Kind = "gauge"          // what servers count of themselves: workers, connections
	WayStage      Kind = "stage"          // of a way that data take
	Metric        Kind = "metric"         // what an existing Prometheus tells
	Core          Kind = "core"           // the busiest of a machine, which a thread cannot leave
	MemoryWait    Kind = "memory-wait"    // of what runs on a machine, for memory
	Driver        Kind = "driver"         // part of the CPU: what the load itself takes
	Process       Kind = "process"        // part of the CPU: helper processes, such as a simulated medium
	Role          Kind = "role"           // part of the CPU: the servers of a role
)

// Stage is where on the way from the users to the media a resource belongs.
type Stage string

// Stages, in order.
const (
	DriverStage  Stage = "driver"
	RoleStage    Stage = "role"
	StorageStage Stage = "storage"
	MediaStage   Stage = "media"
	MachineStage Stage = "machine"
)

// Remedy is what would show that a resource limits.
type Remedy int

// Remedies.
const (
	MoreOfIt        Remedy = iota // nothing is known of how
	MoreUsers                     // each user had a core
	FewerOnDriver                 // fewer instances on each driver
	MoreDrivers                   // machines or cores
	DriversApart                  // on another machine
	LessCPU                       // of each instance
	MoreStorageCPU                // of the storage's servers
	FasterMedium                  // or more drives
	RaiseContainer                // the quota that Plimsoll runs in
	RaiseQuota                    // the quota of a role's servers
	MoreWorkers                   // the workers of a role's servers
	LiftStage                     // less for a stage to do, or a faster link
	MoreCoresAtOnce               // work on more threads, or a faster core
	MoreMemory                    // or less in it
)

// traits is what follows from a kind.
type traits struct {
	noun   string // for tables: "disk"; the kind itself where it is empty
	plural string // with an s where it is empty
	stage  Stage  // MachineStage where it is empty
	remedy Remedy

	part     bool // it is counted in the machine's CPU, too
	threads  bool // it is some of the cores of a machine, told where they limit
	waiting  bool // it is time that work waits for something else than time, told where it matters
	load     bool // it belongs to the load generator alone
	quota    bool // it is a share of a limit that is used, rather than time that is busy
	space    bool // full is not busy
	occupied bool // it is taken while requests wait for others, too
	station  bool // a unit of work queues for it by itself
	storage  bool // storage that limits shows in it
	way      bool // it is time of one of several stages, and none of a machine's
	alike    bool // all of the kind change together: the disks of a pool, its servers
	sized    bool // how much of it there is, is a speed: more of it makes a request shorter
}

var kinds = map[Kind]traits{
	CPU:           {noun: "CPU", station: true, remedy: LessCPU},
	Device:        {noun: "disk", stage: MediaStage, station: true, storage: true, alike: true, sized: true, remedy: FasterMedium},
	Network:       {station: true, storage: true},
	Memory:        {plural: "memories", space: true},
	Node:          {stage: StorageStage, station: true, storage: true, alike: true, remedy: MoreStorageCPU},
	Quota:         {stage: RoleStage, quota: true, remedy: RaiseQuota},
	DriverQuota:   {noun: "driver limit", quota: true, load: true, remedy: MoreDrivers},
	Container:     {quota: true, remedy: RaiseContainer},
	DriverThreads: {plural: "driver-threads", threads: true, load: true, remedy: FewerOnDriver},
	UserThreads:   {plural: "user-threads", threads: true, load: true, remedy: MoreUsers},
	Gauge:         {stage: RoleStage, occupied: true, remedy: MoreWorkers},
	WayStage:      {stage: RoleStage, way: true, remedy: LiftStage},
	Metric:        {},
	Core:          {threads: true, remedy: MoreCoresAtOnce},
	MemoryWait:    {noun: "wait for memory", plural: "waits for memory", waiting: true, remedy: MoreMemory},
	Driver:        {part: true, remedy: DriversApart},
	Process:       {plural: "processes", part: true},
	Role:          {part: true},
}

// KindInfo is what a reader of results needs to know of a kind.
type KindInfo struct {
	Noun   string `json:"noun"`   // what tables call one of the kind: "disk", "CPU", "driver limit"
	Plural string `json:"plural"` // several of them
	// Space reports that it is space rather than time: full is not busy.
	Space bool `json:"space,omitempty"`
	// Requests reports that the utilisation of one that serves several requests at once is the
	// share of these, or of the rate that it moves at most.
	Requests bool `json:"requests,omitempty"`
}

// About tells it of the kind.
func (k Kind) About() KindInfo {
	t := kinds[k]
	noun := cmp.Or(t.noun, string(k))
	return KindInfo{Noun: noun, Plural: cmp.Or(t.plural, noun+"s"), Space: t.space, Requests: t.sized}
}

// AboutAll tells it of the kinds of some resources; nil where there are none.
func AboutAll(all map[Kind]KindInfo, resources []Resource) map[Kind]KindInfo {
	for _, r := range resources {
		if all == nil {
			all = map[Kind]KindInfo{}
		}
		all[r.Kind] = r.Kind.About()
	}
	return all
}

// PartOfCPU reports whether the kind is counted in the machine's CPU, too.
func (k Kind) PartOfCPU() bool { return kinds[k].part }

// IsThreads reports whether the kind is some of the cores of a machine: those that users can use,
// or one that a thread cannot leave.
func (k Kind) IsThreads() bool { return kinds[k].threads }

// IsWaiting reports whether the kind is time spent waiting for space: memory.
func (k Kind) IsWaiting() bool { return kinds[k].waiting }

// OnlyLimiting reports whether one of the kind is told of only where it limits.
func (k Kind) OnlyLimiting() bool { return k.IsThreads() || k.IsWaiting() }

// IsSpace reports whether the kind is space rather than time: full is not busy.
func (k Kind) IsSpace() bool { return kinds[k].space }

// IsOccupied reports whether requests occupy the kind while they wait for others, too, so that it
// is no demand of a queueing network.
func (k Kind) IsOccupied() bool { return kinds[k].occupied }

// IsQuota reports whether the kind is a limit that is partly used.
func (k Kind) IsQuota() bool { return kinds[k].quota }

// IsStage reports whether the kind is a stage of a pipeline: it waits for other stages, and
// its busy time is also busy time of a CPU, a device or a network.
func (k Kind) IsStage() bool { return kinds[k].way }

// OfStorage reports whether storage that limits shows in the kind, of a network where it is the
// storage's own.
func (k Kind) OfStorage() bool { return kinds[k].storage }

// Alike reports whether all resources of the kind change together.
func (k Kind) Alike() bool { return kinds[k].alike }
