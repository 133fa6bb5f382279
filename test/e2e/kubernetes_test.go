package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/result"
	"plimsoll/test/cluster"
)

// inCluster is a study whose instances are pods of the test cluster.
const inCluster = `study: incluster
workload: {name: dvdstore, parameters: {size: 10MB}}
engine: {name: postgres, version: "15", memory: 256MiB}
storage:
  fast: {class: claim, storage_class: fast, size: 1GiB}
platform: {name: kubernetes, images: {plimsoll: "PLIMSOLL", postgres: "POSTGRES"}}
ladder: [1]
repetitions: 1
phases: {warmup: 1s, measure: 5s, ramp_rate: 0}
load: {users: 2, think_time: 50ms}
objectives: ["p95 <= 10s", "errors <= 50%"]
`

// developing names the kubeconfig of a cluster that runs already, for work on these
// tests; Plimsoll's image has to be there as plimsoll.test/plimsoll:pod.
const developing = "PLIMSOLL_TEST_CLUSTER"

// clusterSite is a site whose runs are on the test cluster.
type clusterSite struct {
	*site
	*cluster.Cluster
	client kubernetes.Interface
}

// newClusterSite makes a clusterSite, and checks after the test that the cluster holds the same
// objects as before.
func newClusterSite(t *testing.T) *clusterSite {
	t.Helper()
	s := clusterSiteOfMany(t)
	s.leavesNothing(t)
	return s
}

// clusterSiteOfMany makes a clusterSite for one of several tests that run at the same time. The
// check that they leave nothing covers all of them together.
func clusterSiteOfMany(t *testing.T) *clusterSite {
	t.Helper()
	s := &clusterSite{}
	if there := os.Getenv(developing); there != "" {
		s.Cluster = &cluster.Cluster{Kubeconfig: there, Images: map[string]string{
			"plimsoll": "plimsoll.test/plimsoll:pod", "tools": "plimsoll.test/tools:1", "postgres": "plimsoll.test/postgres:15",
			"versitygw": "plimsoll.test/versitygw:1.8.0",
		}}
	} else {
		s.Cluster = cluster.Shared(t)
	}
	var err error
	if s.client, err = s.Client(); err != nil {
		t.Fatal(err)
	}
	s.site = newSite(t)
	s.env = append(s.env, "KUBECONFIG="+s.Kubeconfig)
	return s
}

// leavesNothing checks, after the test and its parallel subtests, that the cluster holds the same
// objects as now.
func (s *clusterSite) leavesNothing(t *testing.T) {
	t.Helper()
	before := s.everything(t.Context(), t)
	t.Cleanup(func() { s.holdsOnly(t, before) })
}

// Several runs at once in one cluster: none notices the others, and together they leave nothing.
func TestKubernetesRuns(t *testing.T) {
	s := clusterSiteOfMany(t)
	s.leavesNothing(t)
	for name, test := range map[string]func(*testing.T){
		"kill -9 beside another run": killNineBesideAnotherRun,
		"refused":                    refusedByTheCluster,
		"streams":                    streamsOnTheCluster,
		"blocks":                     blocksOnTheCluster,
		"objects":                    objectsOnTheCluster,
		"the shipped study":          theShippedStudyOnTheCluster,
		"detached":                   detachedRuns,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

func (s *clusterSite) everything(ctx context.Context, t *testing.T) []string {
	t.Helper()
	all, err := s.Everything(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// holdsOnly compares lists of all objects of every kind.
func (s *clusterSite) holdsOnly(t *testing.T, before []string) {
	t.Helper()
	var more, fewer []string
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(time.Second) {
		after := s.everything(context.Background(), t)
		more, fewer = without(after, before), without(before, after)
		if len(more)+len(fewer) == 0 {
			return
		}
	}
	t.Errorf("the cluster holds %v more than before, and no longer %v", more, fewer)
}

// without returns the items of one list that are not in another.
func without(all, some []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(o string) bool { return slices.Contains(some, o) })
}

// make makes an object of the cluster's administrator, until the test has ended.
func (s *clusterSite) make(o api.Object) {
	s.t.Helper()
	client, err := api.Connect(s.t.Context(), s.Kubeconfig, "")
	if err == nil {
		err = client.Apply(s.t.Context(), o)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := errors.Join(client.Delete(ctx, o, -1), client.AwaitGone(ctx, o)); err != nil { // another test may make one of its name
			s.t.Error(err)
		}
	})
}

// study is inCluster with changes.
func (s *clusterSite) study(pairs ...string) string {
	s.t.Helper()
	text := replace(inCluster, append(pairs, "PLIMSOLL", s.Images["plimsoll"], "POSTGRES", s.Images["postgres"])...)
	return s.write(fmt.Sprintf("%d.yaml", time.Now().UnixNano()), text)
}

// pods returns the pods of a run with a given purpose, in any namespace.
func (s *clusterSite) pods(run, named string) (all []corev1.Pod) {
	s.t.Helper()
	found, err := s.client.CoreV1().Pods(metav1.NamespaceAll).List(s.t.Context(), metav1.ListOptions{LabelSelector: api.OfRun(s.journalOf(run).RunID)})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, p := range found.Items {
		if strings.Contains(p.Labels[api.NameLabel], named) && p.DeletionTimestamp == nil {
			all = append(all, p)
		}
	}
	return all
}

// deleteOne deletes a pod of a run at once, as an administrator may.
func (s *clusterSite) deleteOne(run, named string) {
	s.t.Helper()
	found := s.pods(run, named)
	if len(found) != 1 {
		s.t.Fatalf("%d pods of %s are named %s", len(found), run, named)
	}
	now := int64(0)
	if err := s.client.CoreV1().Pods(found[0].Namespace).Delete(s.t.Context(), found[0].Name, metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
		s.t.Fatal(err)
	}
}

// measures reports whether a run with --json is in the measured phase of a trial.
func (b *background) measures(trial string) func() bool {
	return func() bool {
		for line := range strings.Lines(b.out.String()) {
			if strings.Contains(line, `"trial":"`+trial+`"`) && strings.Contains(line, `"phase":"measure"`) {
				return true
			}
		}
		return false
	}
}

// What a study does to the cluster, its servers come back from, and its audit finds
// every order that was acknowledged.
func TestKubernetesFaults(t *testing.T) {
	s := newClusterSite(t)
	s.plimsoll(0, "run", s.study("ladder: [1]", "ladder: [2]", "measure: 5s", "measure: 45s",
		"objectives:", "faults:\n  - {at: 1s, do: delete pod 0}\n  - {at: 12s, do: kill server 1 db}\n  - {at: 22s, do: drain node of instance 0}\n  - {at: 25s, do: uncordon node of instance 0}\nobjectives:"),
		"--name", "faults", "--min-grade", "F", "--error-limit", "1")
	trial := s.trial("faults", "fast/2/1")
	if trial.Status != result.Passed || trial.Audit == nil || !trial.Audit.Passed || trial.Audit.Acknowledged == 0 {
		t.Fatalf("%s %+v %+v", trial.Status, trial.Failure, trial.Audit)
	}
	contains(t, eventsOf(trial), `instance 0 answers again`, `after "delete pod 0"`, `after "kill server 1 db"`, `after "drain node of instance 0"`)
	for n, i := range trial.Instances {
		if len(i.Errors) == 0 {
			t.Errorf("the users of instance %d saw no errors", n)
		}
	}
	s.cameBack("faults", trial)
}

// Pods that are killed from outside fail their trials, with the reason; programs of the cluster
// that are restarted do not. Who comes by with clean meanwhile removes nothing.
func TestKubernetesBadLuck(t *testing.T) {
	s := newClusterSite(t)
	b := s.start("run", s.study("repetitions: 1", "repetitions: 3", "measure: 5s", "measure: 12s"), "--name", "luck", "--min-grade", "F", "--json")
	b.until("the first trial is measured", b.measures("fast/1/1"))
	out, _ := s.plimsoll(0, "clean")
	contains(t, out, "skipped")
	_, errs := s.plimsoll(3, "run", "--resume", s.run("luck"))
	contains(t, errs, "in use by another plimsoll process")
	s.deleteOne("luck", "t1-db-000")
	b.until("the second trial is measured", b.measures("fast/1/2"))
	s.deleteOne("luck", "driver-0")
	if os.Getenv(developing) == "" {
		b.until("the third trial is measured", b.measures("fast/1/3"))
		s.restart("kube-apiserver")
		s.restart("kubelet")
	}
	if code := b.wait(); code != 4 {
		t.Fatalf("exit code %d\n%s", code, &b.out)
	}
	for n, words := range [][]string{{"db-000", "its pod was deleted"}, {"driver-0", "deleted"}, nil} {
		trial := s.trial("luck", fmt.Sprintf("fast/1/%d", n+1))
		switch {
		case words == nil && (trial.Status != result.Passed || !trial.Audit.Passed):
			t.Errorf("%s: %+v %+v", trial.ID, trial.Failure, trial.Audit)
		case words != nil && (trial.Failure == nil || trial.Failure.Stage != "drive"):
			t.Errorf("%s: %s %+v", trial.ID, trial.Status, trial.Failure)
		case words != nil:
			contains(t, trial.Failure.Cause, words...)
		}
	}
}

func (s *clusterSite) restart(program string) {
	s.t.Helper()
	if err := s.RestartProgram(s.t.Context(), program); err != nil {
		s.t.Fatal(err)
	}
}

// A run with a killed process is resumed; another run in the same cluster notices nothing.
func killNineBesideAnotherRun(t *testing.T) {
	s := clusterSiteOfMany(t)
	study := s.study("measure: 5s", "measure: 8s")
	killed := s.start("run", study, "--name", "killed", "--min-grade", "F", "--json")
	beside := s.start("run", study, "--name", "beside", "--min-grade", "F", "--json")
	killed.until("its users are measured", killed.measures("fast/1/1"))
	killed.signal(syscall.SIGKILL)
	killed.wait()
	if len(s.pods("killed", "db")) == 0 {
		t.Error("nothing is left of the run that was killed: it cannot show that it is removed")
	}
	s.plimsoll(0, "run", "--resume", s.run("killed"), "--min-grade", "F")
	if code := beside.wait(); code != 0 {
		t.Errorf("the run beside it: exit code %d\n%s", code, &beside.out)
	}
	for _, run := range []string{"killed", "beside"} {
		if trial := s.trial(run, "fast/1/1"); trial.Status != result.Passed || !trial.Audit.Passed {
			t.Errorf("%s: %+v %+v", run, trial.Failure, trial.Audit)
		}
		if left := s.pods(run, ""); len(left) > 0 {
			t.Errorf("%d pods of %s are left", len(left), run)
		}
	}
}

// What a cluster refuses fails the run with the reason, and what can be done about it.
func refusedByTheCluster(t *testing.T) {
	s := clusterSiteOfMany(t)
	s.make(&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "nobody"}, Provisioner: "nobody.plimsoll.test"})
	s.make(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "tight"}})
	s.make(&corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: "tight", Name: "none"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("0")}},
	})
	s.make(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "weak"}})
	s.make(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "weak", Name: "weak"}})
	weak := ""
	if os.Getenv(developing) == "" {
		var err error
		if weak, err = s.KubeconfigFor(t.Context(), "weak", "weak"); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name  string
		study string
		args  []string
		words []string
	}{
		{"unbound", s.study("storage_class: fast", "storage_class: nobody"), nil, []string{"nobody", "pending"}},
		{"unpulled", s.study("POSTGRES", "plimsoll.test/no-such-image:1"), nil, []string{"no-such-image", "pull"}},
		{"quota", s.study("name: kubernetes", "name: kubernetes, namespace: tight"), nil, []string{"quota none of namespace tight allows 0 of pods, of which 0 is used, and 1 instance needs 2", "have the rule changed that refuses it"}},
		{"forbidden", s.study(), []string{"--kubeconfig", weak}, []string{"forbidden", "lacks this permission"}},
	} {
		if c.name == "forbidden" && weak == "" {
			continue
		}
		b := s.start(append([]string{"run", c.study, "--name", c.name, "--min-grade", "F"}, c.args...)...)
		defer func() { // all run at once
			if code := b.wait(); code == 0 {
				t.Errorf("%s: exit code 0", c.name)
			}
			contains(t, b.out.String(), c.words...)
		}()
	}
}
