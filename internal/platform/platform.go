// Package platform says where instances run. Implementations are packages
// below this one (local, later kubernetes) and pass platformtest.
package platform

import (
	"context"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/storage"
	"plimsoll/internal/workload"
)

// Abilities says what the platform can enforce here; a limit that it cannot
// enforce becomes a note on the result.
type Abilities struct {
	CPULimits    bool     `json:"cpu_limits"`
	MemoryLimits bool     `json:"memory_limits"`
	Cgroup       string   `json:"cgroup"` // v1, v2, none
	Notes        []string `json:"notes,omitempty"`
}

// Platform runs servers. Everything it makes is journalled first.
type Platform interface {
	Abilities() Abilities
	// User is who servers run as; volumes must belong to it.
	User() (uid, gid int)
	// Run runs a one-shot server (initdb) on a volume to its end. The error
	// carries the tail of its output.
	Run(ctx context.Context, s app.Server, v storage.Volume) error
	// Start starts a server and waits until it is ready. The error carries
	// the tail of its log.
	Start(ctx context.Context, s app.Server, v storage.Volume) (Process, error)
	// Task starts a task.
	Task(ctx context.Context, t Task) (Running, error)
	// Close stops what still runs and removes what the platform made.
	Close(ctx context.Context) error
}

// Process is one running server.
type Process interface {
	Name() string
	Endpoint() workload.Endpoint // Role is left empty
	// PIDs are the process and its descendants now.
	PIDs() []int
	// Cgroups maps a controller (or "" for v2) to the path of its cgroup
	// directory, empty when there is none.
	Cgroups() map[string]string
	// Done is closed when the process has ended by itself or by Stop or Kill;
	// Err then says why, with the tail of its log, or nil after Stop.
	Done() <-chan struct{}
	Err() error
	Log() string // path of its log
	Stop(ctx context.Context) error
	Kill() error
	// Started and ReadyAt tell how long the start took.
	Started() time.Time
	ReadyAt() time.Time
}
