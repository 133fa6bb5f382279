// Package standin is an engine and a workload that replace real ones in benchmarks: no server
// runs, and users do nothing, so that only Plimsoll's own work is measured.
package standin

import (
	"context"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
)

const (
	// Name is the name of both the engine and the workload, and Role is the role of the engine's
	// servers.
	Name = "stand-in"
	Role = "server"

	kind = "simulated"
	// nobodys is an image whose containers are only said to run.
	nobodys = "plimsoll.test/stand-in:1"
)

// Engine describes servers that are ready as soon as they are said to run.
type Engine struct{}

func (Engine) Name() string { return Name }
func (Engine) Kind() string { return kind }

func (Engine) Find(context.Context, string, bool) (app.Installation, error) {
	return app.Installation{Engine: Name, Version: "1", Source: "image"}, nil
}

func (Engine) Initialise(app.Installation, app.Config) []app.Server { return nil }

func (Engine) Server(_ app.Installation, c app.Config) app.Server {
	return app.Server{
		Name: c.Name, Kind: kind, Image: nobodys, Command: []string{Name, "${HOST}:${PORT}", "${VOLUME}"}, Stop: "TERM",
		Files: []app.File{{Path: "${RUNTIME}/secret", Content: c.Password, Mode: 0o600}}, Limits: c.Limits,
		Ready:   func(context.Context, endpoint.Endpoint) error { return nil },
		Payload: endpoint.With(endpoint.SQL{Database: c.Database}), User: c.User, Password: c.Password,
	}
}

func (Engine) Capabilities() app.Capabilities { return app.Capabilities{} }

func (Engine) Memory(app.Config) int64 { return 1 << 20 }
func (Engine) Overhead() int64         { return 1 << 20 }

// Work is the workload.
type Work struct {
	// Operations are those that it names, the unit of work first; none is the unit alone.
	Operations []string
}

// Parameters are none.
type Parameters struct{}

// Validate implements workload.Parameters.
func (*Parameters) Validate() []describe.Problem { return nil }

func (Work) Name() string                  { return Name }
func (Work) Defaults() workload.Parameters { return &Parameters{} }

func (w Work) Describe(workload.Parameters) describe.Profile {
	operations := w.Operations
	if len(operations) == 0 {
		operations = []string{"order"}
	}
	return describe.Profile{
		Workload: Name, Operations: operations, Unit: describe.Unit{Name: "order", Plural: "orders", Throughput: "OPM", Seconds: 60},
	}
}

func (Work) Roles(workload.Parameters) []workload.Role {
	return []workload.Role{{Name: Role, Kinds: []string{kind}, Mounts: workload.Data(), Needed: workload.Always}}
}

func (Work) Dataset(workload.Parameters, workload.Kinds, uint64) workload.Dataset {
	return workload.Loaded(Role, "nothing", workload.Contents{Key: Name, Database: Name, User: "web", Space: workload.Space{Bytes: 1 << 20}})
}

func (Work) Prepare(_ context.Context, _ workload.Target, _ workload.Parameters, _ uint64, progress func(float64)) error {
	progress(1)
	return nil
}

func (Work) Open(context.Context, workload.Target, workload.Parameters, int, uint64) (workload.Session, error) {
	return session{}, nil
}

// Capabilities implements workload.Workload.
func (w Work) Capabilities() workload.Capabilities { return workload.Capabilities{Audit: w.Audit} }

// Audit makes the campaign audit each instance.
func (Work) Audit(context.Context, workload.Target, workload.Parameters, uint64, workload.Receipts) (describe.Audit, error) {
	return describe.Audit{Checks: []describe.Check{{Name: "nothing was lost", Passed: true}}}, nil
}

type session struct{}

// Do takes a millisecond.
func (session) Do(_ context.Context, to workload.Recorder) error {
	began := time.Now()
	time.Sleep(time.Millisecond)
	to.Observe(0, began, time.Since(began), workload.Done)
	return nil
}

func (session) Broken() bool { return false }
func (session) Close() error { return nil }
