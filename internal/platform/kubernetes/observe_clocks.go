package kubernetes

import (
	"context"
	"sync"
	"time"

	"plimsoll/internal/platform"
	"plimsoll/internal/task"
)

// clockLimit bounds how long tasks are asked for their clocks.
const clockLimit = 5 * time.Second

// readClocks asks the tasks how far the clocks of their nodes are ahead, which was
// measured before each began. A node whose tasks do not answer is taken to be in time.
func (o *observer) readClocks(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, clockLimit)
	defer cancel()
	var wait sync.WaitGroup
	for _, t := range o.about.Tasks {
		wait.Go(func() {
			ahead, err := clockOf(ctx, t.Task)
			pod := o.k.pods.Get(t.Task.(inPod).Pod().Name)
			if err != nil || pod == nil {
				return
			}
			o.mu.Lock()
			defer o.mu.Unlock()
			o.clocks[pod.Spec.NodeName] = ahead
		})
	}
	wait.Wait()
}

// clockOf reads the first frame of a task.
func clockOf(ctx context.Context, r platform.Running) (time.Duration, error) {
	stream, err := r.Open(ctx, 1)
	if err != nil {
		return 0, err
	}
	defer stream.Close()
	stop := context.AfterFunc(ctx, func() { stream.Close() })
	defer stop()
	first, err := task.NewDecoder(stream).Next()
	if err != nil {
		return 0, err
	}
	hello, err := first.Hello()
	return hello.Offset, err
}

// ahead is how far the clock of a node is ahead of the campaign's.
func (o *observer) ahead(node string) time.Duration {
	if own := o.own.offset(node); own != 0 {
		return own
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.clocks[node]
}
