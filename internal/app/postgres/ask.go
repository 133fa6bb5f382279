package postgres

import (
	"context"
	"fmt"
	"strconv"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
)

// standing queries the values that decide whether a run can use the database, a value a
// row. pg_stat_database counts the connections of all users for everybody, including this
// one. A user without the right to see the states of standbys sees that they are connected.
const standing = `select unnest(array[
	pg_is_in_recovery()::text,
	current_setting('transaction_read_only'),
	coalesce(has_schema_privilege(current_schema(), 'create'), false)::text,
	coalesce(current_schema(), ''),
	current_setting('max_connections'),
	(case when r.rolsuper then 0 else current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true), '0')::int end)::text,
	((select sum(numbackends) from pg_stat_database) - 1)::text,
	r.rolconnlimit::text,
	((select count(*) from pg_stat_activity where usename = current_user) - 1)::text,
	d.datconnlimit::text,
	((select numbackends from pg_stat_database where datname = current_database()) - 1)::text,
	extract(epoch from pg_postmaster_start_time())::text,
	d.oid::text,
	current_setting('synchronous_commit'),
	current_setting('synchronous_standby_names'),
	(select count(*) from pg_stat_replication where coalesce(sync_state, 'sync') in ('sync', 'quorum'))::text
]) from pg_roles r, pg_database d where r.rolname = current_user and d.datname = current_database()`

// Ask implements app.Capabilities.
func (Engine) Ask(ctx context.Context, e endpoint.Endpoint) (app.ServerAccess, error) {
	conn, err := connect(ctx, e)
	if err != nil {
		return app.ServerAccess{}, err
	}
	defer conn.Close(ctx)
	pool, err := pooling(ctx, conn, e)
	if err != nil {
		return app.ServerAccess{}, fmt.Errorf("ask %s who answers there: %w", e.Address, err)
	}
	if pool.shared {
		return app.ServerAccess{Free: -1, Refuses: []string{sharesSessions}}, nil
	}
	a, err := ask(ctx, conn, standing)
	if err == nil && len(a) != 16 {
		err = fmt.Errorf("%d answers", len(a))
	}
	if err != nil {
		return app.ServerAccess{}, fmt.Errorf("ask %s whether a run can use it: %w", e.Address, err)
	}
	var s app.ServerAccess
	switch {
	case a[0] == "true":
		s.Refuses = append(s.Refuses, "the server is a standby, which is read-only")
	case a[1] == "on":
		s.Refuses = append(s.Refuses, "the database is read-only")
	}
	if a[2] != "true" {
		s.Refuses = append(s.Refuses, fmt.Sprintf("user %q may not make tables in schema %q of database %q: grant create on it", e.User, a[3], endpoint.Database(e)))
	}
	n := make([]int, len(a))
	for i := range a {
		n[i], _ = strconv.Atoi(a[i]) // those that are numbers
	}
	if waits := waitsForStandbys(a[13], a[14], n[15]); waits != "" {
		s.Refuses = append(s.Refuses, waits)
	}
	s.Server, s.Database = a[11], a[11]+"/"+a[12]
	s.Free, s.Slots = n[4]-n[5]-n[6], fmt.Sprintf("max_connections %d, %d reserved, %d in use", n[4], n[5], n[6])
	if n[7] >= 0 {
		s.Limit(n[7]-n[8], "the user's connection limit %d, %d in use", n[7], n[8])
	}
	if n[9] >= 0 {
		s.Limit(n[9]-n[10], "the database's connection limit %d, %d in use", n[9], n[10])
	}
	if pool.bounded {
		s.Limit(pool.gives, "a connection pooler answers there, and its pool gives %d connections", pool.gives)
	}
	if len(s.Refuses) == 0 && s.Free > 1 {
		s.Held, err = borrowing().Contents(ctx, e)
	}
	return s, err
}
