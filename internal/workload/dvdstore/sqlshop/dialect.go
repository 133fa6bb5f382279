package sqlshop

import (
	"fmt"
	"strings"

	"plimsoll/internal/client/sqlwire"
)

// dialect is what differs between the engines.
type dialect struct {
	tables func(string) string // how a table's name is written
	// matches is the full-text condition for a column and parameter $1, in
	// the index's own configuration.
	matches func(column string) string
	// first is a query, which begins with select, for its first n rows.
	first func(query, n string) string
	// numbered is an insert that gives the column that numbers its rows, on engines where
	// the number does not come with the answer.
	numbered func(into, values, column string) string
	// today is the current date, and later a date so many days or years after it.
	today string
	later func(n int, unit string) string
	// lastID is the number of the row that was inserted last.
	lastID string
	// begin, commit and rollback start and end a transaction.
	begin            string
	commit, rollback []string
}

func dialectOf(kind string) (*dialect, error) {
	switch kind {
	case sqlwire.Postgres:
		return postgresDialect(), nil
	case sqlwire.MariaDB:
		return mariadbDialect(), nil
	case sqlwire.SQLServer:
		return sqlserverDialect(), nil
	}
	return nil, fmt.Errorf("DVD Store does not run on %q", kind)
}

func postgresDialect() *dialect {
	return &dialect{
		tables: strings.ToLower,
		matches: func(column string) string {
			return "to_tsvector('simple', " + column + ") @@ plainto_tsquery('simple', $1)"
		},
		first:    limit,
		numbered: func(into, values, column string) string { return into + " " + values + " returning " + column },
		today:    today,
		later:    interval,
		lastID:   "lastval()",
		begin:    "begin",
		commit:   []string{"commit"},
		rollback: []string{"rollback"},
	}
}

// mariadbDialect turns autocommit off for the length of a transaction instead
// of beginning one: MariaDB goes on with a batch after an error, and after a
// deadlock has ended the transaction the rest of the batch would otherwise be
// committed statement by statement. So it begins a new transaction, which is
// rolled back. Turning autocommit on commits (MariaDB documentation, "SET
// autocommit").
func mariadbDialect() *dialect {
	return &dialect{
		tables:   strings.ToUpper,
		matches:  func(column string) string { return "match (" + column + ") against ($1)" },
		first:    limit,
		numbered: func(into, values, _ string) string { return into + " " + values },
		today:    today,
		later:    interval,
		lastID:   "last_insert_id()",
		begin:    "set autocommit = 0",
		commit:   []string{"set autocommit = 1"},
		rollback: []string{"rollback", "set autocommit = 1"},
	}
}

// What PostgreSQL and MariaDB write alike.
const today = "current_date"

func limit(query, n string) string { return query + " limit " + n }

func interval(n int, unit string) string {
	return fmt.Sprintf("%s + interval '%d' %s", today, n, unit)
}

// sqlserverDialect has each statement sent by itself, so that scope_identity() would not
// know the order; @@identity is the session's. An error has ended the transaction
// (xact_abort), and a rollback without one would be another error.
func sqlserverDialect() *dialect {
	const today = "cast(sysutcdatetime() as date)"
	return &dialect{
		tables:  strings.ToUpper,
		matches: func(column string) string { return "contains(" + column + ", $1)" },
		first: func(query, n string) string {
			return "select top (" + n + ") " + strings.TrimPrefix(query, "select ")
		},
		numbered: func(into, values, column string) string { return into + " output inserted." + column + " " + values },
		today:    today,
		later:    func(n int, unit string) string { return fmt.Sprintf("dateadd(%s, %d, %s)", unit, n, today) },
		lastID:   "@@identity",
		begin:    "begin transaction",
		commit:   []string{"commit transaction"},
		rollback: []string{"if @@trancount > 0 rollback transaction"},
	}
}
