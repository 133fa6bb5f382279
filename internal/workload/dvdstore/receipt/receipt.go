// Package receipt encodes what a session of the DVD Store notes for the audit: all writes
// that were acknowledged, and all whose outcome an error left open.
//
// A receipt is a byte with its kind and whether it is in doubt, and some variable-length
// integers (encoding/binary), about 12 bytes. Receipts of orders have the format that they
// had before there were other kinds.
package receipt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// Receipt is one of Order, Member, Review and Helpfulness.
type Receipt interface {
	// Append writes the receipt to the end of b.
	Append(b []byte) []byte
	// InDoubt reports whether its unit of work may or may not be in the database.
	InDoubt() bool
}

// Order is of an order.
type Order struct {
	ID       int64 // the order's number; 0 when doubtful and not known
	Customer int64 // who ordered
	Lines    int32
	Quantity int32
	Cents    int64 // total amount in hundredths; 0 when doubtful and not known
	Doubtful bool
}

// Member is of a customer who became a member.
type Member struct {
	Customer int64
	Level    int64
	Doubtful bool
}

// Review is of a review that was published.
type Review struct {
	ID       int64 // 0 when doubtful and not known
	Customer int64 // who wrote it
	Product  int64
	Stars    int64
	Content  uint32 // of summary and text
	Doubtful bool
}

// Helpfulness is of a customer's word on how helpful a review is.
type Helpfulness struct {
	ID          int64 // 0 when doubtful and not known
	Customer    int64 // who rated it
	Review      int64
	Helpfulness int64
	Doubtful    bool
}

// Content is the checksum of what a review says.
func Content(summary, text []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(0, table, summary)
	sum = crc32.Update(sum, table, []byte{0}) // which neither contains
	return crc32.Update(sum, table, text)
}

// Kinds of receipts, which the first byte says in all bits but the lowest. The
// lowest is set when the receipt is doubtful.
const (
	order = iota << 1
	member
	review
	helpfulness
	kinds
)

const doubtful = 1

// Append implements Receipt.
func (r Order) Append(b []byte) []byte {
	return write(b, order, r.Doubtful, r.ID, r.Customer, int64(r.Lines), int64(r.Quantity), r.Cents)
}

// Append implements Receipt.
func (r Member) Append(b []byte) []byte {
	return write(b, member, r.Doubtful, r.Customer, r.Level)
}

// Append implements Receipt.
func (r Review) Append(b []byte) []byte {
	return write(b, review, r.Doubtful, r.ID, r.Customer, r.Product, r.Stars, int64(r.Content))
}

// Append implements Receipt.
func (r Helpfulness) Append(b []byte) []byte {
	return write(b, helpfulness, r.Doubtful, r.ID, r.Customer, r.Review, r.Helpfulness)
}

func write(b []byte, kind byte, inDoubt bool, numbers ...int64) []byte {
	if inDoubt {
		kind |= doubtful
	}
	b = append(b, kind)
	for _, n := range numbers {
		b = binary.AppendVarint(b, n)
	}
	return b
}

// Parse reads what Append wrote.
func Parse(b []byte) (Receipt, error) {
	if len(b) == 0 || b[0] >= kinds {
		return nil, fmt.Errorf("a receipt begins with % x, want less than %02x", b[:min(1, len(b))], kinds)
	}
	p := parser{rest: b[1:]}
	r := p.receipt(b[0]&^doubtful, b[0]&doubtful != 0)
	switch {
	case p.err != nil:
		return nil, p.err
	case len(p.rest) > 0:
		return nil, fmt.Errorf("%d bytes follow a receipt", len(p.rest))
	}
	return r, nil
}

// parser takes numbers until something is wrong.
type parser struct {
	rest []byte
	err  error
}

// receipt takes the numbers of a kind; operands are evaluated from left to
// right, as the numbers were written.
func (p *parser) receipt(kind byte, inDoubt bool) Receipt {
	switch kind {
	case member:
		return Member{Customer: p.number(), Level: p.number(), Doubtful: inDoubt}
	case review:
		return Review{ID: p.number(), Customer: p.number(), Product: p.number(), Stars: p.number(),
			Content: uint32(p.upTo(math.MaxUint32)), Doubtful: inDoubt}
	case helpfulness:
		return Helpfulness{ID: p.number(), Customer: p.number(), Review: p.number(), Helpfulness: p.number(), Doubtful: inDoubt}
	}
	return Order{ID: p.number(), Customer: p.number(), Lines: int32(p.upTo(math.MaxInt32)),
		Quantity: int32(p.upTo(math.MaxInt32)), Cents: p.number(), Doubtful: inDoubt}
}

func (p *parser) number() int64 {
	if p.err != nil {
		return 0
	}
	n, size := binary.Varint(p.rest)
	if size <= 0 {
		p.err = errors.New("a receipt is cut short")
		return 0
	}
	p.rest = p.rest[size:]
	return n
}

// upTo takes a number from 0 to most.
func (p *parser) upTo(most int64) int64 {
	n := p.number()
	if p.err == nil && (n < 0 || n > most) {
		p.err = fmt.Errorf("a receipt says %d where 0 to %d is possible", n, most)
	}
	return n
}
