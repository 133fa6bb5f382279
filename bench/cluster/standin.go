package main

import (
	"context"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/endpoint"
	"plimsoll/internal/workload"
)

// standIn names the engine and the workload that take the place of real ones: no
// server is run, and users do nothing, so that what is measured is Plimsoll's own.
const (
	standIn = "stand-in"
	role    = "server"
	kind    = "simulated"
	// nobodys is an image whose containers are only said to run.
	nobodys = "plimsoll.test/stand-in:1"
)

type engine struct{}

func (engine) Name() string { return standIn }
func (engine) Kind() string { return kind }

func (engine) Find(context.Context, string, bool) (app.Installation, error) {
	return app.Installation{Engine: standIn, Version: "1", Source: "image"}, nil
}

func (engine) Initialise(app.Installation, app.Config) []app.Server { return nil }

func (engine) Server(_ app.Installation, c app.Config) app.Server {
	return app.Server{
		Name: c.Name, Kind: kind, Image: nobodys, Command: []string{standIn, "${HOST}:${PORT}", "${VOLUME}"}, Stop: "TERM",
		Files: []app.File{{Path: "${RUNTIME}/secret", Content: c.Password, Mode: 0o600}}, Limits: c.Limits,
		Ready:   func(context.Context, endpoint.Endpoint) error { return nil },
		Payload: endpoint.With(endpoint.SQL{Database: c.Database}), User: c.User, Password: c.Password,
	}
}

func (engine) Memory(app.Config) int64 { return 1 << 20 }
func (engine) Overhead() int64         { return 1 << 20 }

type work struct{}

type parameters struct{}

func (*parameters) Validate() []workload.ParameterError { return nil }

func (work) Name() string                  { return standIn }
func (work) Defaults() workload.Parameters { return &parameters{} }

func (work) Describe(workload.Parameters) describe.Profile {
	return describe.Profile{
		Workload: standIn, Operations: []string{"order"}, Unit: describe.Unit{Name: "order", Plural: "orders", Throughput: "OPM", Seconds: 60},
	}
}

func (work) Roles(workload.Parameters) []workload.Role {
	return []workload.Role{{Name: role, Kinds: []string{kind}}}
}

func (work) Dataset(workload.Parameters, workload.Kinds, uint64) workload.Dataset {
	return workload.Loaded(role, "nothing", workload.Contents{Key: standIn, Database: standIn, User: "web", Space: workload.Space{Bytes: 1 << 20}})
}

func (work) Prepare(_ context.Context, _ workload.Target, _ workload.Parameters, _ uint64, progress func(float64)) error {
	progress(1)
	return nil
}

func (work) Open(context.Context, workload.Target, workload.Parameters, int, uint64) (workload.Session, error) {
	return session{}, nil
}

var _ workload.Auditor = work{}

// Audit makes the campaign do what it does for an audit of each instance.
func (work) Audit(context.Context, workload.Target, workload.Parameters, uint64, workload.Receipts) (describe.Audit, error) {
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
