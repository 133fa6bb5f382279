// Package platform says where instances run. Implementations are packages
// below this one (local, kubernetes) and pass platformtest.
//
// Whoever uses a platform knows nothing of where it is: it shares no file
// system with it, names no process and no directory of it, and its clock may
// differ. What a campaign is to have comes back over streams, which may break
// and are then opened again.
package platform

import (
	"context"
	"io"
	"log/slog"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/event"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
)

// Kind makes platforms of one kind. It can be asked before anything runs, and
// after a crash. One that leaves objects elsewhere than on this machine is a journal.Leaver.
type Kind interface {
	Name() string // local, kubernetes
	// Defaults gives a pointer to a fresh struct of the platform's parameters in a study,
	// with yaml and json tags and jsonschema descriptions.
	Defaults() any
	// Validate reports every impossible value as "field: reason".
	Validate(parameters any) []describe.Problem
	// Bind gives the kind as valid parameters have it; nil is Defaults.
	Bind(parameters any) Kind
	// Hosts says why volumes of a kind of storage class cannot be had here; nil is
	// that they can.
	Hosts(k storage.Kind) error
	// Find describes an installation before anything runs. It has no Paths if its programs
	// are elsewhere. See app.Engine.
	Find(ctx context.Context, e app.Engine, version string, fetch bool) (app.Installation, error)
	// Capacity is what all instances together may use.
	Capacity(ctx context.Context) (describe.Capacity, error)
	// Deploys returns nil if instances can be deployed so. Otherwise the error names the
	// missing requirement and the command that supplies it.
	Deploys(ctx context.Context, d study.Deployment) error
	// Space is the file system of a directory, which need not exist yet.
	Space(ctx context.Context, directory string) (describe.Space, error)
	// Kept is the golden store of a cache, as a person sees it between runs.
	Kept(cache string) Kept
	// Offline gives the kind that answers for what the study describes, without asking a machine
	// or a cluster.
	Offline() Kind
	// New makes the platform of a run.
	New(env Env) (Platform, error)
	// Capabilities are the abilities that not every kind has.
	Capabilities() KindCapabilities
}

// KindCapabilities are the optional abilities of a kind; a missing one is nil. The tag names an
// ability in lists.
type KindCapabilities struct {
	// Checker looks for the platform's requirements on the machine or the cluster.
	Checker doctor.Checker `has:"checks of its requirements"`
	// ClaimClass describes one of the storage classes of the kind's own; the default one when
	// name is empty. The error lists the available classes.
	ClaimClass func(ctx context.Context, name string) (storage.ClaimClass, error) `has:"descriptions of its storage classes"`
	// Events declares what platforms with these valid parameters can do while users are at
	// work; of nil, what any of them can. Studies ask it before anything runs.
	Events func(parameters any) event.Declaration `has:"a declaration of events"`
	// Platform has the abilities of its platforms. It is for lists: its functions belong to no
	// platform that runs.
	Platform Capabilities
}

// Env is what a platform may use.
type Env struct {
	RunID string // unique; every object made carries it in its name
	Work  string // directory of this run alone, on the campaign's machine
	// Cache names the golden store, and CacheLimit bounds its size when the run ends, in
	// bytes; 0 is no limit. Without a name there is no store.
	Cache      string
	CacheLimit int64
	// Executable is the plimsoll binary, which tasks run; this program when empty.
	Executable string
	// Journal is where objects are announced; nil in tests only.
	Journal *journal.Journal
	Log     *slog.Logger
}

// Abilities says what the platform can enforce here; a limit that it cannot
// enforce becomes a note on the result.
type Abilities struct {
	CPULimits    bool     `json:"cpu_limits"`
	MemoryLimits bool     `json:"memory_limits"`
	Cgroup       string   `json:"cgroup"` // v1, v2, none
	Notes        []string `json:"notes,omitempty"`
}

// Platform runs servers and tasks and watches them. Everything it makes is
// journalled first. It is safe for concurrent use.
type Platform interface {
	GoldenStore
	Abilities() Abilities
	// Find looks for an installation where servers run. See app.Engine.
	Find(ctx context.Context, e app.Engine, version string, fetch bool) (app.Installation, error)
	// User is who a server on a volume of this name runs as, and whom the volume must
	// belong to. One without a volume goes by its own name.
	User(name string) (uid, gid int)
	// Run runs a one-shot server (initdb) on a volume, and maybe others, to its end. The
	// error carries the tail of its output.
	Run(ctx context.Context, s app.Server, v storage.Volume, others ...Mounted) error
	// Start starts a server and waits until it is ready. A volume without a path
	// is none: only its control groups count. The error carries the tail of its log.
	Start(ctx context.Context, s app.Server, v storage.Volume, others ...Mounted) (Process, error)
	// Address reserves the address at which a server will listen, as host:port, so that
	// other servers can be configured with it before it starts. It is given up when the
	// server has ended, or with the platform.
	Address(ctx context.Context, s app.Server) (string, error)
	// Reserve makes places for tasks that are to begin together (pods, on a cluster) and
	// returns when Task can begin each of them at once. Only the kinds of their jobs count.
	// release gives up the places that no Task has taken.
	Reserve(ctx context.Context, tasks []Task) (release func(context.Context) error, err error)
	// Task starts a task.
	Task(ctx context.Context, t Task) (Running, error)
	// Observe begins to sample what machines and processes do.
	Observe(ctx context.Context, o Observation) (Observer, error)
	// Logs lists the logs that were written to since a moment, including logs of servers
	// that never became ready.
	Logs(ctx context.Context, since time.Time) ([]Log, error)
	// CopyOut copies an unused volume to a directory of the campaign's machine, which must
	// not exist. A copy that fails leaves nothing.
	CopyOut(ctx context.Context, v storage.Volume, to string) error
	// Close stops what still runs and removes what the platform made.
	Close(ctx context.Context) error
	// Capabilities are the abilities that not every platform has.
	Capabilities() Capabilities
}

// Capabilities are the optional abilities of a platform; a missing one is nil. The tag names an
// ability in lists.
type Capabilities struct {
	// Claims is for volumes that are claims of its own storage classes.
	Claims storage.Claims `has:"volumes as claims of its storage classes"`
	// Actor does events to the servers of instances.
	Actor Actor `has:"events while users are at work"`
	// HasUser reports whether a server of the run runs as a user of the machine.
	HasUser func(uid int) bool `has:"a user for each server"`
	// Refused is how often it has refused something for now because it was asked too much,
	// for who uses it to do less at once.
	Refused func() int64 `has:"requests to do less at once"`
}

// CapabilitiesOf are a platform's; no platform has none.
func CapabilitiesOf(p Platform) Capabilities {
	if p == nil {
		return Capabilities{}
	}
	return p.Capabilities()
}

// Mounted is a further volume of a server, after its first.
type Mounted struct {
	Mount string // its name: ${VOLUME:archive} is where it is
	storage.Volume
}

// MountedAt gives the paths of further volumes by the names of their mounts.
func MountedAt(all []Mounted) map[string]string {
	at := map[string]string{}
	for _, m := range all {
		at[m.Mount] = m.Path
	}
	return at
}

// Process is one running server.
type Process interface {
	Name() string
	Endpoint() endpoint.Endpoint // Role is left empty
	// Asked is how this process reaches it; Endpoint is how others near it do.
	Asked() endpoint.Endpoint
	// Done is closed when the process has ended by itself or by Stop or Kill;
	// Err then says why, with the tail of its log, or nil after Stop.
	Done() <-chan struct{}
	Err() error
	// Log reads the server's output. It can be read after the server's end, until Close of
	// the platform.
	Log(ctx context.Context) (io.ReadCloser, error)
	Stop(ctx context.Context) error
	Kill() error
	// Started and ReadyAt give how long the start took.
	Started() time.Time
	ReadyAt() time.Time
}

// Log is the log of a server or task. Errors of the platform name it.
type Log struct {
	Name string // "t3-db-007.log"
	Open func(ctx context.Context) (io.ReadCloser, error)
}
