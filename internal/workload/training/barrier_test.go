package training

import (
	"context"
	"errors"
	"testing"
	"time"

	"plimsoll/internal/describe/endpoint"
)

// All go on when the last has computed; one that leaves or gives up is not waited for.
func TestBarrier(t *testing.T) {
	at := func(s int64) time.Time { return time.Unix(s, 0) }
	key := endpoint.OfDirectory("volume", t.TempDir())
	b := join(key)
	second, third := join(key), join(key)
	if second != b || third != b || join(endpoint.OfDirectory("volume", "another")) == b {
		t.Fatal("they are not of one instance")
	}
	ends := make(chan time.Time)
	arrive := func(s int64) {
		go func() {
			end, err := b.arrive(t.Context(), at(s))
			if err != nil {
				t.Error(err)
			}
			ends <- end
		}()
	}
	ended := func(n int, want int64) {
		t.Helper()
		for range n {
			if end := <-ends; !end.Equal(at(want)) {
				t.Errorf("it ends at %v, want %v", end, at(want))
			}
		}
	}
	for range 3 { // each in its turn may be the last
		arrive(7)
		arrive(9)
		arrive(8)
		ended(3, 9)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.arrive(ctx, at(10)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
	b.leave()
	arrive(12)
	arrive(11)
	ended(2, 12)

	arrive(13)
	b.leave()
	ended(1, 13)
	b.leave()
	if next := join(key); next == b {
		t.Error("the barrier outlives its accelerators")
	}
}
