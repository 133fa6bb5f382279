// Package dvdstore is the DVD Store 2 workload: an online shop whose customers
// log in or register, browse for films by category, actor or title and
// purchase some of them. It is compatible with Dell's and VMware's DVD Store
// (the same tables, session and statement mix) and was written from a
// description of it; docs/workloads/dvdstore.md says what differs.
//
// Package data below it makes the rows, package session plays the users; this
// package creates and fills the tables and audits them afterwards.
package dvdstore

import (
	"context"
	"fmt"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore/session"
)

// Name is the workload's key in studies.
const Name = "dvdstore"

// Engines that the workload runs on.
const (
	postgresName = "postgres"
	mariadbName  = "mariadb"
)

// Workload implements workload.Workload.
type Workload struct{}

var _ workload.Workload = Workload{}

// Name gives the registry key.
func (Workload) Name() string { return Name }

// Defaults gives fresh parameters: DVD Store 2 of 10MB as its users know it.
func (Workload) Defaults() workload.Parameters { return defaults() }

// Engines lists the engines in alphabetical order.
func (Workload) Engines() []string { return []string{mariadbName, postgresName} }

// Operations lists what sessions report.
func (Workload) Operations(workload.Parameters) []string { return session.Names() }

// Open connects one user.
func (Workload) Open(ctx context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	own, err := checked(p)
	if err != nil {
		return nil, err
	}
	return session.Open(ctx, t, own.session(), user, seed)
}

// checked gives the workload's own parameters, after making sure that they are
// possible.
func checked(p workload.Parameters) (*Parameters, error) {
	own, ok := p.(*Parameters)
	if !ok {
		return nil, fmt.Errorf("the parameters of workload %s are %T, want %T", Name, p, own)
	}
	if wrong := own.Validate(); len(wrong) > 0 {
		return nil, fmt.Errorf("workload %s: %s: %s", Name, wrong[0].Field, wrong[0].Reason)
	}
	return own, nil
}
