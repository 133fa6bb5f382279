package kubernetes_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/storage"
)

const waiting = `trap 'exit 0' TERM; while :; do sleep 0.1; done`

func TestWhatDoesNotComeUpSaysWhy(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	p := b.open(t)
	absent := shell("absent", waiting)
	absent.Image = "plimsoll.test/no-such-image:1"
	large := shell("large", waiting)
	large.Limits = describe.Limits{CPU: 1000, Memory: 1 << 50}
	broken := shell("broken", `echo "no space left"; exit 7`)
	missing := shell("missing", "")
	missing.Command = []string{"/no/such/program"}
	for _, s := range []*app.Server{&broken, &missing} {
		s.Ready = func(context.Context, endpoint.Endpoint) error { return errors.New("not yet") }
	}
	never := shell("never", `echo "still thinking"; `+waiting)
	never.StartTimeout = 20 * time.Second
	never.Ready = func(context.Context, endpoint.Endpoint) error { return errors.New("not yet") }
	unbound := storage.Volume{Name: "unbound", Path: "/volumes/unbound", Claim: "unbound"}
	short := b.open(t)
	short.AwaitPods(10 * time.Second)
	b.claim(t, short, "unbound", "no-such-class")
	pending := shell("pending", `: ${VOLUME}; `+waiting)
	for _, c := range []struct {
		p      *kubernetes.Kubernetes
		server app.Server
		volume storage.Volume
		words  []string
	}{
		{p, absent, storage.Volume{}, []string{"absent", "image", "no-such-image", "pull"}},
		{p, large, storage.Volume{}, []string{"large", "Insufficient cpu", "no node takes it"}},
		{p, broken, storage.Volume{}, []string{"broken", "exit status 7", "no space left", "broken.log"}},
		{p, missing, storage.Volume{}, []string{"missing", "/no/such/program"}},
		{p, never, storage.Volume{}, []string{"never", "not ready within 20s", "still thinking"}},
		{short, pending, unbound, []string{"pending", "did not run within 10s", "claim unbound of StorageClass no-such-class is pending", "not found"}},
	} {
		t.Run(c.server.Name, func(t *testing.T) {
			t.Parallel()
			_, err := c.p.Start(t.Context(), c.server, c.volume)
			mention(t, err, c.words...)
			t.Log(err)
		})
	}
	t.Cleanup(func() { b.nothingOf(t, p, "Pod", "Secret", "Service") })
}

// nothingOf looks whether a run has left objects of some kinds in its namespace.
func (b *bed) nothingOf(t *testing.T, p *kubernetes.Kubernetes, kinds ...string) {
	t.Helper()
	for _, kind := range kinds {
		left, err := b.client.List(context.Background(), schema.GroupVersionKind{Version: "v1", Kind: kind}, p.Namespace(), api.Ours())
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range left {
			t.Errorf("%s %s is left", kind, o.GetName())
		}
	}
}

func TestAQuotaThatIsExceededIsTheReason(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	p := b.open(t)
	quota := &corev1.ResourceQuota{Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("0")}}}
	quota.Name, quota.Namespace = "none", p.Namespace()
	if err := b.client.Apply(t.Context(), quota); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) { // until it counts
		now, err := api.Of[corev1.ResourceQuota](b.client, p.Namespace()).Get(t.Context(), "none")
		if err != nil {
			t.Fatal(err)
		}
		if len(now.Status.Hard) > 0 || time.Now().After(deadline) {
			break
		}
	}
	_, err := p.Start(t.Context(), shell("db", waiting), storage.Volume{})
	mention(t, err, "exceeded quota", "ask for less")
	b.nothingOf(t, p, "Pod", "Secret")
}

func TestTheEndOfAServerIsTold(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	p := b.open(t)
	greedy := shell("greedy", `sleep 1; head -c 300000000 /dev/zero | tail -n 1 > /dev/null || exit 1`)
	greedy.Limits.Memory = 64 << 20
	stubborn := shell("stubborn", `trap "" TERM; echo deaf; while :; do sleep 1; done`)
	stubborn.StopTimeout = 300 * time.Millisecond
	for _, c := range []struct {
		name   string
		server app.Server
		end    func(t *testing.T, p *kubernetes.Kubernetes, proc platform.Process)
		words  []string
	}{
		{"deleted", shell("deleted", waiting), func(t *testing.T, p *kubernetes.Kubernetes, proc platform.Process) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: proc.(interface{ Pod() string }).Pod(), Namespace: p.Namespace()}}
			if err := b.client.Delete(t.Context(), pod, -1); err != nil {
				t.Fatal(err)
			}
		}, []string{"deleted", "its pod was deleted from outside"}},
		{"memory", greedy, nil, []string{"memory limit of 64 MiB", "more memory"}},
		{"by itself", shell("by-itself", `sleep 1; echo "out of ideas"; exit 4`), nil, []string{"exit status 4", "out of ideas"}},
		{"killed", shell("killed", `(sleep 1; kill -9 $$) & `+waiting), nil, []string{"killed from outside"}},
		{"killed by us", shell("killed-by-us", waiting), func(t *testing.T, _ *kubernetes.Kubernetes, proc platform.Process) {
			if err := proc.Kill(); err != nil {
				t.Error(err)
			}
		}, []string{"killed on request"}},
		{"stubborn", stubborn, func(t *testing.T, _ *kubernetes.Kubernetes, proc platform.Process) {
			awaitInLog(t, proc, "deaf")
			mention(t, proc.Stop(t.Context()), "did not stop within 300ms of SIGTERM", "killed")
		}, []string{"did not stop"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			proc := start(t, p, c.server, storage.Volume{})
			if c.end != nil {
				c.end(t, p, proc)
			}
			select {
			case <-proc.Done():
			case <-time.After(3 * time.Minute):
				t.Fatal("it has not ended")
			}
			mention(t, proc.Err(), c.words...)
			again := start(t, p, shell(c.server.Name, waiting), storage.Volume{}) // the name is free
			if err := again.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// awaitInLog waits until a server has written a word.
func awaitInLog(t *testing.T, proc platform.Process, word string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		log, err := proc.Log(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(log)
		_ = log.Close()
		switch {
		case strings.Contains(string(text), word):
			return
		case err != nil || time.Now().After(deadline):
			t.Fatalf("its log has no %q: %q, %v", word, text, err)
		}
	}
}

func TestOneShotServers(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	p := b.open(t)
	v := b.volume(t, p, "data")
	if err := p.Run(t.Context(), shell("once", `echo hello > "${VOLUME}/greeting"`), v); err != nil {
		t.Fatal(err)
	}
	mention(t, p.Run(t.Context(), shell("fails", `cat "${VOLUME}/greeting"; exit 3`), v), "fails", "exit status 3", "hello")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := p.Run(ctx, shell("cancelled", waiting), v); err == nil || ctx.Err() == nil {
		t.Errorf("err %v", err)
	}
	to := filepath.Join(t.TempDir(), "copy")
	if err := p.CopyOut(t.Context(), v, to); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(to, "greeting")); err != nil || string(text) != "hello\n" {
		t.Errorf("%q, %v", text, err)
	}
	b.nothingOf(t, p, "Pod", "Secret", "Service")
}

// A run in an existing namespace takes its own with it, and nothing else.
func TestAnExistingNamespaceStays(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	space := b.existing(t, "owner")
	theirs := &corev1.Secret{}
	theirs.Name, theirs.Namespace = "theirs", space
	if err := b.client.Apply(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	b = newBed(t, func(p *kubernetes.Parameters) { p.Namespace = space })
	first, _ := b.run(t, fmt.Sprintf("first-%d", os.Getpid()))
	second, _ := b.run(t, fmt.Sprintf("second-%d", os.Getpid()))
	start(t, first, shell("db", waiting), b.volume(t, first, "volume-1"))
	other := start(t, second, shell("db", waiting), storage.Volume{})
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := api.Of[corev1.Secret](b.client, space).Get(t.Context(), "theirs")
	if other.Err() != nil || err != nil {
		t.Errorf("closing one run ended the other's server: %v; the secret: %v", other.Err(), err)
	}
}

// What a run leaves that was killed is found by its journal, from any context.
func TestARunThatCrashedIsSwept(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	id := fmt.Sprintf("crashed-%d", os.Getpid())
	p, file := b.run(t, id)
	start(t, p, shell("db", waiting), b.volume(t, p, "data"))
	state, err := journal.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	state.RunID = id
	if len(state.Objects) != 1 || state.Objects[0].Kind != "cluster namespace" {
		t.Fatalf("the journal lists %v", state.Objects)
	}
	strange := state
	strange.RunID = "another"
	if done := sweep(t.Context(), b.kind, strange); len(done) != 1 || done[0].Err == nil {
		t.Errorf("the namespace of one run was removed as that of another: %v", done)
	}
	for _, found := range []bool{true, false} {
		done := sweep(t.Context(), b.kind, state)
		if len(done) != 1 || done[0].Err != nil || done[0].Found != found {
			t.Errorf("%+v", done)
		}
	}
}

func TestCapacityIsWhatNodesHaveLeft(t *testing.T) {
	b := newBed(t)
	before, err := b.kind.Capacity(t.Context())
	if err != nil || before.Cores < 1 || *before.MemoryBytes < 1<<28 {
		t.Fatalf("%+v, %v", before, err)
	}
	none := newBed(t, func(p *kubernetes.Parameters) { p.Placement.Application.NodeSelector = map[string]string{"no": "node"} })
	if c, err := none.kind.Capacity(t.Context()); err != nil || c.Cores != 0 || c.MemoryBytes != nil || len(c.Closed) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
}

// failures traces the connections that fail.
func failures(to chan<- error) *httptrace.ClientTrace {
	failed := func(err error) {
		if err == nil {
			return
		}
		select {
		case to <- err:
		default: // enough are known
		}
	}
	return &httptrace.ClientTrace{
		ConnectDone:      func(_, _ string, err error) { failed(err) },
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) { failed(err) },
	}
}

// The API server may be away for a while; nothing of a run fails by it.
func TestTheAPIServerMayBeAway(t *testing.T) {
	b := newBed(t)
	if os.Getenv(developing) != "" {
		t.Skip("the cluster is an existing one")
	}
	p := b.open(t)
	proc := start(t, p, shell("before", `n=0; while :; do n=$((n+1)); echo line $n; sleep 0.1; done`), storage.Volume{})
	logged(t, proc, "line 5\n")
	if err := b.KillProgram(t.Context(), "kube-apiserver"); err != nil {
		t.Fatal(err)
	}
	tries := make(chan error, 3)
	ctx := httptrace.WithClientTrace(context.Background(), failures(tries))
	began := make(chan error, 1)
	go func() {
		during, err := p.Start(ctx, shell("during", waiting), storage.Volume{})
		if err == nil {
			err = during.Stop(context.Background())
		}
		began <- err
	}()
	for range cap(tries) {
		select {
		case <-tries: //nolint:errcheck // that it was tried counts
		case err := <-began:
			t.Errorf("the start ended while the API server was away: %v", err)
			began <- err
		}
	}
	if err := b.StartProgram(t.Context(), "kube-apiserver"); err != nil {
		t.Fatal(err)
	}
	if err := <-began; err != nil {
		t.Errorf("what was begun without the API server: %v", err)
	}
	select {
	case <-proc.Done():
		t.Fatalf("the server ended: %v", proc.Err())
	default:
	}
	if err := proc.Kill(); err != nil {
		t.Fatal(err)
	}
	<-proc.Done()
	mention(t, proc.Err(), "killed on request")
	lines := strings.Split(strings.TrimSpace(logged(t, proc, "line 20\n")), "\n")
	for i, line := range lines {
		if line != fmt.Sprint("line ", i+1) {
			t.Fatalf("line %d of the log is %q", i+1, line)
		}
	}
	if !slices.Contains(lines, "line 20") {
		t.Error("the log ends early")
	}
}
