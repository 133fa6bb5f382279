// Package session is one user of the DVD Store, who logs in or registers,
// browses and purchases, over and over. It makes every decision of the user
// and reports operations to a workload.Recorder. The shop itself it reaches
// through a Shop: the SQL statements of package sqlshop, or the pages of a web
// site. The decisions depend on the seed alone.
package session

// Config is what a session must know of the data set and of the users.
type Config struct {
	Version         int     // of DVD Store: 2 or 3
	Customers       int64   // customers loaded: user1..userN can log in
	Products        int64   // products loaded
	NewCustomers    float64 // share of orders by a new customer, 0..1
	Searches        int     // mean number of searches in an order
	SearchBatchSize int     // mean number of rows asked for in a search
	LineItems       int     // mean number of lines in an order

	// The rest is for version 3 only.

	Reviews        int64   // reviews loaded
	NewMembers     float64 // share of orders whose customer becomes a member, 0..1
	ReviewSearches int     // mean number of searches for reviews, and of requests for a film's reviews
	SearchDepth    int     // how many reviews a search compares at most
	NewReviews     float64 // share of orders with a new review, 0..1
	NewHelpfulness float64 // share of orders in which a review is rated, 0..1
}
