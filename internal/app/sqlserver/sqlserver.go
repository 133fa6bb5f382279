// Package sqlserver uses databases on existing Microsoft SQL Servers, 2017 or later.
// Plimsoll starts none. It was never run against a real server by us.
package sqlserver

import (
	"context"
	"database/sql"
	"errors"

	"plimsoll/internal/app"
	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/describe/endpoint"
)

// Engine knows existing servers.
type Engine struct{}

var (
	_ app.Engine     = Engine{}
	_ doctor.Checker = Engine{}
)

// Capabilities implements app.Engine.
func (e Engine) Capabilities() app.Capabilities {
	return app.Capabilities{Checker: e, Durability: e, Borrower: e, Ask: e.Ask, Untested: untested}
}

// Name is the engine's key in studies.
func (Engine) Name() string { return "sqlserver" }

// Kind implements app.Engine.
func (Engine) Kind() string { return "sql:sqlserver" }

// untested is why a study on the engine is refused unless it is allowed.
const untested = "what it sends to Microsoft SQL Server was never run against a real server by the authors of Plimsoll"

// errStartsNone asks for existing servers.
var errStartsNone = errors.New("no SQL Server is started by Plimsoll: name existing ones in engine.existing")

// Find implements app.Engine: there is nothing to find.
func (Engine) Find(context.Context, string, bool) (app.Installation, error) {
	return app.Installation{}, errStartsNone
}

// Initialise implements app.Engine; Find has refused before.
func (Engine) Initialise(app.Installation, app.Config) []app.Server { return nil }

// Server implements app.Engine; Find has refused before.
func (Engine) Server(app.Installation, app.Config) app.Server { return app.Server{} }

// Memory implements app.Engine: the memory of existing servers is not ours.
func (Engine) Memory(app.Config) int64 { return 0 }

// Overhead implements app.Engine.
func (Engine) Overhead() int64 { return 0 }

// Checks implements doctor.Checker: nothing is needed of this machine.
func (e Engine) Checks(context.Context) []doctor.Check {
	return []doctor.Check{{Name: e.Name(), Status: doctor.OK, Found: "existing servers only; untested: " + untested + ", so that plan and run want --untested " + e.Name()}}
}

// Programs implements doctor.Checker.
func (Engine) Programs() []doctor.Program { return nil }

func open(e endpoint.Endpoint) (*sql.DB, error) {
	c, err := sqlconn.SQLServer(e, nil)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(c), nil
}
