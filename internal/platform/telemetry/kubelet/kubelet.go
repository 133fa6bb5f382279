// Package kubelet samples the machines of a Kubernetes cluster, and some pods on them,
// through their kubelets: it takes a way to ask a kubelet, and gives series as package
// telemetry does.
//
// A kubelet looks at its node and each of its containers every ten seconds or so, at
// moments of its own. A value here covers the time between two such looks, by the kubelet's
// own clock; nothing is interpolated.
package kubelet

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	stats "k8s.io/kubelet/pkg/apis/stats/v1alpha1"

	"plimsoll/internal/result"
)

// Config says what to sample, and how. Functions are called by one goroutine each time.
type Config struct {
	// Get asks the kubelet of a node for a path: "metrics/cadvisor". An error names the
	// missing requirement and how to get it.
	Get func(ctx context.Context, node, path string) (io.ReadCloser, error)
	// Nodes are asked; they may change.
	Nodes func() []Node
	// Pods are watched; they may change.
	Pods func() []Pod
	// Start is what times count from, in the campaign's clock.
	Start time.Time
	// Interval is the time between questions; 0 is ten seconds.
	Interval time.Duration
	// Seen, where it is not nil, gets the values of each answer. They are kept for Stop all
	// the same. Several answers may arrive at once.
	Seen func([]result.Series)
}

// Node is a machine of the cluster.
type Node struct {
	Name   string
	Cores  float64
	Memory int64 // bytes
	// Offset is how far its clock is ahead of the campaign's.
	Offset time.Duration
}

// Pod is one that is watched, by its main container.
type Pod struct {
	Kind, Name                string // of its series: "instance", "db-007"
	Namespace, Pod, Container string
}

const (
	defaultInterval = 10 * time.Second
	// abreast is how many kubelets are asked at once: one answer may take some megabytes.
	abreast = 4
	// patience bounds one answer.
	patience = 20 * time.Second
)

// Sampler asks until it is stopped.
type Sampler struct {
	config Config
	cancel context.CancelFunc
	done   chan struct{}
	stop   sync.Once

	mu     sync.Mutex // guards what follows
	record *recorder
	tries  map[string]*tries // by node
}

// tries is what became of the questions to a node.
type tries struct {
	asked, failed int
	last          error
}

// Start begins to ask. It never fails; what cannot be had is in Notes.
func Start(ctx context.Context, c Config) *Sampler {
	if c.Interval <= 0 {
		c.Interval = defaultInterval
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &Sampler{config: c, cancel: cancel, done: make(chan struct{}), record: newRecorder(c.Start), tries: map[string]*tries{}}
	go s.run(ctx)
	return s
}

// Stop asks once more, so that the end is covered as well, and gives the samples, sorted by
// machine, kind, name and metric. Calling it again gives the same.
func (s *Sampler) Stop(ctx context.Context) []result.Series {
	s.stop.Do(func() {
		s.cancel()
		<-s.done
		s.ask(ctx)
	})
	return s.record.all()
}

// Notes says, after Stop, what a reader of the series must know.
func (s *Sampler) Notes() (notes []string) {
	if every := s.record.resolution(); every > 0 {
		notes = append(notes, fmt.Sprintf("nodes and pods were sampled by their kubelets, every %s on average: shorter peaks do not show", every.Round(100*time.Millisecond)))
	}
	unread := map[string][]string{}
	for _, node := range slices.Sorted(maps.Keys(s.tries)) {
		switch t := s.tries[node]; {
		case t.failed == t.asked:
			unread[t.last.Error()] = append(unread[t.last.Error()], node)
		case t.failed > 0:
			notes = append(notes, fmt.Sprintf("the kubelet of node %s did not answer %d of %d times: %v", node, t.failed, t.asked, t.last))
		}
	}
	for _, why := range slices.Sorted(maps.Keys(unread)) {
		nodes := unread[why]
		text := "node " + nodes[0]
		if len(nodes) > 1 {
			text = fmt.Sprintf("%d nodes, %s among them,", len(nodes), nodes[0])
		}
		notes = append(notes, fmt.Sprintf("what %s did is not known: %s", text, why))
	}
	return notes
}

func (s *Sampler) run(ctx context.Context) {
	defer close(s.done)
	tick := time.NewTicker(s.config.Interval)
	defer tick.Stop()
	for {
		s.ask(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// ask asks every node once.
func (s *Sampler) ask(ctx context.Context) {
	pods := s.config.Pods()
	var wait sync.WaitGroup
	places := make(chan struct{}, abreast)
	for _, node := range s.config.Nodes() {
		wait.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			bounded, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			err := s.askNode(bounded, node, pods)
			if ctx.Err() == nil { // a cancelled request did not fail
				s.tried(node.Name, err)
			}
		})
	}
	wait.Wait()
}

func (s *Sampler) tried(node string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tries[node]
	if t == nil {
		t = &tries{}
		s.tries[node] = t
	}
	t.asked++
	if err != nil {
		t.failed, t.last = t.failed+1, err
	}
}

// askNode takes what a kubelet has. Where it has no cAdvisor to offer, its resource
// metrics give CPU and memory alone.
func (s *Sampler) askNode(ctx context.Context, n Node, pods []Pod) error {
	found, err := s.exposition(ctx, n.Name, "metrics/cadvisor")
	if err != nil {
		var again error
		if found, again = s.exposition(ctx, n.Name, "metrics/resource"); again != nil {
			return err
		}
	}
	summary, err := s.summary(ctx, n.Name)
	fresh := s.keep(n, found, summary, pods)
	if s.config.Seen != nil && len(fresh) > 0 {
		s.config.Seen(fresh)
	}
	return err
}

// keep records an answer and gives what of it is new.
func (s *Sampler) keep(n Node, found map[thing]*reading, summary stats.Summary, pods []Pod) []result.Series {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record.fresh = nil
	s.record.node(n, found, summary)
	s.record.pods(n, found, summary, pods)
	return s.record.fresh
}
