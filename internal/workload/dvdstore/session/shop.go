package session

import (
	"errors"
	"time"

	"plimsoll/internal/workload/dvdstore/data"
)

// Shop is how a user reaches a shop: by SQL statements (package sqlshop) or by
// the pages of a web site. It takes what the user has decided, and decides
// nothing itself, so that users of the same seed do the same on every way.
//
// One goroutine uses a shop at a time; only Interrupt may be called from
// another. Values passed by pointer, and slices, are the shop's until it
// returns. After an error the shop can be used on, unless Broken says
// otherwise. What a call would have written is then not in the database; where
// the shop cannot know that, the error is InDoubt.
type Shop interface {
	// Login logs in the customer called user<user>, with data.Password, and looks
	// up what the customer bought last.
	Login(user int64) (customer int64, err error)
	// Register makes a new customer called newuser<user>, or gives ErrTaken.
	Register(c *data.Customer, user int64) (customer int64, err error)
	// Browse searches for films.
	Browse(customer int64, s Search) error
	// Purchase orders the films of a cart in one transaction. If the order is in doubt, the
	// bill is as complete as possible. If a film is out of stock, nothing is written and
	// the error is ErrSoldOut.
	Purchase(customer int64, c *Cart) (Bill, error)

	// The rest is for version 3 only.

	// Join makes the customer a member of a level, 1..data.MemberLevels, or gives
	// ErrMember.
	Join(customer, level int64) error
	// BrowseReviews searches for films and appends the most helpful reviews of
	// them to those given, the most helpful first.
	BrowseReviews(customer int64, s ReviewSearch, found []int64) (reviews []int64, err error)
	// GetReviews appends reviews of one film to those given, in the order asked
	// for.
	GetReviews(customer int64, s ProductReviews, found []int64) (reviews []int64, err error)
	// NewReview publishes a review.
	NewReview(customer int64, r *Review) (review int64, err error)
	// RateReview says how helpful a review is, from 1 to data.MaxHelpfulness.
	RateReview(customer, review, helpfulness int64) (rating int64, err error)

	// SetDeadline makes calls fail that are not done by t.
	SetDeadline(t time.Time) error
	// Interrupt makes the running call and all later ones fail.
	Interrupt()
	// Broken reports whether the connection is lost, and with it the shop.
	Broken() bool
	// Close ends the connection.
	Close() error
}

// Restocker is a shop whose users order more of the products that they find
// out of stock. Web sites do so themselves.
type Restocker interface {
	// Restock raises the stock of the films that Purchase marked as short.
	Restock(c *Cart) error
}

// Refusals of a shop.
var (
	ErrTaken   = errors.New("the user name is taken")
	ErrSoldOut = errors.New("a film is out of stock")
	ErrMember  = errors.New("the customer is a member already")
)

// SearchKey is the column that a search uses.
type SearchKey int

// What searches go by; reviews are not searched by category.
const (
	ByCategory SearchKey = iota // among the films on special offer
	ByActor                     // a family name
	ByTitle                     // a word of it
)

// String names it as an error does: category, actor, title.
func (b SearchKey) String() string { return [...]string{"category", "actor", "title"}[b] }

// Search is one search for films.
type Search struct {
	By       SearchKey
	Category int64  // 1..data.Categories, by category only
	Word     string // otherwise
	Limit    int64  // at most so many films
}

// ReviewSearch is one search for films with reviews, by actor or by title.
type ReviewSearch struct {
	By    SearchKey
	Word  string
	Depth int64 // at most so many reviews are compared
	Limit int64 // and so many of them shown
}

// ReviewOrder says which reviews of a film come first.
type ReviewOrder int

// Orders of the reviews of a film.
const (
	ByHelpfulness ReviewOrder = iota // all of them
	ByStars                          // those with so many stars, by helpfulness
	ByDate                           // all of them, the latest first
)

// String names it as an error does: helpfulness, stars, date.
func (o ReviewOrder) String() string { return [...]string{"helpfulness", "stars", "date"}[o] }

// ProductReviews asks for the reviews of one film.
type ProductReviews struct {
	Product int64
	Order   ReviewOrder
	Stars   int64 // 1..data.MaxStars, by stars only
	Limit   int64
}

// Review is what a customer writes about a film.
type Review struct {
	Product int64
	Stars   int64 // 1..data.MaxStars
	Opinion data.Opinion
}

// Bill is what a shop says of an order.
type Bill struct {
	Order int64 // its number; 0 when not known
	Cents int64 // the total amount in hundredths; 0 when not known
}

// InDoubt wraps an error that leaves open whether a write reached the database:
// the answer was lost, or the commit failed.
func InDoubt(err error) error {
	if err == nil {
		return nil
	}
	return &doubt{err}
}

type doubt struct{ error }

// Unwrap returns the error itself, with its class.
func (d *doubt) Unwrap() error { return d.error }

func isInDoubt(err error) bool {
	_, doubtful := errors.AsType[*doubt](err)
	return doubtful
}
