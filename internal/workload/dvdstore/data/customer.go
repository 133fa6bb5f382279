package data

import "strconv"

// BaseYear is the year of all loaded orders. It is fixed so that a data set is
// the same whenever it is made.
const BaseYear = 2025

// Regions of customers.
const (
	UnitedStates = 1
	RestOfWorld  = 2
)

// Password is every customer's password, as in DVD Store.
const Password = "password"

// UserPrefix and NewUserPrefix begin the names of loaded customers (user1, user2, ...) and
// of customers who register during a run (newuser1, ...).
const (
	UserPrefix    = "user"
	NewUserPrefix = "newuser"
)

var states = [...]string{
	"AK", "AL", "AR", "AZ", "CA", "CO", "CT", "DC", "DE", "FL", "GA", "HI", "IA", "ID", "IL", "IN", "KS",
	"KY", "LA", "MA", "MD", "ME", "MI", "MN", "MO", "MS", "MT", "NC", "ND", "NE", "NH", "NJ", "NM", "NV",
	"NY", "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VA", "VT", "WA", "WI", "WV", "WY",
}

var countries = [...]string{
	"Argentina", "Australia", "Brazil", "Canada", "France", "Germany", "India", "Japan", "Kenya", "Spain",
}

var genders = [...]string{"F", "M"}

// Customer is one customer in a compact form that needs no memory of its own;
// the Append methods write the columns that are made of several parts. The
// second line of the address is always empty.
type Customer struct {
	FirstName, LastName string
	House               int64
	Street              string // a word
	City                string
	State               string // empty outside the US
	Zip                 int64  // 0 outside the US
	Country             string
	Region              int64 // UnitedStates or RestOfWorld
	Phone               int64 // ten digits
	CardType            int64 // 1..5
	Card                int64 // 16 digits
	CardYear, CardMonth int64
	Age                 int64  // 18..90
	Income              int64  // 20,000..100,000 in steps of 20,000
	Gender              string // M or F
}

// NewCustomer draws a customer who registers during a run: from the US as often
// as not, as among the loaded customers.
func NewCustomer(r *Rand) Customer {
	return drawCustomer(r, r.N(2) == 0)
}

func drawCustomer(r *Rand, american bool) Customer {
	c := Customer{
		FirstName: firstNames[r.N(FirstNames)],
		LastName:  lastNames[r.N(LastNames)],
		House:     r.Between(1, 9999),
		Street:    titleWords[r.N(TitleWords)],
		City:      titleWords[r.N(TitleWords)],
		Phone:     r.Between(1_000_000_000, 9_999_999_999),
		CardType:  r.Between(1, 5),
		Card:      r.Between(1_000_000_000_000_000, 9_999_999_999_999_999),
		CardYear:  r.Between(BaseYear+1, BaseYear+5),
		CardMonth: r.Between(1, 12),
		Age:       r.Between(18, 90),
		Income:    20_000 * r.Between(1, 5),
		Gender:    genders[r.N(int64(len(genders)))],
	}
	if american {
		c.Region, c.Country = UnitedStates, "US"
		c.State, c.Zip = states[r.N(int64(len(states)))], r.Between(10_000, 99_999)
	} else {
		c.Region, c.Country = RestOfWorld, countries[r.N(int64(len(countries)))]
	}
	return c
}

// AppendAddress1 appends the first line of the address: "4821 AMBER Street".
func (c *Customer) AppendAddress1(dst []byte) []byte {
	dst = strconv.AppendInt(dst, c.House, 10)
	dst = append(dst, ' ')
	dst = append(dst, c.Street...)
	return append(dst, " Street"...)
}

// AppendZip appends five digits, 00000 outside the US.
func (c *Customer) AppendZip(dst []byte) []byte {
	if c.Zip == 0 {
		return append(dst, "00000"...)
	}
	return strconv.AppendInt(dst, c.Zip, 10)
}

// AppendEmail appends the address of electronic mail.
func (c *Customer) AppendEmail(dst []byte) []byte {
	dst = append(dst, c.FirstName...)
	dst = append(dst, '.')
	dst = append(dst, c.LastName...)
	return append(dst, "@example.com"...)
}

// AppendPhone appends the ten digits of the telephone number.
func (c *Customer) AppendPhone(dst []byte) []byte { return strconv.AppendInt(dst, c.Phone, 10) }

// AppendCard appends the 16 digits of the credit card.
func (c *Customer) AppendCard(dst []byte) []byte { return strconv.AppendInt(dst, c.Card, 10) }

// AppendExpiration appends when the credit card expires: "2027/04".
func (c *Customer) AppendExpiration(dst []byte) []byte {
	dst = strconv.AppendInt(dst, c.CardYear, 10)
	dst = append(dst, '/')
	return appendTwoDigits(dst, c.CardMonth)
}

func appendTwoDigits(dst []byte, n int64) []byte {
	return append(dst, byte('0'+n/10), byte('0'+n%10))
}
