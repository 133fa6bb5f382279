// Package parallel spreads the analysis over all cores.
package parallel

import (
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Do calls f for 0 to n-1 on all cores and returns when all are done.
func Do(n int, f func(i int)) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error {
			f(i)
			return nil
		})
	}
	_ = g.Wait() // nothing fails
}
