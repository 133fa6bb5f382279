package data

import (
	"io"
	"strconv"
)

// Table is one table that is loaded; REORDER starts empty.
type Table uint8

// The loaded tables, in an order in which references point backwards.
const (
	CategoryTable Table = iota
	CustomerTable
	OrderTable
	OrderLineTable
	HistoryTable // CUST_HIST: what a customer has bought, a row for each line
	ProductTable
	InventoryTable
	// These are of version 3.
	MemberProductTable // PRODUCTS with the membership that they are meant for
	MemberTable        // MEMBERSHIP
	ReviewTable
	HelpfulnessTable // REVIEWS_HELPFULNESS
	tables
)

// Tables lists the loaded tables.
func Tables() []Table {
	all := make([]Table, tables)
	for i := range all {
		all[i] = Table(i)
	}
	return all
}

// Keys is the largest key of a table's rows; keys start at 1. A key of
// OrderLineTable or HistoryTable is an order and makes a row for each line, one
// of HelpfulnessTable is a review and makes a row for each rating.
func (g Generator) Keys(t Table) int64 {
	switch t {
	case CategoryTable:
		return Categories
	case CustomerTable:
		return g.size.Customers
	case ProductTable, MemberProductTable, InventoryTable:
		return g.size.Products
	case MemberTable:
		return g.size.Members
	case ReviewTable, HelpfulnessTable:
		return g.size.Reviews
	default:
		return g.size.Orders()
	}
}

// bufferBytes is how much a Rows makes at a time: small enough for the first
// level of cache. longestKey is more than the longest output of one key.
const (
	bufferBytes = 32 << 10
	longestKey  = 2 << 10
)

// Rows reads as the rows of a table in the text form that PostgreSQL's COPY
// and MySQL's LOAD DATA both take by default: columns in the order of the
// schema between tabs, each row ended by a newline. Nothing needs escaping. A
// row costs no memory.
type Rows struct {
	g         Generator
	appendKey func(dst []byte, g *Generator, key int64) []byte
	begin     func(*Rows) // what must be known before the first row
	next      int64
	last      int64
	buffer    []byte
	rest      []byte // made and not yet read
}

// Rows returns the rows of the keys first..last, both included, in order.
func (g Generator) Rows(t Table, first, last int64) *Rows {
	r := &Rows{g: g, next: first, last: last, buffer: make([]byte, 0, bufferBytes+longestKey)}
	if t == InventoryTable {
		r.begin = (*Rows).addUpSales
	} else {
		r.appendKey = appendKey[t]
	}
	return r
}

var appendKey = map[Table]func([]byte, *Generator, int64) []byte{
	CategoryTable:      appendCategory,
	CustomerTable:      appendCustomer,
	OrderTable:         appendOrder,
	OrderLineTable:     appendOrderLines,
	HistoryTable:       appendHistory,
	ProductTable:       appendProduct,
	MemberProductTable: appendMemberProduct,
	MemberTable:        appendMember,
	ReviewTable:        appendReview,
	HelpfulnessTable:   appendRatings,
}

// Left is how many keys have not been turned into text yet.
func (r *Rows) Left() int64 { return r.last + 1 - r.next }

// Read fills p; it fails only with io.EOF.
func (r *Rows) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if len(r.rest) == 0 && !r.fill() {
			break
		}
		copied := copy(p[n:], r.rest)
		r.rest = r.rest[copied:]
		n += copied
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// fill makes the next rows, or says that there are none left.
func (r *Rows) fill() bool {
	if r.begin != nil {
		r.begin(r)
		r.begin = nil
	}
	dst := r.buffer[:0]
	for r.next <= r.last && len(dst) < bufferBytes {
		dst = r.appendKey(dst, &r.g, r.next)
		r.next++
	}
	r.buffer, r.rest = dst, dst
	return len(dst) > 0
}

// addUpSales prepares the inventory, which tells how often each product was
// sold in the loaded orders.
func (r *Rows) addUpSales() {
	sales := r.g.Totals().Sales
	r.appendKey = func(dst []byte, g *Generator, key int64) []byte {
		dst = appendColumn(dst, key)
		dst = appendColumn(dst, g.Stock(key))
		return appendLast(dst, int64(sales[key]))
	}
}

func appendCategory(dst []byte, _ *Generator, key int64) []byte {
	dst = appendColumn(dst, key)
	return append(append(dst, Category(key)...), '\n')
}

func appendCustomer(dst []byte, g *Generator, key int64) []byte {
	c := g.Customer(key)
	dst = appendColumn(dst, key)
	dst = appendText(dst, c.FirstName)
	dst = appendText(dst, c.LastName)
	dst = append(c.AppendAddress1(dst), '\t', '\t') // and an empty second line
	dst = appendText(dst, c.City)
	dst = appendText(dst, c.State)
	dst = append(c.AppendZip(dst), '\t')
	dst = appendText(dst, c.Country)
	dst = appendColumn(dst, c.Region)
	dst = append(c.AppendEmail(dst), '\t')
	dst = append(c.AppendPhone(dst), '\t')
	dst = appendColumn(dst, c.CardType)
	dst = append(c.AppendCard(dst), '\t')
	dst = append(c.AppendExpiration(dst), '\t')
	dst = appendColumn(append(dst, UserPrefix...), key)
	dst = appendText(dst, Password)
	dst = appendColumn(dst, c.Age)
	dst = appendColumn(dst, c.Income)
	return append(append(dst, c.Gender...), '\n')
}

func appendOrder(dst []byte, g *Generator, key int64) []byte {
	var o Order
	g.orderHead(key, &o)
	tax := Tax(o.NetCents)
	dst = appendColumn(dst, key)
	dst = append(appendDate(dst, BaseYear, o.Month, o.Day), '\t')
	dst = appendColumn(dst, o.Customer)
	dst = append(appendCents(dst, o.NetCents), '\t')
	dst = append(appendCents(dst, tax), '\t')
	return append(appendCents(dst, o.NetCents+tax), '\n')
}

func appendOrderLines(dst []byte, g *Generator, key int64) []byte {
	var o Order
	g.Order(key, &o)
	for i, l := range o.Line[:o.Lines] {
		dst = append(dst, byte('1'+i), '\t')
		dst = appendColumn(dst, key)
		dst = appendColumn(dst, l.Product)
		dst = append(dst, byte('0'+l.Quantity), '\t')
		dst = append(appendDate(dst, BaseYear, o.Month, o.Day), '\n')
	}
	return dst
}

func appendHistory(dst []byte, g *Generator, key int64) []byte {
	var o Order
	g.Order(key, &o)
	for _, l := range o.Line[:o.Lines] {
		dst = appendColumn(dst, o.Customer)
		dst = appendColumn(dst, key)
		dst = appendLast(dst, l.Product)
	}
	return dst
}

func appendProduct(dst []byte, g *Generator, key int64) []byte {
	p := g.Product(key)
	return append(appendProductColumns(dst, key, &p), '\n')
}

func appendMemberProduct(dst []byte, g *Generator, key int64) []byte {
	p := g.Product(key)
	return appendLast(append(appendProductColumns(dst, key, &p), '\t'), p.Member)
}

// appendProductColumns writes those that both versions have.
func appendProductColumns(dst []byte, key int64, p *Product) []byte {
	dst = appendColumn(dst, key)
	dst = appendColumn(dst, p.Category)
	dst = appendText(append(append(dst, p.Title[0]...), ' '), p.Title[1])
	dst = appendText(append(append(dst, p.Actor[0]...), ' '), p.Actor[1])
	dst = append(appendCents(dst, p.PriceCents), '\t')
	dst = appendFlag(dst, p.Special)
	return strconv.AppendInt(dst, p.Common, 10)
}

func appendMember(dst []byte, g *Generator, key int64) []byte {
	m := g.Member(key)
	dst = appendColumn(dst, m.Customer)
	dst = appendColumn(dst, m.Level)
	return append(appendDate(dst, m.Year, m.Month, m.Day), '\n')
}

func appendReview(dst []byte, g *Generator, key int64) []byte {
	v := g.Review(key)
	dst = appendColumn(dst, key)
	dst = appendColumn(dst, v.Product)
	dst = append(appendDate(dst, BaseYear, v.Month, v.Day), '\t')
	dst = append(dst, byte('0'+v.Stars), '\t')
	dst = appendColumn(dst, v.Customer)
	dst = append(v.Opinion.AppendSummary(dst), '\t')
	return append(v.Opinion.AppendText(dst), '\n')
}

func appendRatings(dst []byte, g *Generator, key int64) []byte {
	for number, rating := range g.EachRating(key) {
		dst = appendColumn(dst, number)
		dst = appendColumn(dst, key)
		dst = appendColumn(dst, rating.Customer)
		dst = appendLast(dst, rating.Helpfulness)
	}
	return dst
}

func appendText(dst []byte, s string) []byte { return append(append(dst, s...), '\t') }

func appendColumn(dst []byte, n int64) []byte { return append(strconv.AppendInt(dst, n, 10), '\t') }

func appendLast(dst []byte, n int64) []byte { return append(strconv.AppendInt(dst, n, 10), '\n') }

func appendFlag(dst []byte, set bool) []byte {
	if set {
		return append(dst, '1', '\t')
	}
	return append(dst, '0', '\t')
}

func appendCents(dst []byte, n int64) []byte {
	dst = append(strconv.AppendInt(dst, n/100, 10), '.')
	return appendTwoDigits(dst, n%100)
}

func appendDate(dst []byte, year, month, day int64) []byte {
	dst = append(strconv.AppendInt(dst, year, 10), '-')
	dst = append(appendTwoDigits(dst, month), '-')
	return appendTwoDigits(dst, day)
}
