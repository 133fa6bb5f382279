package e2e

import (
	"strings"
	"syscall"
	"testing"

	"github.com/minio/minio-go/v7"

	"plimsoll/internal/conformance/buckettest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/result"
)

// An existing object store is used by a bucket for each instance, which is gone afterwards;
// what a killed run left is removed by clean, when it has the keys, and by resume. Other
// buckets stay as they are.
func TestAnExistingObjectStore(t *testing.T) {
	t.Parallel()
	g := buckettest.Start(t, "existing")
	g.In(t, "of-others")
	if _, err := g.Client.PutObject(t.Context(), "of-others", "kept", strings.NewReader("text"), 4, minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	buckets := func() int {
		all, err := g.Client.ListBuckets(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	s := newSite(t)
	s.env = []string{"STORE_KEY=" + g.User, "STORE_SECRET=" + g.Password}
	path := s.write("theirs.yaml", strings.NewReplacer(
		"engine: {name: versitygw}\n", "",
		"here: {class: directory, path: disk}", "here: {class: s3, urls: ['"+endpoint.StoreOf(g.Endpoint).URLs[0]+"'], access_key_env: STORE_KEY, secret_key_env: STORE_SECRET, text: A store on loopback}",
		"ladder: {of: users, rungs: [1, 4]}", "ladder: [2]", "phases:", "load: {users: 2}\nphases:",
	).Replace(objectStore))
	s.plimsoll(0, "plan", path, "--ask")
	s.plimsoll(0, "run", path, "--name", "first", "--min-grade", "F")
	trial := s.trial("first", "here/2/1")
	if trial.Status != result.Passed || !trial.Audit.Passed || trial.Audit.Acknowledged == 0 || trial.Storage().Class != "s3" {
		t.Fatalf("%s, audit %+v, storage %+v", trial.Status, trial.Audit, trial.Storage())
	}
	if n := buckets(); n != 1 {
		t.Fatalf("%d buckets are left", n)
	}

	kill := func(name string, args ...string) {
		b := s.start(append([]string{"run", "--json", "--set", "phases.measure=1m"}, args...)...)
		b.until("the measured phase has begun", b.measuring)
		b.signal(syscall.SIGKILL)
		b.wait()
		if n := buckets(); n != 3 {
			t.Errorf("%s: %d buckets are left, with that of others", name, n)
		}
	}
	kill("killed", path, "--name", "killed")
	env := s.env
	s.env = nil
	_, errs := s.plimsoll(7, "clean", "--runs", "runs")
	contains(t, errs, "STORE_KEY is not set")
	s.env = env
	out, _ := s.plimsoll(0, "clean", "--runs", "runs")
	contains(t, out, "removed bucket plimsoll-", "Nothing is left")
	if n := buckets(); n != 1 {
		t.Errorf("%d buckets are left after clean", n)
	}

	kill("resumed", path, "--name", "resumed", "--set", "ladder=[2]")
	b := s.start("run", "--resume", "runs/resumed", "--json")
	b.until("the measured phase has begun", b.measuring)
	b.stop()
	s.plimsoll(0, "clean", "--runs", "runs")
	if n := buckets(); n != 1 {
		t.Errorf("%d buckets are left after resume", n)
	}
	if _, err := g.Client.StatObject(t.Context(), "of-others", "kept", minio.StatObjectOptions{}); err != nil {
		t.Error(err)
	}

	s.env = []string{"STORE_KEY=" + g.User, "STORE_SECRET=another"}
	_, errs = s.plimsoll(3, "run", path, "--name", "refused", "--min-grade", "F")
	contains(t, strings.Join(strings.Fields(errs), " "), "does not accept the keys of STORE_KEY")
}
