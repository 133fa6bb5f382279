// Package session is one user of the DVD Store 2: one connection on which the
// user logs in or registers, browses and purchases, over and over. It takes a
// database that package dvdstore loaded (or any other DVD Store 2
// loader of the same size) and reports operations to a workload.Recorder.
//
// Statements that do not need each other's answers travel together: the titles
// of the last products bought, the prices of a cart, and all that an order
// writes. About 29 statements of an order so take about nine round trips; the
// server performs the same statements as if they came one by one.
package session

import (
	"context"
	"fmt"

	"plimsoll/internal/wire"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore/data"
)

// Operations that a session reports, by index: the names are in Names.
const (
	Order = iota // login or newcustomer, browse and purchase together
	Login
	NewCustomer
	Browse
	Purchase
	Restock // after an order was rolled back, outside its time
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
	Version         int     // 2 or 3; what follows is of version 3
	Reviews         int64   // reviews loaded
	NewMembers      float64 // share of orders by a customer who becomes a member, 0..1
	ReviewSearches  int     // mean number of searches for reviews, and of requests for a product's reviews
	SearchDepth     int     // how many reviews a search looks at
	NewReviews      float64 // share of orders with a new review, 0..1
	NewHelpfulness  float64 // share of orders in which a review is rated, 0..1
}

// Open connects user number `user` of an instance. seed decides everything
// that the user does.
func Open(ctx context.Context, e workload.Endpoint, c Config, user int, seed uint64) (workload.Session, error) {
	if c.Version == 3 {
		return nil, fmt.Errorf("sessions of DVD Store %d are not part of this release yet: set version: 2", c.Version)
	}
	d, err := dialectOf(e.Kind)
	if err != nil {
		return nil, err
	}
	conn, err := wire.Open(ctx, e)
	if err != nil {
		return nil, err
	}
	s, err := prepare(conn, d)
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("prepare the statements of a DVD Store session (is the database loaded?): %w", err)
	}
	return &session{conn: conn, statements: s, dialect: d, config: c, random: data.NewRand(seed), stopWatch: func() bool { return true }}, nil
}
