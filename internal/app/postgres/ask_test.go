package postgres_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/app/postgres"
	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/dial"
	"plimsoll/internal/client/sqlwire/sqlwiretest"
	"plimsoll/internal/describe/endpoint"
)

// What keeps a run from an existing server is known before anything is made there.
func TestAsk(t *testing.T) {
	primary := sqlwiretest.Start(t, sqlwire.Postgres)
	c, err := dial.Open(t.Context(), primary)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	sqlwiretest.MustDo(t, c, "create role shop login", "create schema authorization shop", "alter role shop set default_transaction_read_only = on",
		"create role reader login", "revoke create on schema public from public",
		"create role late login connection limit 0", "create role nobody nologin", "create database closed", "revoke connect on database closed from public")
	standby := sqlwiretest.Standby(t, primary)
	as := func(e endpoint.Endpoint, user, database string) endpoint.Endpoint {
		e.User, e.Lent, e.Payload = user, true, endpoint.With(endpoint.SQL{Database: database})
		return e
	}
	for name, c := range map[string]struct {
		e    endpoint.Endpoint
		says string // empty where nothing keeps a run from it
	}{
		"whoever may do all":                   {as(primary, "plimsoll", "postgres"), ""},
		"a schema of one's own":                {as(primary, "shop", "postgres"), ""}, // sessions set that they write
		"a standby":                            {as(standby, "plimsoll", "postgres"), "the server is a standby"},
		"a standby, for the owner of a schema": {as(standby, "shop", "postgres"), "the server is a standby"},
		"no right to make tables":              {as(primary, "reader", "postgres"), `user "reader" may not make tables`},
		"no connection for the user":           {as(primary, "late", "postgres"), "too many connections for role"},
		"no right to log in":                   {as(primary, "nobody", "postgres"), "not permitted to log in"},
		"no right to connect to the database":  {as(primary, "reader", "closed"), "grant connect on the database"},
		"no such user":                         {as(primary, "stranger", "postgres"), `role "stranger" does not exist`},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := postgres.Engine{}.Ask(t.Context(), c.e)
			text := refused(s, err)
			if c.says == "" && text != "" || !strings.Contains(text, c.says) {
				t.Errorf("it says %q, want %q", text, c.says)
			}
		})
	}
}

// refused is everything that keeps a run from a server.
func refused(s app.ServerAccess, err error) string {
	if err != nil {
		return err.Error()
	}
	return strings.Join(slices.Clone(s.Refuses), "; ")
}
