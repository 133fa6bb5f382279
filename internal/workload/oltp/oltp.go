// Package oltp is the workload of sysbench's oltp_* tests: users who read and change rows
// of the tables sbtest1, sbtest2, ... by key and by range. Tables, statements, counts and
// distributions are sysbench 1.0's, so results are comparable, and either program can drive
// what the other prepared. It was written from documentation and from servers' logs.
// docs/workloads/oltp.md lists the differences.
//
// Below it, package data makes rows and stamps, package session plays the users, and
// package receipt encodes what the driver notes for the audit. This package loads and
// audits the tables.
package oltp

import (
	"context"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/oltp/session"
)

// Name is the workload's key in studies.
const Name = "oltp"

// db is the only role of an instance.
const db = "db"

// Workload implements workload.Workload.
type Workload struct{}

var _ workload.Workload = Workload{}

// Capabilities implements workload.Workload.
func (w Workload) Capabilities() workload.Capabilities {
	return workload.Capabilities{Audit: w.Audit}
}

// Name returns the registry key.
func (Workload) Name() string { return Name }

// Defaults returns fresh parameters: sysbench's own.
func (Workload) Defaults() workload.Parameters { return defaults() }

// Describe counts transactions, by the second as sysbench does.
func (Workload) Describe(p workload.Parameters) describe.Profile {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		own = defaults()
	}
	return describe.Profile{
		Workload:   Name,
		Unit:       describe.Unit{Name: "transaction", Plural: "transactions", Throughput: "TPS", Seconds: 1},
		Operations: session.Names(own.session()),
		Growth:     own.growth(),
	}
}

// Roles of an instance: one database.
func (Workload) Roles(workload.Parameters) []workload.Role {
	return []workload.Role{{Name: db, Kinds: []string{sqlwire.Postgres, sqlwire.MariaDB}, Mounts: workload.Data(), Needed: workload.Always}}
}

// Open connects one user.
func (Workload) Open(ctx context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return nil, err
	}
	return session.Open(ctx, t.Instance, t.Endpoint(db), own.session(), user, seed)
}
