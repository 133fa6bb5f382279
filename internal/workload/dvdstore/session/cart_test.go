package session

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/internal/workload/dvdstore/data"
	"plimsoll/internal/workload/dvdstore/receipt"
)

func TestCart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := data.NewRand(rapid.Uint64().Draw(t, "seed"))
		lines, products := rapid.IntRange(1, 30).Draw(t, "lines"), rapid.Int64Range(1, 25_000).Draw(t, "products")
		var c Cart
		c.fill(&random, lines, products)
		if len(c.Lines) != lines || !slices.IsSortedFunc(c.Lines, func(a, b Line) int { return int(a.Product - b.Product) }) {
			t.Fatalf("the cart is %+v, want %d lines in the order of products", c.Lines, lines)
		}
		quantity := int64(0)
		for _, l := range c.Lines {
			if l.Product < 1 || l.Product > products || l.Quantity < 1 || l.Quantity > data.MaxQuantity {
				t.Fatalf("line %+v is impossible", l)
			}
			quantity += l.Quantity
		}
		want := receipt.Order{ID: 7, Customer: 8, Lines: int32(lines), Quantity: int32(quantity), Cents: 1083}
		if got := c.receipt(8, Bill{Order: 7, Cents: 1083}); got != want {
			t.Fatalf("receipt %+v, want %+v", got, want)
		}
	})
}

func TestWantedAddsLinesUp(t *testing.T) {
	c := Cart{Lines: []Line{{Product: 1, Quantity: 1}, {Product: 2, Quantity: 2}, {Product: 2, Quantity: 3}}}
	if got := c.Wanted(2); got != 5 {
		t.Errorf("got %d copies, want 5", got)
	}
}
