package kubernetes

import (
	"time"
)

// clockInterval is how often tasks are asked for the clocks of their nodes: one that is
// 50 ppm fast gains 15 ms meanwhile, and 4.3 s in a day.
const clockInterval = 5 * time.Minute

// followClock asks for the clock of the task's node again and again, until the task has
// ended. A node that does not answer keeps the last figure.
func (r *running) followClock() {
	tick := time.NewTicker(clockInterval)
	defer tick.Stop()
	for {
		select {
		case <-r.quit.Done():
			return
		case <-tick.C:
			if l, err := r.tasks.connect(r.quit, r.pod); err == nil {
				r.ahead.Store(int64(l.offset))
				l.close()
			}
		}
	}
}

// Ahead is how far the clock of the task's node is ahead of the campaign's.
func (r *running) Ahead() time.Duration { return time.Duration(r.ahead.Load()) }

// clocks is how far the clock of each node is ahead, as measured by the tasks there. A node
// without tasks is taken to have no offset.
func (o *observer) clocks() map[string]time.Duration {
	all := map[string]time.Duration{}
	add := func(t inPod) {
		if pod := o.k.pods.Get(t.Pod().Name); pod != nil {
			all[pod.Spec.NodeName] = t.Ahead()
		}
	}
	for _, t := range o.about.Tasks {
		add(t.Task.(inPod))
	}
	for _, t := range o.own.tasks() {
		add(t)
	}
	return all
}
