package session

import (
	"cmp"
	"slices"

	"plimsoll/internal/workload/dvdstore/data"
	"plimsoll/internal/workload/dvdstore/receipt"
)

// Cart is what a customer is about to buy.
type Cart struct{ Lines []Line }

// Line is so many copies of one film.
type Line struct {
	Product, Quantity int64
	Short             bool // too few in stock, says a Restocker
}

// fill draws the lines. They are in the order of their products, so that
// orders lock stock in the same order and cannot deadlock over it.
func (c *Cart) fill(r *data.Rand, lines int, products int64) {
	c.Lines = c.Lines[:0]
	for range lines {
		c.Lines = append(c.Lines, Line{Product: data.OrderedProduct(r, products), Quantity: r.Between(1, data.MaxQuantity)})
	}
	slices.SortFunc(c.Lines, func(a, b Line) int { return cmp.Compare(a.Product, b.Product) })
}

// Wanted is how many copies of a product the cart holds, on all its lines.
func (c *Cart) Wanted(product int64) int64 {
	n := int64(0)
	for _, l := range c.Lines {
		if l.Product == product {
			n += l.Quantity
		}
	}
	return n
}

// receipt is what the audit will ask for.
func (c *Cart) receipt(customer int64, b Bill) receipt.Order {
	quantity := int64(0)
	for _, l := range c.Lines {
		quantity += l.Quantity
	}
	return receipt.Order{
		ID: b.Order, Customer: customer,
		Lines: int32(len(c.Lines)), Quantity: int32(quantity),
		Cents: b.Cents,
	}
}
