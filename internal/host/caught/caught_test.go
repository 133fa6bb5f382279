package caught_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"plimsoll/internal/host/caught"
)

func fails(at int) (err error) {
	defer caught.As("read run x", &err)
	return errors.New(string([]byte{1}[at:])) // which panics from 2 on
}

// A panic becomes an error with the step and the place; an error stays one.
func TestAPanicIsAnError(t *testing.T) {
	var p *caught.Panic
	if err := fails(5); !errors.As(err, &p) || !strings.Contains(err.Error(), "read run x") || !strings.Contains(p.Place, "internal/host/caught/caught_test.go:") || p.Stack == "" {
		t.Errorf("%v", err)
	}
	if err := fails(0); err == nil || errors.As(err, &p) {
		t.Errorf("an error became a panic: %v", err)
	}
}

// A panic on another goroutine ends neither the program nor the work of the others.
func TestAPanicOfOneOfMany(t *testing.T) {
	var done atomic.Int32
	all := func() (err error) {
		defer caught.As("analyse run x", &err)
		caught.Each(20, func(i int) {
			if i == 7 {
				var none []int
				_ = none[i]
			}
			done.Add(1)
		})
		return nil
	}
	if err := all(); err == nil || !strings.Contains(err.Error(), "analyse run x") || !strings.Contains(err.Error(), "caught_test.go") {
		t.Errorf("%v", err)
	}
	if done.Load() != 19 {
		t.Errorf("%d of 19 were done", done.Load())
	}
}
