// Package session is one user of the DVD Store 2: one connection on which the
// user logs in or registers, browses and purchases, over and over.
package session

import (
	"context"
	"fmt"

	"plimsoll/internal/workload"
)

// Operations that a session reports, by index: the names are in Names.
const (
	Order = iota
	Login
	NewCustomer
	Browse
	Purchase
	Restock
)

// Names gives the operations' names in the order of their indices.
func Names() []string {
	return []string{"order", "login", "newcustomer", "browse", "purchase", "restock"}
}

// Config is what a session must know of the data set and of the users.
type Config struct {
	Customers       int64   // customers loaded: user1..userN can log in
	Products        int64   // products loaded
	NewCustomers    float64 // share of orders by a new customer, 0..1
	Searches        int     // mean number of searches in an order
	SearchBatchSize int     // mean number of rows asked for in a search
	LineItems       int     // mean number of lines in an order
}

// Open connects user number `user` of an instance. seed decides everything
// that the user does.
func Open(ctx context.Context, t workload.Target, c Config, user int, seed uint64) (workload.Session, error) {
	return nil, fmt.Errorf("open a DVD Store session on %s: not possible yet", t.Engine)
}
