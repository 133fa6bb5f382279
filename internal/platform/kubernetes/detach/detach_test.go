package detach

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/result"
	"plimsoll/test/cluster"
)

func TestMain(m *testing.M) { os.Exit(cluster.Main(m)) }

// limit is how long anything may take on a busy machine.
const limit = 5 * time.Minute

// aStudy needs no server, so that it runs in a pod on the local platform too.
const aStudy = `study: detached
workload: {name: blockio, parameters: {size: 4MiB, mode: buffered}}
storage:
  claim: {class: directory, path: /runs}
ladder: [1, 2, 3]
repetitions: 1
phases: {warmup: 1s, measure: 5s}
objectives: ["p95 <= 10s"]
`

var flags = []string{"--min-grade=F", "--retries=0"}

// newHome is a namespace of its own, with what the kustomization makes.
func newHome(t *testing.T) Home {
	t.Helper()
	c := cluster.Shared(t)
	client, err := api.Connect(t.Context(), c.Kubeconfig, "")
	if err != nil {
		t.Fatal(err)
	}
	h := Home{Client: client, Namespace: newNamespace(t, client), Account: "plimsoll", Claim: "plimsoll-runs", Image: c.Images["plimsoll"]}
	install(t, c, h.Namespace)
	return h
}

func newNamespace(t *testing.T, client *api.Client) string {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name:   api.Name("detach", fmt.Sprint(time.Now().UnixNano())),
		Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}}
	if err := client.Apply(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		if err := client.Delete(ctx, ns, -1); err != nil {
			t.Error(err)
		}
		if err := client.AwaitGone(ctx, ns); err != nil {
			t.Error(err)
		}
	})
	return ns.Name
}

// install applies the kustomization in a namespace, with a class for the claim.
func install(t *testing.T, c *cluster.Cluster, namespace string) {
	t.Helper()
	base, err := filepath.Abs("../../../../deploy/kustomize/base")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	relative, err := filepath.Rel(dir, base)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`namespace: %s
nameSuffix: ""
resources: [%s]
patches:
- target: {kind: PersistentVolumeClaim}
  patch: '[{"op": "add", "path": "/spec/storageClassName", "value": "fast"}]'
`, namespace, relative)
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	kubectl(t, c, "apply", "-k", dir)
	t.Cleanup(func() { // the namespace takes the rest with it
		kubectl(t, c, "delete", "clusterrole,clusterrolebinding", "-l", "app.kubernetes.io/name=plimsoll")
	})
}

func kubectl(t *testing.T, c *cluster.Cluster, args ...string) {
	t.Helper()
	cmd := exec.Command("env", append([]string{"kubectl"}, args...)...) // which looks in the cluster's PATH
	cmd.Env = append(os.Environ(), c.Environment()...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("kubectl %s: %v\n%s", args[0], err, out)
	}
}

// written is what an attached user sees.
type written struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// await waits until the output matches a pattern.
func (w *written) await(t *testing.T, pattern string, over <-chan ended) {
	t.Helper()
	late := time.After(limit)
	for !regexp.MustCompile(pattern).MatchString(w.String()) {
		select {
		case e := <-over:
			t.Fatalf("%s was not written: %+v\n%s", pattern, e, w)
		case <-late:
			t.Fatalf("%s was not written:\n%s", pattern, w)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

type ended struct {
	code int
	err  error
}

// attached attaches to a run in the background.
func (h Home) attached(t *testing.T, run string) (*written, <-chan ended) {
	out, end := &written{}, make(chan ended, 1)
	go func() {
		code, err := h.Attach(t.Context(), run, out)
		end <- ended{code, err}
	}()
	return out, end
}

func (h Home) stateOfRun(t *testing.T, run string) State {
	t.Helper()
	all, err := h.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if r.Run == run {
			return r.State
		}
	}
	return "gone"
}

// A campaign goes on in another pod when its pod is killed, who is attached sees both
// and gets its exit code, and its directory comes home whole. Removing it leaves
// nothing.
func TestACampaignOutlivesItsPod(t *testing.T) {
	h := newHome(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*limit)
	defer cancel()
	const run = "20261122-My_Run.1"
	if err := h.Start(ctx, Run{Name: run, Study: []byte(aStudy), Flags: flags}); err != nil {
		t.Fatal(err)
	}
	if err := h.Start(ctx, Run{Name: run, Study: []byte(aStudy)}); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("the same run was started twice: %v", err)
	}
	out, end := h.attached(t, run)
	out.await(t, `\[2/3\]`, end)
	if err := h.Remove(ctx, run); err == nil || !strings.Contains(err.Error(), "in progress") {
		t.Errorf("a campaign in progress was removed: %v", err)
	}
	now := filepath.Join(t.TempDir(), "now")
	if err := h.Fetch(ctx, run, now); err != nil {
		t.Errorf("fetch while it is in progress: %v", err)
	}
	h.killPod(t, run)
	e := <-end
	if e.err != nil || e.code != 0 {
		t.Fatalf("exit code %d: %v\n%s", e.code, e.err, out)
	}
	if !strings.Contains(out.String(), "is already measured") {
		t.Errorf("the second pod did not continue what the first one began:\n%s", out)
	}
	home := filepath.Join(t.TempDir(), "runs", run)
	if err := h.Fetch(ctx, run, home); err != nil {
		t.Fatal(err)
	}
	fetched, err := result.Open(home)
	if err != nil || len(fetched.Trials) != 3 {
		t.Fatalf("%d trials came home: %v", len(fetched.Trials), err)
	}
	if err := h.Fetch(ctx, run, home); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("a directory was fetched over: %v", err)
	}
	if err := h.Remove(ctx, run); err != nil {
		t.Error(err)
	}
	h.nothingLeft(t)
}

// killPod kills the pod of a campaign without any warning.
func (h Home) killPod(t *testing.T, run string) {
	t.Helper()
	job, err := h.job(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	pods, err := api.Of[corev1.Pod](h.Client, h.Namespace).List(t.Context(), metav1.ListOptions{LabelSelector: podsOf(job)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range pods {
		if err := h.Client.Delete(t.Context(), &pods[i], 0); err != nil {
			t.Fatal(err)
		}
	}
}

func (h Home) nothingLeft(t *testing.T) {
	t.Helper()
	ours := metav1.ListOptions{LabelSelector: api.Ours()}
	jobs, err := api.Of[batchv1.Job](h.Client, h.Namespace).List(t.Context(), ours)
	if err != nil || len(jobs) > 0 {
		t.Errorf("%d jobs are left: %v", len(jobs), err)
	}
	for end := time.Now().Add(limit); ; time.Sleep(100 * time.Millisecond) { // pods and secrets follow their job
		pods, err := api.Of[corev1.Pod](h.Client, h.Namespace).List(t.Context(), ours)
		secrets, secretErr := api.Of[corev1.Secret](h.Client, h.Namespace).List(t.Context(), ours)
		if err == nil && secretErr == nil && len(pods)+len(secrets) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("left: %v %v %v %v", pods, err, secrets, secretErr)
		}
	}
}

// A stopped campaign cleans up and can be continued.
func TestStopAndResume(t *testing.T) {
	h := newHome(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*limit)
	defer cancel()
	if err := h.Start(ctx, Run{Name: "stopped", Study: []byte(aStudy), Flags: flags}); err != nil {
		t.Fatal(err)
	}
	if err := h.Resume(ctx, "stopped", flags); err == nil || !strings.Contains(err.Error(), "in progress") {
		t.Errorf("a campaign in progress was continued: %v", err)
	}
	out, end := h.attached(t, "stopped")
	out.await(t, `\[2/3\]`, end)
	if err := h.Stop(ctx, "stopped"); err != nil {
		t.Fatal(err)
	}
	if e := <-end; e.err != nil || e.code != interrupted || h.stateOfRun(t, "stopped") != Stopped {
		t.Errorf("exit code %d, %v, %s\n%s", e.code, e.err, h.stateOfRun(t, "stopped"), out)
	}
	if err := (Home{Client: h.Client, Namespace: h.Namespace}).Resume(ctx, "stopped", flags); err != nil {
		t.Fatal(err)
	}
	out, end = h.attached(t, "stopped")
	if e := <-end; e.err != nil || e.code != 0 || h.stateOfRun(t, "stopped") != Done || !strings.Contains(out.String(), "is already measured") {
		t.Errorf("exit code %d, %v, %s\n%s", e.code, e.err, h.stateOfRun(t, "stopped"), out)
	}
}

// What keeps a campaign from starting is said, and then nothing is left of it.
func TestWhyACampaignDoesNotStart(t *testing.T) {
	h := newHome(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	wrong := h
	wrong.Image = "plimsoll.test/no-such-image:1"
	if err := wrong.Start(ctx, Run{Name: "image", Study: []byte(aStudy)}); err == nil || !strings.Contains(err.Error(), "image cannot be pulled") {
		t.Errorf("an image that is not there: %v", err)
	}
	wrong = h
	wrong.Claim = "none"
	if err := wrong.Start(ctx, Run{Name: "claim", Study: []byte(aStudy)}); err == nil || !strings.Contains(err.Error(), "helm install") {
		t.Errorf("a claim that is not there: %v", err)
	}
	if _, err := h.Attach(ctx, "none", &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "no detached run none") {
		t.Errorf("a run that is not there: %v", err)
	}
	h.nothingLeft(t)
}

// The exit code of a campaign that cannot go on is its last word.
func TestTheExitCodeIsTheCampaigns(t *testing.T) {
	h := newHome(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if err := h.Start(ctx, Run{Name: "wrong", Study: []byte("study: wrong\n"), Flags: flags}); err != nil {
		t.Fatal(err)
	}
	out, end := h.attached(t, "wrong")
	if e := <-end; e.err != nil || e.code != 2 || h.stateOfRun(t, "wrong") != Failed {
		t.Errorf("exit code %d, %v, %s\n%s", e.code, e.err, h.stateOfRun(t, "wrong"), out)
	}
}
