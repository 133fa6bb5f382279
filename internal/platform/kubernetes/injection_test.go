package kubernetes_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/event"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes"
	"plimsoll/internal/storage"
)

// faulted is a platform with a server in each of two instances.
type faulted struct {
	*bed
	t       *testing.T
	p       *kubernetes.Kubernetes
	runID   string
	journal string // its file
	running []platform.Server
}

func newFaulted(t *testing.T) *faulted {
	t.Helper()
	f := &faulted{bed: newBed(t), t: t, runID: fmt.Sprintf("faults-%d", os.Getpid()), running: []platform.Server{{Instance: 0, Role: "db"}, {Instance: 1, Role: "db"}}}
	f.p, f.journal = f.run(t, f.runID)
	for i := range f.running {
		f.start(i)
	}
	return f
}

// server is the server of an instance; it ends on SIGTERM.
func (f *faulted) server(instance int) app.Server {
	return shell(fmt.Sprintf("t1-db-%03d", instance), "trap 'exit 0' TERM; while :; do sleep 0.1; done")
}

func (f *faulted) start(instance int) {
	f.t.Helper()
	f.running[instance].Process = start(f.t, f.p, f.server(instance), storage.Volume{})
}

// written is an event as a study writes it.
func written(t *testing.T, text string) event.Event {
	t.Helper()
	e, err := kubernetes.Kind{}.Events(nil).Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// inject does a fault, and says which instances it hit.
func (f *faulted) inject(action string) (hit []int) {
	f.t.Helper()
	before := f.live()
	e := written(f.t, action)
	victims, err := f.p.Victims(f.t.Context(), e, f.running)
	if err != nil {
		f.t.Fatal(err)
	}
	if err := f.p.Do(f.t.Context(), e, victims); err != nil {
		f.t.Fatalf("%s: %v", action, err)
	}
	for _, v := range victims {
		hit = append(hit, v.Instance)
		if v.Process.Err() == nil {
			f.t.Errorf("%s: %s ended without a reason", action, v.Process.Name())
		}
	}
	want := slices.DeleteFunc(before, func(n int) bool { return slices.Contains(hit, n) })
	if after := f.live(); !slices.Equal(after, want) {
		f.t.Errorf("after %s the servers of %v run, not those of %v", action, after, want)
	}
	return hit
}

// live are the instances whose servers run.
func (f *faulted) live() (all []int) {
	for _, s := range f.running {
		select {
		case <-s.Process.Done():
		default:
			all = append(all, s.Instance)
		}
	}
	return all
}

// cordoned reports whether the only node takes no pods, and which run cordoned it.
func (f *faulted) cordoned() (yes bool, by string) {
	f.t.Helper()
	client, err := f.Client()
	if err != nil {
		f.t.Fatal(err)
	}
	nodes, err := client.CoreV1().Nodes().List(f.t.Context(), metav1.ListOptions{})
	if err != nil {
		f.t.Fatal(err)
	}
	return nodes.Items[0].Spec.Unschedulable, nodes.Items[0].Annotations["plimsoll.io/cordoned-by"]
}

func (f *faulted) listed() journal.State {
	f.t.Helper()
	s, err := journal.Read(f.journal)
	if err != nil {
		f.t.Fatal(err)
	}
	s.RunID = f.runID
	return s
}

func TestFaultsOfACluster(t *testing.T) {
	f := newFaulted(t)
	for action, want := range map[string]int{"delete pod 0": 0, "kill server 1 db": 1} {
		if hit := f.inject(action); !slices.Equal(hit, []int{want}) {
			t.Errorf("%s hit %v", action, hit)
		}
		f.start(want)
	}
	f.drained()
	f.sweptAfterACrash()
	if _, err := f.p.Victims(t.Context(), written(t, "drain node elsewhere"), f.running); err == nil || !strings.Contains(err.Error(), "kubectl get nodes") {
		t.Errorf("a node that does not exist: %v", err)
	}
}

// A node that is drained takes no servers until it is given back.
func (f *faulted) drained() {
	t := f.t
	if hit := f.inject("drain node of instance 0"); len(hit) != 2 {
		t.Errorf("both are on the node, and %v were hit", hit)
	}
	if healthy, err := f.p.Healthy(t.Context()); healthy || err != nil {
		t.Errorf("healthy: %v, %v", healthy, err)
	}
	homeless := f.server(0)
	f.p.AwaitPods(3 * time.Second)
	if _, err := f.p.Start(t.Context(), homeless, storage.Volume{}); err == nil || !strings.Contains(err.Error(), "unschedulable") {
		t.Errorf("a start on a drained node: %v", err)
	}
	f.p.AwaitPods(5 * time.Minute)
	f.inject("uncordon node of instance 0")
	if yes, by := f.cordoned(); yes || by != "" {
		t.Errorf("after uncordon it is cordoned: %v, by %q", yes, by)
	}
	if healthy, err := f.p.Healthy(t.Context()); !healthy || err != nil {
		t.Errorf("healthy: %v, %v", healthy, err)
	}
	if len(f.listed().Objects) != 1 {
		t.Errorf("the journal lists %v", f.listed().Objects)
	}
	f.start(0)
	f.start(1)
}

// What a crash leaves is swept by what the journal lists.
func (f *faulted) sweptAfterACrash() {
	t := f.t
	f.inject("drain node node1")
	if yes, by := f.cordoned(); !yes || by == "" {
		t.Errorf("drained, the node is cordoned: %v, by %q", yes, by)
	}
	for _, r := range sweep(t.Context(), f.kind, f.listed()) {
		if r.Err != nil || !r.Found {
			t.Errorf("%s: found %v, %v", r.Object, r.Found, r.Err)
		}
	}
	if yes, by := f.cordoned(); yes || by != "" {
		t.Errorf("after the sweep it is cordoned: %v, by %q", yes, by)
	}
}
