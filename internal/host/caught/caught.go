// Package caught turns panics into errors where a command, a request or one of several runs
// ends: a file that breaks one run must not take the others along, and a user who meets a
// bug of ours is asked to report it.
package caught

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Panic is a panic that was caught.
type Panic struct {
	Doing string // what was being done, such as "analyse run x"
	Value any    // of the panic
	Place string // file and line of ours; empty where none is known
	Stack string // of the goroutine
}

// Error describes the panic and asks for a report.
func (p *Panic) Error() string {
	at := ""
	if p.Place != "" {
		at = " at " + p.Place
	}
	return fmt.Sprintf("%s: a mistake in Plimsoll itself%s (%v); please report it as a bug, with the run", p.Doing, at, p.Value)
}

// As makes a panic the error of a function that defers it.
func As(doing string, err *error) {
	if p := recover(); p != nil {
		*err = from(doing, p)
	}
}

// from is a panic that was recovered. One that was caught before keeps its place.
func from(doing string, value any) *Panic {
	if before, ok := value.(*Panic); ok {
		return &Panic{doing, before.Value, before.Place, before.Stack}
	}
	return &Panic{doing, value, place(), string(debug.Stack())}
}

// place is where the panic began: of the functions of ours that are called, the last one
// above the panic.
func place() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for begun := false; ; {
		f, more := frames.Next()
		switch {
		case strings.HasPrefix(f.Function, "runtime.gopanic"):
			begun = true
		case begun && strings.HasPrefix(f.Function, "plimsoll/"):
			at := strings.LastIndex(f.File, "plimsoll/")
			return fmt.Sprintf("%s:%d", f.File[max(0, at):], f.Line)
		}
		if !more {
			return ""
		}
	}
}

// Each calls f for 0 to n-1 on all cores and returns when all are done. A panic of one of them
// is one of the caller.
func Each(n int, f func(i int)) {
	var g errgroup.Group
	var first atomic.Pointer[Panic]
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error {
			defer func() {
				if p := recover(); p != nil {
					first.CompareAndSwap(nil, from("", p))
				}
			}()
			f(i)
			return nil
		})
	}
	_ = g.Wait() // nothing fails
	if p := first.Load(); p != nil {
		panic(p)
	}
}
