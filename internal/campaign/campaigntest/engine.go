package campaigntest

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/event"
)

// Engines of the world: a database, which can also be existing ones, and a web server.
const (
	DB  = "fakedb"
	Web = "fakeweb"
)

// Engines lists them.
func (w *World) Engines() map[string]app.Engine {
	return map[string]app.Engine{
		DB:  database{engine{w, DB, databaseKind}},
		Web: webServer{engine{w, Web, webKind}},
	}
}

// Kinds of endpoints.
const (
	databaseKind = "fake:db"
	webKind      = "fake:web"
)

type engine struct {
	w          *World
	name, kind string
}

func (e engine) Name() string { return e.name }
func (e engine) Kind() string { return e.kind }

func (e engine) Find(context.Context, string, bool) (app.Installation, error) {
	return app.Installation{Engine: e.name, Version: "1", Source: "installed"}, e.w.call("Engine.Find", e.name)
}

func (e engine) Initialise(_ app.Installation, c app.Config) []app.Server {
	return []app.Server{{Name: c.Name + "-install", Command: []string{e.name, "init"}}}
}

// Server returns a server that is ready when the other servers it uses in its instance answer.
func (e engine) Server(_ app.Installation, c app.Config) app.Server {
	ready := func(_ context.Context, at endpoint.Endpoint) error {
		if err := e.w.call("Engine.Ready", c.Name); err != nil {
			return err
		}
		for _, peer := range append(c.Peers, at) {
			if err := e.w.use(peer, func(map[string]bool) {}); err != nil {
				return err
			}
		}
		return nil
	}
	return app.Server{
		Name: c.Name, Kind: e.kind, Command: []string{e.name}, Ready: ready, Stop: "TERM",
		Payload: endpoint.With(endpoint.SQL{Database: c.Database}), User: c.User, Password: c.Password,
	}
}

func (engine) Capabilities() app.Capabilities { return app.Capabilities{} }

func (engine) Memory(app.Config) int64 { return 1 << 20 }
func (engine) Overhead() int64         { return 1 << 20 }

// webServer is an engine whose servers count their workers.
type webServer struct{ engine }

func (e webServer) Capabilities() app.Capabilities { return app.Capabilities{Meter: e} }

func (webServer) Gauge() describe.Gauge {
	return describe.Gauge{Name: "workers", Setting: "workers"}
}

func (e webServer) Read(_ context.Context, at endpoint.Endpoint) (describe.Reading, error) {
	return describe.Reading{Busy: 3, Capacity: 4, Waiting: 2}, e.w.use(at, func(map[string]bool) {})
}

// database is an engine that checks its files, can borrow servers and reports its durability
// settings.
type database struct{ engine }

var _ app.Actor = database{}

func (e database) Capabilities() app.Capabilities {
	return app.Capabilities{Durability: e, Check: e.Check, Borrower: e, Ask: e.Ask}
}

func (database) DurabilitySettings() []app.DurabilitySetting {
	return []app.DurabilitySetting{{Name: "sync", Safe: []string{"on"}, Risky: "off", Loses: "everything"}}
}

// ReadDurability implements app.DurabilityReader.
func (e database) ReadDurability(ctx context.Context, at endpoint.Endpoint) (map[string]string, error) {
	return map[string]string{"sync": cmp.Or(e.w.Sync, "on")}, e.step(ctx, "Engine.ReadDurability", at)
}

func (e database) Check(ctx context.Context, at endpoint.Endpoint) ([]describe.Check, error) {
	if err := e.step(ctx, "Engine.Check", at); err != nil {
		return nil, err
	}
	return []describe.Check{{Name: "the files are sound", Passed: true}}, nil
}

// Events implements app.Actor.
func (database) Events() event.Declaration {
	return event.Declaration{Of: "the fake database", Verbs: []event.Verb{
		{Name: "checkpoint", Object: event.Object{Form: event.Servers, Kind: "instance"}},
	}}
}

// Do implements app.Actor.
func (e database) Do(ctx context.Context, _ event.Event, at endpoint.Endpoint) error {
	return e.step(ctx, "Engine.Do", at)
}

func (e database) step(ctx context.Context, method string, at endpoint.Endpoint) error {
	err := e.w.call(method, at.Address)
	if err == nil {
		err = sleep(context.WithoutCancel(ctx), 10*time.Millisecond)
	}
	if err == nil {
		err = killed(ctx)
	}
	return err
}

func (e database) borrowed(at endpoint.Endpoint, do func(*Database) error) error {
	d := e.w.Database(at.Address + "/" + endpoint.Database(at))
	e.w.mu.Lock()
	defer e.w.mu.Unlock()
	return do(d)
}

// Claim does as app.Borrowing does.
func (e database) Claim(ctx context.Context, at endpoint.Endpoint, run string, takeOver bool) error {
	if err := e.step(ctx, "Engine.Claim", at); err != nil {
		return err
	}
	return e.borrowed(at, func(d *Database) error {
		if d.Mark != "" && d.Mark != run && !takeOver {
			return fmt.Errorf("%w: %s", app.ErrClaimed, d.Mark)
		}
		d.release()
		if d.Tables {
			return app.ErrNotEmpty
		}
		d.Mark = run
		return nil
	})
}

// Ask implements app.Asker.
func (e database) Ask(ctx context.Context, at endpoint.Endpoint) (s app.ServerAccess, err error) {
	s.Free, s.Database, s.WantsKeys = -1, e.w.Identity, e.w.WantsKeys
	if err := e.step(ctx, "Engine.Ask", at); err != nil {
		return s, err
	}
	return s, e.borrowed(at, func(d *Database) error {
		s.Held.By = d.Mark
		if d.Tables && !d.Noted {
			s.Held.Rest = []app.Object{{Kind: "table", Name: "records"}}
		}
		return nil
	})
}

func (e database) Note(ctx context.Context, at endpoint.Endpoint) error {
	if err := e.step(ctx, "Engine.Note", at); err != nil {
		return err
	}
	return e.borrowed(at, func(d *Database) error {
		d.Noted = d.Tables
		return nil
	})
}

func (e database) Release(ctx context.Context, at endpoint.Endpoint, run string) error {
	if err := e.step(ctx, "Engine.Release", at); err != nil {
		return err
	}
	return e.borrowed(at, func(d *Database) error {
		if d.Mark != "" && d.Mark != run {
			return fmt.Errorf("%w: %s", app.ErrClaimed, d.Mark)
		}
		d.release()
		return nil
	})
}

// release drops what was noted, and the mark.
func (d *Database) release() {
	if d.Mark != "" && d.Noted {
		d.Tables = false
		clear(d.Records)
	}
	d.Mark, d.Noted = "", false
}
