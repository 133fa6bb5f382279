package session

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll/internal/workload/dvdstore/data"
)

// cart is what a customer is about to buy.
type cart struct {
	lines    []line
	netCents int64
}

type line struct {
	product, quantity int64
	short             bool // too few in stock
}

// fill draws the lines. They are in the order of their products, so that
// orders lock stock in the same order and cannot deadlock over it.
func (c *cart) fill(r *data.Rand, lines int, products int64) {
	c.lines, c.netCents = c.lines[:0], 0
	for range lines {
		c.lines = append(c.lines, line{product: data.OrderedProduct(r, products), quantity: r.Between(1, data.MaxQuantity)})
	}
	slices.SortFunc(c.lines, func(a, b line) int { return cmp.Compare(a.product, b.product) })
}

// wanted is how many copies of a product the cart holds, on all its lines.
func (c *cart) wanted(product int64) int64 {
	n := int64(0)
	for _, l := range c.lines {
		if l.product == product {
			n += l.quantity
		}
	}
	return n
}

// receipt is what the audit will ask for.
func (c *cart) receipt(order, customer int64) Receipt {
	quantity := int64(0)
	for _, l := range c.lines {
		quantity += l.quantity
	}
	return Receipt{
		ID: order, Customer: customer,
		Lines: int32(len(c.lines)), Quantity: int32(quantity),
		Cents: c.netCents + data.Tax(c.netCents),
	}
}

// hundredths reads a decimal number with at most two places.
func hundredths(text []byte) (int64, error) {
	n, places := int64(0), -1
	for _, c := range text {
		switch {
		case c == '.' && places < 0:
			places = 0
		case c < '0' || c > '9' || places == 2:
			return 0, fmt.Errorf("%q is not an amount of money", text)
		default:
			n = 10*n + int64(c-'0')
			if places >= 0 {
				places++
			}
		}
	}
	for range 2 - max(places, 0) {
		n *= 10
	}
	return n, nil
}
