package climit_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"plimsoll/internal/campaign/climit"
)

func TestEachDoesAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var underWay, largest, done atomic.Int64
		most, err := climit.Each(t.Context(), climit.New(8, 100), 2000, nil, func(context.Context, int) error {
			if n := underWay.Add(1); n > largest.Load() {
				largest.Store(n)
			}
			time.Sleep(10 * time.Second)
			underWay.Add(-1)
			done.Add(1)
			return nil
		})
		if err != nil || done.Load() != 2000 {
			t.Fatalf("%d were done: %v", done.Load(), err)
		}
		if most != 100 || largest.Load() > 100 {
			t.Errorf("at most %d were under way, it says %d; want 100, which are as many as may be", largest.Load(), most)
		}
	})
}

func TestEachIsPushedBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var underWay, pushed atomic.Int64
		l := climit.New(8, 1000)
		_, err := climit.Each(t.Context(), l, 3000, pushed.Load, func(context.Context, int) error {
			for underWay.Add(1) > 50 {
				underWay.Add(-1)
				pushed.Add(1)
				time.Sleep(time.Second)
			}
			time.Sleep(10 * time.Second)
			underWay.Add(-1)
			return nil
		})
		if err != nil || l.Now() < 25 || l.Now() > 100 {
			t.Errorf("the limit is %d of a system that takes 50: %v", l.Now(), err)
		}
	})
}

func TestEachEndsWithTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	var begun atomic.Int64
	_, err := climit.Each(t.Context(), climit.Fixed(4), 1000, nil, func(ctx context.Context, n int) error {
		begun.Add(1)
		if n == 5 {
			return broken
		}
		if n > 5 {
			<-ctx.Done()
		}
		return ctx.Err()
	})
	if !errors.Is(err, broken) || begun.Load() > 20 {
		t.Errorf("%d were begun: %v", begun.Load(), err)
	}
}

func TestEachEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := climit.Each(ctx, climit.Fixed(2), 10, nil, func(ctx context.Context, n int) error {
		if n == 1 {
			cancel()
		}
		<-ctx.Done()
		return nil // as one that was done already
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := climit.Each(t.Context(), climit.Fixed(2), 0, nil, nil); err != nil {
		t.Error(err)
	}
}
