package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"plimsoll/internal/app"
	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/describe/endpoint"
)

// objects lists relations and routines outside the system's schemas, without the objects of
// extensions and without indexes and sequences that belong to tables.
const objects = `
select case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' when 'f' then 'foreign table' else 'table' end,
	quote_ident(n.nspname) || '.' || quote_ident(c.relname)
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f') and n.nspname not like 'pg\_%' and n.nspname <> 'information_schema'
	and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('e', 'a', 'i'))
union all
select 'routine', p.oid::regprocedure::text
from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname not like 'pg\_%' and n.nspname <> 'information_schema'
	and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
order by 1, 2`

// lock takes an application lock of the server, waiting no longer than a claim may take. A
// commit that waits for a standby holds it, whether its client is gone or not, and nobody
// else sees the committed objects until then.
const lock = "select case when set_config('lock_timeout', '30s', false) is not null then " +
	"case when pg_advisory_lock(hashtext('" + app.Mark + "'))::text is not null then 1 end end"

func borrowing() app.Borrowing {
	return app.Borrowing{
		Open:    openDB,
		Objects: objects,
		Lock:    lock,
		Insert:  "insert into " + app.Mark + " (number, kind, name) values ($1, $2, $3)",
		Gone:    gone,
		Drop:    drop,
	}
}

// gone knows invalid_catalog_name (PostgreSQL's manual, appendix A).
func gone(err error) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return ok && answer.Code == "3D000"
}

// drop drops all objects of a kind at once, so that objects referring to each other go
// together. Nothing is dropped by cascade: that might drop existing objects.
func drop(all []app.Object) (statements []string) {
	for _, kind := range []string{"view", "materialized view", "foreign table", "table", "sequence", "routine"} {
		if names := app.Names(all, kind); len(names) > 0 {
			statements = append(statements, fmt.Sprintf("drop %s %s", kind, strings.Join(names, ", ")))
		}
	}
	return statements
}

// Claim implements app.Borrower.
func (Engine) Claim(ctx context.Context, e endpoint.Endpoint, run string, takeOver bool) error {
	return borrowing().Claim(ctx, e, run, takeOver)
}

// Note implements app.Borrower.
func (Engine) Note(ctx context.Context, e endpoint.Endpoint) error { return borrowing().Note(ctx, e) }

// Release implements app.Borrower.
func (Engine) Release(ctx context.Context, e endpoint.Endpoint, run string) error {
	return borrowing().Release(ctx, e, run)
}

func openDB(e endpoint.Endpoint) (*sql.DB, error) {
	config, err := sqlconn.Postgres(e)
	if err != nil {
		return nil, err
	}
	return stdlib.OpenDB(*config), nil
}
