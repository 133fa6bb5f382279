package session

import (
	"fmt"
	"strconv"
	"strings"

	"plimsoll/internal/client/sqlwire"
)

// Kind is a kind of statement.
type Kind int

// Kinds of statements.
const (
	Begin Kind = iota
	PointSelect
	SimpleRange
	SumRange
	OrderRange
	DistinctRange
	IndexUpdate
	NonIndexUpdate
	Delete
	Insert   // of a row that the transaction has deleted
	Addition // of a row that the server numbers
	Commit
	DeleteInsert // a step of both
	rollback
	reconnection // is an operation, but no statement
	everyKind    // of statement together
	kinds
)

// Transaction is the operation that is the unit of work.
const Transaction = 0

// name of a kind among the operations.
func (k Kind) name() string {
	return [...]string{"begin", "point_select", "simple_range", "sum_range", "order_range", "distinct_range",
		"index_update", "non_index_update", "delete", "insert", "insert", "commit", "", "rollback", "reconnect", "statement"}[k]
}

// sql is the statement for a table. Texts are sysbench's as a server's log shows
// them.
func (k Kind) sql(table int, endpoint string) string {
	numbered, zero := "", ""
	if endpoint == sqlwire.MariaDB {
		numbered, zero = "id, ", "0, "
	}
	text := [...]string{
		Begin:          "BEGIN",
		PointSelect:    "SELECT c FROM {} WHERE id=$1",
		SimpleRange:    "SELECT c FROM {} WHERE id BETWEEN $1 AND $2",
		SumRange:       "SELECT SUM(k) FROM {} WHERE id BETWEEN $1 AND $2",
		OrderRange:     "SELECT c FROM {} WHERE id BETWEEN $1 AND $2 ORDER BY c",
		DistinctRange:  "SELECT DISTINCT c FROM {} WHERE id BETWEEN $1 AND $2 ORDER BY c",
		IndexUpdate:    "UPDATE {} SET k=k+1 WHERE id=$1",
		NonIndexUpdate: "UPDATE {} SET c=$1 WHERE id=$2",
		Delete:         "DELETE FROM {} WHERE id=$1",
		Insert:         "INSERT INTO {} (id, k, c, pad) VALUES ($1, $2, $3, $4)",
		Addition:       "INSERT INTO {} (" + numbered + "k, c, pad) VALUES (" + zero + "$1, $2, $3)",
		Commit:         "COMMIT",
		rollback:       "ROLLBACK",
	}[k]
	return strings.Replace(text, "{}", TableName(table), 1)
}

// TableName is sbtest1, sbtest2, ...
func TableName(table int) string { return "sbtest" + strconv.Itoa(table) }

// Step is one kind of statement in a transaction, performed so many times on one
// table, which is drawn for the step.
type Step struct {
	Kind  Kind
	Count int
}

// used lists the kinds of operations that are reported for a transaction, in order and
// without duplicates.
func used(c *Config) []Kind {
	var all []Kind
	if c.Explicit {
		all = append(all, Begin)
	}
	for _, s := range c.Steps {
		if s.Kind == DeleteInsert {
			all = append(all, Delete, Insert)
		} else {
			all = append(all, s.Kind)
		}
	}
	if c.Explicit {
		all = append(all, Commit)
	}
	if len(all) > 1 {
		all = append(all, everyKind)
	}
	if c.Reconnect > 0 {
		all = append(all, reconnection)
	}
	return all
}

// Names returns the operations that a session reports: the transaction, each kind
// of statement, and all statements together where there are several kinds.
func Names(c *Config) []string {
	names := []string{"transaction"}
	for _, k := range used(c) {
		names = append(names, k.name())
	}
	return names
}

func places(c *Config) (all [kinds]int) {
	for i, k := range used(c) {
		all[k] = 1 + i
	}
	return all
}

// statements are the statements of a connection by kind and table. Each is prepared when it
// is first needed, because preparing them for many tables takes long.
type statements []*sqlwire.Statement

// prepared returns the statement of a kind for the running statement's table.
func (s *session) prepared(k Kind) (*sqlwire.Statement, error) {
	if s.statements == nil {
		s.statements = make(statements, int(kinds)*(s.config.Tables+1))
	}
	place := s.table*int(kinds) + int(k)
	if have := s.statements[place]; have != nil {
		return have, nil
	}
	statement, err := s.conn.Prepare(k.sql(s.table, s.endpoint.Kind))
	if err != nil {
		return nil, fmt.Errorf("prepare a statement for %s: %w", TableName(s.table), err)
	}
	s.statements[place] = statement
	return statement, nil
}
