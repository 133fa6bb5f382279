package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/result"
)

// watchers are tasks that sample the nodes that they run on.
type watchers struct{ all map[string]*watcher }

// watcher is one of them.
type watcher struct {
	node    string
	running platform.Running
	start   time.Time // of the drivers
	seen    func([]result.Series)
	done    chan struct{}

	mu     sync.Mutex // guards what follows, until it is done
	pieces []result.Series
	notes  []string
	err    error
}

// watchNodes starts one on each node. The error says on which that was not possible;
// the others watch all the same.
func (k *Kubernetes) watchNodes(ctx context.Context, about platform.Observation, nodes []string) (*watchers, error) {
	described, err := task.NewJob(job.ObserveKind, "", job.Observe{Interval: about.Interval, Start: about.Start})
	if err != nil {
		return nil, err
	}
	w := &watchers{all: map[string]*watcher{}}
	var wait sync.WaitGroup
	var mu sync.Mutex
	var failed []error
	for _, node := range nodes {
		wait.Go(func() {
			t := platform.Task{Name: api.Name("observer", node), Job: described}
			t.Job.Name = t.Name
			r, err := k.taskOn(ctx, t, node)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", node, err))
				return
			}
			w.all[node] = &watcher{node: node, running: r, start: about.Start, seen: about.Seen, done: make(chan struct{})}
			go w.all[node].follow()
		})
	}
	wait.Wait()
	return w, errors.Join(failed...)
}

// follow takes what the task sends until its end.
func (w *watcher) follow() {
	defer close(w.done)
	follower := task.Follower{Source: w.running}
	err := follower.Run(context.Background(), w.take)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = platform.WhyEnded(err, w.running)
}

func (w *watcher) take(f task.Frame) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch f.Kind {
	case task.ResultFrame:
		return json.Unmarshal(f.Payload, &w.notes)
	case task.RecordFrame:
		var some []result.Series
		if err := json.Unmarshal(f.Payload, &some); err != nil {
			return err
		}
		for n := range some {
			some[n].Machine, some[n].Start = w.node, w.start.UnixMilli()
		}
		w.pieces = append(w.pieces, some...)
		if w.seen != nil {
			w.seen(some)
		}
	}
	return nil
}

// tasks are those that run.
func (w *watchers) tasks() (all []inPod) {
	if w == nil {
		return nil
	}
	for _, one := range w.all {
		all = append(all, one.running.(inPod))
	}
	return all
}

// stop ends the watchers and returns their samples. A watcher that failed contributes the
// samples that it sent.
func (w *watchers) stop(ctx context.Context) (pieces []result.Series, notes []string) {
	if w == nil {
		return nil, nil
	}
	var wait sync.WaitGroup
	var mu sync.Mutex
	for _, one := range w.all {
		wait.Go(func() {
			stopErr := one.running.Stop(ctx)
			<-one.done
			removeErr := one.running.Remove(ctx)
			mu.Lock()
			defer mu.Unlock()
			pieces = append(pieces, one.pieces...)
			for _, n := range one.notes {
				notes = append(notes, fmt.Sprintf("node %s: %s", one.node, n))
			}
			if why := errors.Join(one.err, stopErr, removeErr); why != nil {
				notes = append(notes, fmt.Sprintf("node %s was sampled in part: %s", one.node, strings.ReplaceAll(why.Error(), "\n", "; ")))
			}
		})
	}
	wait.Wait()
	return pieces, notes
}
