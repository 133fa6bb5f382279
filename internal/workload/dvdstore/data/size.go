package data

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxCustomers leaves room in 32-bit customer and order numbers for those that
// a run adds.
const maxCustomers = 1_000_000_000

// Months is how many months of orders are loaded.
const Months = 12

// Size is how many rows of each kind a data set has.
type Size struct {
	Name           string // as people write it: "10MB"
	Customers      int64
	OrdersPerMonth int64
	Products       int64 // and as many rows of inventory
	Members        int64 // customers who are members; version 3 only
	Reviews        int64 // of all products; version 3 only
}

// Orders is the number of orders loaded.
func (s Size) Orders() int64 { return Months * s.OrdersPerMonth }

// The three sizes that DVD Store names; all others are scaled from them.
var (
	small  = Size{Customers: 20_000, OrdersPerMonth: 1_000, Products: 10_000}
	medium = Size{Customers: 2_000_000, OrdersPerMonth: 100_000, Products: 100_000}
	large  = Size{Customers: 200_000_000, OrdersPerMonth: 10_000_000, Products: 1_000_000}
)

// ParseSize reads a size in whole MB or GB, such as "10MB" or "5GB". As DVD
// Store computes them, N MB is 10MB (small) times N/10, 1GB is the medium size
// and N GB is 100GB (large) times N/100; the number of products therefore does
// not grow steadily with the size.
func ParseSize(text string) (Size, error) {
	s := strings.ToUpper(strings.ReplaceAll(text, " ", ""))
	number, unit := strings.TrimRight(s, "MGB"), strings.TrimLeft(s, "0123456789")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || (unit != "MB" && unit != "GB") {
		return Size{}, fmt.Errorf("%q is not a database size: write a whole number of MB or GB, such as 10MB, 1GB or 100GB", text)
	}
	size := scaled(n, unit)
	if n > maxCustomers || size.Customers > maxCustomers {
		return Size{}, fmt.Errorf("%q is too large a database: customer numbers are 32-bit integers, so at most 500GB", text)
	}
	size.Name = strconv.FormatInt(n, 10) + unit
	return size, nil
}

func scaled(n int64, unit string) Size {
	switch {
	case unit == "MB":
		return small.times(n, 10)
	case n == 1:
		return medium
	default:
		return large.times(n, 100)
	}
}

func (s Size) times(n, d int64) Size {
	return Size{Customers: s.Customers / d * n, OrdersPerMonth: s.OrdersPerMonth / d * n, Products: s.Products / d * n}
}

// A review has 2 to 39 ratings of its helpfulness, all numbers equally likely.
const (
	minRatings = 2
	maxRatings = 39
)

// maxHelpfulness leaves room in 32-bit numbers of ratings for those
// that a run adds.
const maxHelpfulness = 2_100_000_000

// WithReviews adds what version 3 of DVD Store has besides: so many reviews a
// product on average, and the share (0..1) of the customers who are members.
func (s Size) WithReviews(perProduct int64, members float64) (Size, error) {
	s.Members = int64(math.Round(members * float64(s.Customers)))
	s.Reviews = perProduct * s.Products
	if n := s.Reviews * (minRatings + maxRatings) / 2; n > maxHelpfulness {
		return Size{}, fmt.Errorf("%d reviews for each of %d products have about %d ratings, but their numbers are 32-bit integers: at most %d",
			perProduct, s.Products, n, maxHelpfulness)
	}
	return s, nil
}
