package sqlserver

import (
	"context"
	"fmt"

	"plimsoll/internal/app"
	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/describe/endpoint"
)

// standing queries the values that decide whether a run can use the database. A user
// without the right to see the sessions of others sees his own.
const standing = `select
	cast(case when cast(databasepropertyex(db_name(), 'Updateability') as varchar(20)) = 'READ_ONLY' then 1 else 0 end as int),
	cast(coalesce(fulltextserviceproperty('IsFullTextInstalled'), 0) as int),
	cast(coalesce(has_perms_by_name(db_name(), 'DATABASE', 'CREATE TABLE'), 0) as int),
	cast(coalesce(has_perms_by_name(schema_name(), 'SCHEMA', 'ALTER'), 0) as int),
	cast(coalesce(has_perms_by_name(db_name(), 'DATABASE', 'CREATE FULLTEXT CATALOG'), 0) as int),
	cast(@@max_connections as int),
	(select count(*) from sys.dm_exec_sessions where is_user_process = 1) - 1`

// answers are those to standing, in its order.
type answers struct {
	readOnly, fullText, tables, schema, catalogs int
	most, inUse                                  int
}

// Ask implements app.Capabilities.
func (Engine) Ask(ctx context.Context, e endpoint.Endpoint) (app.ServerAccess, error) {
	db, err := open(e)
	if err != nil {
		return app.ServerAccess{}, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if err := db.PingContext(ctx); err != nil {
		return app.ServerAccess{}, sqlconn.Failed(e, err)
	}
	var a answers
	if err := db.QueryRowContext(ctx, standing).Scan(&a.readOnly, &a.fullText, &a.tables, &a.schema, &a.catalogs, &a.most, &a.inUse); err != nil {
		return app.ServerAccess{}, fmt.Errorf("ask %s whether a run can use it: %w", e.Address, err)
	}
	s := a.standing(e)
	if len(s.Refuses) == 0 && s.Free > 1 {
		s.Held, err = borrowing().Contents(ctx, e)
	}
	return s, err
}

// standing draws the conclusions for a run from the answers.
func (a answers) standing(e endpoint.Endpoint) (s app.ServerAccess) {
	lacks := func(right string) string {
		return fmt.Sprintf("user %q lacks rights on database %q: grant %s", e.User, endpoint.Database(e), right)
	}
	for _, c := range []struct {
		holds bool
		text  string
	}{
		{a.readOnly != 0, "the database is read-only"},
		{a.fullText == 0, "the server has no full text search, which the shop's users need: install it (mssql-server-fts on Linux)"},
		{a.tables == 0, lacks("create table")},
		{a.schema == 0, lacks("alter on its schema")},
		{a.catalogs == 0, lacks("create fulltext catalog")},
	} {
		if c.holds {
			s.Refuses = append(s.Refuses, c.text)
		}
	}
	s.Free, s.Slots = a.most-a.inUse, fmt.Sprintf("user connections %d, %d in use", a.most, a.inUse)
	return s
}
