package kubernetes_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"plimsoll/internal/app"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/storage"
	"plimsoll/test/cluster"
)

func TestMain(m *testing.M) { os.Exit(cluster.Main(m)) }

// bed is a cluster with a platform's kind on it.
type bed struct {
	*cluster.Cluster
	client *api.Client
	kind   platform.Kind
	ids    map[*kubernetes.Kubernetes]string // of runs
}

// developing names the kubeconfig of a cluster that runs already, for work on these
// tests; Plimsoll's image has to be there as plimsoll.test/plimsoll:pod.
const developing = "PLIMSOLL_TEST_CLUSTER"

func newBed(t *testing.T, change ...func(*kubernetes.Parameters)) *bed {
	t.Helper()
	b := &bed{ids: map[*kubernetes.Kubernetes]string{}}
	if there := os.Getenv(developing); there != "" {
		b.Cluster = &cluster.Cluster{Kubeconfig: there, Images: map[string]string{
			"plimsoll": "plimsoll.test/plimsoll:pod", "tools": "plimsoll.test/tools:1", "postgres": "plimsoll.test/postgres:15",
			"mariadb": "plimsoll.test/mariadb:10.11", "nginx": "plimsoll.test/nginx:1.22", "php-fpm": "plimsoll.test/php-fpm:8.2",
		}}
	} else {
		b.Cluster = cluster.Shared(t)
	}
	p := kubernetes.Kind{}.Defaults().(*kubernetes.Parameters)
	p.Kubeconfig, p.Images = b.Kubeconfig, map[string]string{"shell": b.Images["tools"]}
	for name, image := range b.Images {
		p.Images[name] = image
	}
	for _, c := range change {
		c(p)
	}
	if bad := (kubernetes.Kind{}).Validate(p); len(bad) > 0 {
		t.Fatal(bad)
	}
	b.kind = kubernetes.Kind{}.Bind(p)
	var err error
	if b.client, err = api.Connect(t.Context(), b.Kubeconfig, ""); err != nil {
		t.Fatal(err)
	}
	return b
}

var runs atomic.Int64

// open makes a platform with a run of its own, and closes it with the test.
func (b *bed) open(t *testing.T) *kubernetes.Kubernetes {
	t.Helper()
	p, _ := b.run(t, fmt.Sprintf("test-%d-%d", os.Getpid(), runs.Add(1)))
	return p
}

func (b *bed) run(t *testing.T, id string) (*kubernetes.Kubernetes, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "journal.jsonl")
	j, err := journal.Open(file, id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	p, err := b.kind.New(platform.Env{RunID: id, Work: t.TempDir(), Journal: j})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
		if s, err := journal.Read(file); err != nil || len(s.Objects) > 0 {
			t.Errorf("the journal lists %v after the end, %v", s.Objects, err)
		}
	})
	b.ids[p.(*kubernetes.Kubernetes)] = id
	return p.(*kubernetes.Kubernetes), file
}

// existing is a namespace that no run has made.
func (b *bed) existing(t *testing.T, name string) string {
	t.Helper()
	namespace := &corev1.Namespace{}
	namespace.Name = fmt.Sprintf("%s-%d-%d", name, os.Getpid(), runs.Add(1))
	if err := b.client.Apply(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.client.Delete(context.Background(), namespace, -1); err != nil {
			t.Error(err)
		}
	})
	return namespace.Name
}

// volume makes a claim of the class that is fast.
func (b *bed) volume(t *testing.T, p *kubernetes.Kubernetes, name string) storage.Volume {
	t.Helper()
	b.claim(t, p, name, "fast")
	return storage.Volume{Name: name, Path: "/volumes/" + name, Claim: name}
}

func (b *bed) claim(t *testing.T, p *kubernetes.Kubernetes, name, class string) {
	t.Helper()
	claim := &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{
		StorageClassName: &class, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
	}}
	claim.Name, claim.Namespace, claim.Labels = name, p.Namespace(), api.Labels(b.ids[p])
	if err := b.client.Apply(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
}

// shell makes a server of a script, which is ready at once.
func shell(name, script string) app.Server {
	return app.Server{
		Name: name, Kind: "shell", Command: []string{"/bin/sh", "-c", script},
		StartTimeout: 2 * time.Minute, Stop: "TERM", StopTimeout: 30 * time.Second, Unprivileged: true,
	}
}

func start(t *testing.T, p *kubernetes.Kubernetes, s app.Server, v storage.Volume) platform.Process {
	t.Helper()
	proc, err := p.Start(t.Context(), s, v)
	if err != nil {
		t.Fatalf("start %s: %v", s.Name, err)
	}
	return proc
}

func mention(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error says nothing of %q: %v", w, err)
		}
	}
}

// logged waits until a server has written a text.
func logged(t *testing.T, proc platform.Process, text string) string {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		r, err := proc.Log(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(all), text) {
			return string(all)
		}
		if time.Now().After(deadline) {
			t.Fatalf("it never wrote %q but %q", text, all)
		}
	}
}

func TestAServerRunsInAPod(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	p := b.open(t)
	v := b.volume(t, p, "data")
	server := shell("db-000", `cat "${RUNTIME}/secret"; stat -c %a "${RUNTIME}/secret"; id -u; id -un; echo "on ${HOST}:${PORT}"; echo $GREETING
		echo kept >> "${VOLUME}/file"; wc -l < "${VOLUME}/file"; trap 'echo bye; exit 0' INT; while :; do sleep 0.1; done`)
	server.Env, server.Named, server.Stop = []string{"GREETING=hello"}, true, "INT"
	server.Files = []app.File{{Path: "${RUNTIME}/secret", Content: "password\n", Mode: 0o600}}
	proc := start(t, p, server, v)
	got := logged(t, proc, "hello\n1\n")
	uid, _ := p.User(v.Name)
	if want := fmt.Sprintf("password\n600\n%d\nplimsoll\non 0.0.0.0:20000\nhello\n1\n", uid); got != want {
		t.Errorf("it wrote %q", got)
	}
	address := proc.Endpoint().Address
	if want := "db-000." + p.Namespace() + ".svc:20000"; address != want {
		t.Errorf("its address is %s", address)
	}
	if err := proc.Kill(); err != nil {
		t.Fatal(err)
	}
	<-proc.Done()
	mention(t, proc.Err(), "killed on request")
	again := start(t, p, server, v)
	logged(t, again, "hello\n2\n") // on the same volume
	if again.Endpoint().Address != address {
		t.Errorf("it came back at %s", again.Endpoint().Address)
	}
	if err := again.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-again.Done()
	if again.Err() != nil {
		t.Errorf("after Stop: %v", again.Err())
	}
	if got := logged(t, again, "bye"); strings.Count(got, "password") != 2 {
		t.Errorf("the log is %q", got)
	}
}
