package mariadb

import (
	"context"
	"errors"

	"github.com/go-sql-driver/mysql"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
)

const objects = "select case table_type when 'VIEW' then 'view' when 'SEQUENCE' then 'sequence' else 'table' end, " +
	"concat('`', replace(table_name, '`', '``'), '`') from information_schema.tables where table_schema = database() " +
	"union all select lower(routine_type), concat('`', replace(routine_name, '`', '``'), '`') from information_schema.routines where routine_schema = database() " +
	"order by 1, 2"

// borrowing needs no lock: dropping a mark waits for whoever still writes to it. A cluster
// in strict mode would refuse one, and a table that is made from a query as well.
func borrowing() app.Borrowing {
	return app.Borrowing{
		Open:    open,
		Objects: objects,
		Insert:  "insert into " + app.Mark + " (number, kind, name) values (?, ?, ?)",
		Gone:    gone,
		Drop:    drop,
	}
}

// gone knows ER_BAD_DB_ERROR.
func gone(err error) bool {
	answer, ok := errors.AsType[*mysql.MySQLError](err)
	return ok && answer.Number == noSuchDatabase
}

// drop does not look at foreign keys: tables that refer to each other go
// together.
func drop(all []app.Object) []string {
	statements := []string{"set foreign_key_checks = 0"}
	for _, kind := range []string{"view", "table", "sequence", "procedure", "function"} {
		for _, name := range app.Names(all, kind) {
			statements = append(statements, "drop "+kind+" "+name)
		}
	}
	return append(statements, "set foreign_key_checks = 1")
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
