package sqlshop

import (
	"fmt"
	"strings"

	"plimsoll/internal/sqlwire"
)

// dialect is what differs between the engines.
type dialect struct {
	tables func(string) string // how a table's name is written
	// matches is the full-text condition for a column and parameter $1, in
	// the index's own configuration.
	matches func(column string) string
	// returning makes an insert give the column that numbers its rows, on
	// engines where the number does not come with the answer.
	returning func(column string) string
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
	}
	return nil, fmt.Errorf("DVD Store does not run on %q", kind)
}

func postgresDialect() *dialect {
	return &dialect{
		tables: strings.ToLower,
		matches: func(column string) string {
			return "to_tsvector('simple', " + column + ") @@ plainto_tsquery('simple', $1)"
		},
		returning: func(column string) string { return " returning " + column },
		lastID:    "lastval()",
		begin:     "begin",
		commit:    []string{"commit"},
		rollback:  []string{"rollback"},
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
		tables:    strings.ToUpper,
		matches:   func(column string) string { return "match (" + column + ") against ($1)" },
		returning: func(string) string { return "" },
		lastID:    "last_insert_id()",
		begin:     "set autocommit = 0",
		commit:    []string{"set autocommit = 1"},
		rollback:  []string{"rollback", "set autocommit = 1"},
	}
}
