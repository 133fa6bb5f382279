package session

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/internal/workload/dvdstore/data"
)

func TestHundredths(t *testing.T) {
	for text, want := range map[string]int64{"12.99": 1299, "0.05": 5, "7": 700, "7.5": 750, "1234567.00": 123456700, "0": 0} {
		if got, err := hundredths([]byte(text)); err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"-1", "1.234", "1.2.3", "x", "1e5"} {
		if got, err := hundredths([]byte(text)); err == nil {
			t.Errorf("%s: got %d, want an error", text, got)
		}
	}
}

func TestCart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := data.NewRand(rapid.Uint64().Draw(t, "seed"))
		lines, products := rapid.IntRange(1, 30).Draw(t, "lines"), rapid.Int64Range(1, 25_000).Draw(t, "products")
		var c cart
		c.fill(&random, lines, products)
		if len(c.lines) != lines || !slices.IsSortedFunc(c.lines, func(a, b line) int { return int(a.product - b.product) }) {
			t.Fatalf("the cart is %+v, want %d lines in the order of products", c.lines, lines)
		}
		quantity := int64(0)
		for _, l := range c.lines {
			if l.product < 1 || l.product > products || l.quantity < 1 || l.quantity > data.MaxQuantity {
				t.Fatalf("line %+v is impossible", l)
			}
			quantity += l.quantity
		}
		c.netCents = 1000
		want := Receipt{ID: 7, Customer: 8, Lines: int32(lines), Quantity: int32(quantity), Cents: 1083}
		if got := c.receipt(7, 8); got != want {
			t.Fatalf("receipt %+v, want %+v", got, want)
		}
	})
}

func TestWantedAddsLinesUp(t *testing.T) {
	c := cart{lines: []line{{product: 1, quantity: 1}, {product: 2, quantity: 2}, {product: 2, quantity: 3}}}
	if got := c.wanted(2); got != 5 {
		t.Errorf("got %d copies, want 5", got)
	}
}
