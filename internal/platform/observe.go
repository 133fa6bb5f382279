package platform

import (
	"context"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
)

// Observation says what to sample. The functions are called at every sample,
// by one goroutine; they may be nil.
type Observation struct {
	// Interval is the time between samples; 0 is one second.
	Interval time.Duration
	// Start is the common start of the drivers in the platform's clock, which
	// times count from.
	Start time.Time
	// Devices are the block devices behind the storage class. The machines' physical
	// devices are sampled too.
	Devices []describe.Device
	// Nodes are the storage servers.
	Nodes func() []storage.Node
	// Meters are their daemons that count what they do, where they run on this machine.
	Meters func() []storage.Meter
	// Instances and Tasks are the processes to watch. An instance that comes back
	// as another process goes on under its name.
	Instances func() []WatchedInstance
	Tasks     []WatchedTask
	// Seen gets each value once, as soon as it is known; Stop returns all of them again.
	// Nil if nobody listens. Several goroutines may call it at once. If two sources measure
	// a quantity, it gets the values of both.
	Seen func([]result.Series)
}

// WatchedInstance is a server that is watched.
type WatchedInstance struct {
	Name    string // of its series: "db-007"
	Process Process
	Meter   app.Meter // nil where its engine has none
	// Sessions lists its sessions, at the endpoint where it is reached from here; nil where its
	// engine does not list them. An existing server has no Process, and knows its own endpoint.
	Sessions func(context.Context, endpoint.Endpoint) (app.Sessions, error)
}

// SessionsAt returns what opens a session at the server as it is reached from here; nil where its
// engine does not list them. Reached is nil for an existing server.
func (w WatchedInstance) SessionsAt(reached func() endpoint.Endpoint) func(context.Context) (app.Sessions, error) {
	if w.Sessions == nil {
		return nil
	}
	return func(ctx context.Context) (app.Sessions, error) {
		if reached == nil {
			return w.Sessions(ctx, endpoint.Endpoint{})
		}
		return w.Sessions(ctx, reached())
	}
}

// WatchedTask is a task that is watched.
type WatchedTask struct {
	Name string // of its series: "driver-0"
	Task Running
}

// Observer samples until it is stopped.
type Observer interface {
	// Stop ends the sampling and gives the samples. Calling it again gives the same.
	Stop(ctx context.Context) (Observed, error)
}

// Observed is what an Observer saw.
type Observed struct {
	Machines []result.Host   // sorted by name
	Series   []result.Series // each with the name of its machine
	Notes    []string        // what a reader of the series must know
}
