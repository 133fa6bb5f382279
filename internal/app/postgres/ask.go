package postgres

import (
	"context"
	"fmt"
	"strconv"

	"plimsoll/internal/app"
	"plimsoll/internal/endpoint"
)

var _ app.Asker = Engine{}

// standing asks for what decides whether a run can use the database, a value a row.
// pg_stat_database counts the connections of all users for everybody, and this one
// among them.
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
	((select numbackends from pg_stat_database where datname = current_database()) - 1)::text
]) from pg_roles r, pg_database d where r.rolname = current_user and d.datname = current_database()`

// Ask implements app.Asker.
func (Engine) Ask(ctx context.Context, e endpoint.Endpoint) (app.Standing, error) {
	conn, err := connect(ctx, e)
	if err != nil {
		return app.Standing{}, err
	}
	defer conn.Close(ctx)
	a, err := ask(ctx, conn, standing)
	if err == nil && len(a) != 11 {
		err = fmt.Errorf("%d answers", len(a))
	}
	if err != nil {
		return app.Standing{}, fmt.Errorf("ask %s what it allows: %w", e.Address, err)
	}
	var s app.Standing
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
	s.Free, s.Slots = n[4]-n[5]-n[6], fmt.Sprintf("max_connections %d, %d reserved, %d in use", n[4], n[5], n[6])
	if free := n[7] - n[8]; n[7] >= 0 && free < s.Free {
		s.Free, s.Slots = free, fmt.Sprintf("the user's connection limit %d, %d in use", n[7], n[8])
	}
	if free := n[9] - n[10]; n[9] >= 0 && free < s.Free {
		s.Free, s.Slots = free, fmt.Sprintf("the database's connection limit %d, %d in use", n[9], n[10])
	}
	if len(s.Refuses) == 0 && s.Free > 1 {
		s.Held, err = borrowing().Held(ctx, e)
	}
	return s, err
}
