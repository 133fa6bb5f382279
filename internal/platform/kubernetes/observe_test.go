package kubernetes_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"plimsoll/internal/conformance/platformtest"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
)

// watch observes servers until enough was seen of them.
func watch(t *testing.T, p platform.Platform, start time.Time, enough func([]result.Series) bool, servers ...platform.WatchedInstance) platform.Observed {
	t.Helper()
	w := platformtest.NewWatch()
	o, err := p.Observe(t.Context(), platform.Observation{
		Interval: time.Second, Start: start, Seen: w.Seen, Instances: func() []platform.WatchedInstance { return servers },
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Until(t, enough)
	seen, err := o.Stop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

func seriesOf(all []result.Series, kind, name, metric string) *result.Series {
	at := slices.IndexFunc(all, func(s result.Series) bool { return s.Kind == kind && s.Name == name && s.Metric == metric })
	if at < 0 {
		return nil
	}
	return &all[at]
}

// asks is a meter that reports the addresses at which it was read.
type asks struct{ at chan string }

func (asks) Gauge() describe.Gauge { return describe.Gauge{Name: "workers"} }

func (a asks) Read(_ context.Context, e endpoint.Endpoint) (describe.Reading, error) {
	select {
	case a.at <- e.Address:
	default:
	}
	return describe.Reading{Busy: 1, Capacity: 2}, nil
}

// A pod that works against its limit is seen to, on a node with a name, roles and a
// size; and its servers are asked from here.
func TestNodesAndPodsAreObserved(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	p := b.open(t)
	server := shell("db-000", "echo ${PORT}; while :; do :; done")
	server.Limits = describe.Limits{CPU: 0.2, Memory: 64 << 20}
	meter := asks{make(chan string, 1)}
	proc := start(t, p, server, b.volume(t, p, "data"))
	wanted := [][3]string{
		{"cpu", "", "utilisation"}, {"machine", "", "memory_utilisation"}, {"machine", "", "disk_used"}, {"gauge", "db-000/workers", "busy"},
		{"instance", "db-000", "cpu"}, {"instance", "db-000", "memory"}, {"instance", "db-000", "throttled"}, {"instance", "db-000", "cpu_limit"},
	}
	begun := time.Now()
	seen := watch(t, p, begun, func(all []result.Series) bool {
		return slices.Max(append(platformtest.Values(all, "instance", "db-000", "throttled_periods"), 0)) > 0 &&
			!slices.ContainsFunc(wanted, func(s [3]string) bool { return len(platformtest.Values(all, s[0], s[1], s[2])) == 0 })
	}, platform.WatchedInstance{Name: "db-000", Process: proc, Meter: meter})
	if len(seen.Machines) != 1 {
		t.Fatalf("machines are %+v, notes %q", seen.Machines, seen.Notes)
	}
	node := seen.Machines[0]
	if !node.Is(result.ApplicationRole) || !node.Is(result.StorageRole) || node.Is(result.DriverRole) || node.Cores < 1 || node.Memory < 1<<30 || node.Simulated {
		t.Errorf("the node is %+v", node)
	}
	for _, want := range wanted {
		s := seriesOf(seen.Series, want[0], want[1], want[2])
		if s == nil {
			t.Errorf("nothing is known of %v; notes %q", want, seen.Notes)
			continue
		}
		if s.Machine != node.Name || s.Start != begun.UnixMilli() {
			t.Errorf("%v is of %s, from %d on", want, s.Machine, s.Start)
		}
		for _, at := range s.Times {
			if limit := time.Since(begun) + time.Minute; at < -time.Minute.Milliseconds() || at > limit.Milliseconds() {
				t.Errorf("%v at %d ms", want, at)
			}
		}
	}
	if s := seriesOf(seen.Series, "instance", "db-000", "throttled_periods"); s == nil || slices.Max(s.Values) == 0 || slices.Max(s.Values) > 1 {
		t.Errorf("throttling is %+v", s)
	}
	if s := seriesOf(seen.Series, "instance", "db-000", "cpu_limit"); s == nil || s.Values[0] != 0.2 {
		t.Errorf("the limit is %+v", s)
	}
	if at := <-meter.at; !strings.HasPrefix(at, "127.0.0.1:") {
		t.Errorf("it was asked at %s", at)
	}
	if !slices.ContainsFunc(seen.Notes, func(n string) bool { return strings.Contains(n, "sampled by their kubelets, every ") }) {
		t.Errorf("notes %q", seen.Notes)
	}
}

// A pod of Plimsoll on each node samples it every second, and is gone afterwards.
func TestNodesAreSampledByPods(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(p *kubernetes.Parameters) { p.Observer = true })
	p := b.open(t)
	proc := start(t, p, shell("db-000", "sleep 600"), b.volume(t, p, "data"))
	begun := time.Now()
	w := platformtest.NewWatch()
	o, err := p.Observe(t.Context(), platform.Observation{Interval: 200 * time.Millisecond, Start: begun, Seen: w.Seen, Instances: func() []platform.WatchedInstance {
		return []platform.WatchedInstance{{Name: "db-000", Process: proc}}
	}})
	if err != nil {
		t.Fatal(err)
	}
	pods := func() (names []string) {
		list, err := api.Of[corev1.Pod](b.client, p.Namespace()).List(t.Context(), metav1.ListOptions{LabelSelector: api.NameLabel})
		if err != nil {
			t.Fatal(err)
		}
		for _, pod := range list {
			if strings.HasPrefix(pod.Labels[api.NameLabel], "observer-") {
				names = append(names, pod.Spec.NodeName)
			}
		}
		return names
	}
	if nodes := pods(); len(nodes) != 1 {
		t.Errorf("there are pods of ours on %v", nodes)
	}
	w.Until(t, func(all []result.Series) bool { return len(platformtest.Values(all, "self", "", "cpu")) > 10 }) // kubelets know nothing of it
	seen, err := o.Stop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if nodes := pods(); len(nodes) != 0 {
		t.Errorf("there are still pods of ours on %v", nodes)
	}
	for _, want := range [][3]string{{"cpu", "", "utilisation"}, {"machine", "", "memory_utilisation"}, {"machine", "", "run_queue"}, {"self", "", "cpu"}} {
		s := seriesOf(seen.Series, want[0], want[1], want[2])
		if s == nil || len(s.Values) < 10 || !slices.IsSorted(s.Times) || s.Machine != seen.Machines[0].Name || s.Start != begun.UnixMilli() {
			t.Errorf("%v is %+v; notes %q", want, s, seen.Notes)
		}
	}
	if s := seriesOf(seen.Series, "network", "eth0", "receive_bytes"); s != nil && len(s.Values) > 3 {
		t.Error("the network of a pod is taken for its node's")
	}
	if notes := strings.Join(seen.Notes, "\n"); strings.Contains(notes, "in part") || strings.Contains(notes, "alone") {
		t.Errorf("notes %q", seen.Notes)
	}
}

// modest writes a kubeconfig of an account that may do what a run needs in a
// namespace, and may not look at nodes.
func (b *bed) modest(t *testing.T) (kubeconfig string) {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: api.Name("modest", filepath.Base(t.TempDir()), t.Name())}}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "modest", Namespace: namespace.Name}}
	role := &rbacv1.ClusterRole{TypeMeta: metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"}, ObjectMeta: metav1.ObjectMeta{Name: namespace.Name}, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{""}, Verbs: []string{"*"},
		Resources: []string{"namespaces", "pods", "pods/log", "pods/exec", "pods/portforward", "secrets", "services", "events", "persistentvolumeclaims"},
	}}}
	binding := &rbacv1.ClusterRoleBinding{
		TypeMeta: metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRoleBinding"}, ObjectMeta: metav1.ObjectMeta{Name: namespace.Name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: account.Name, Namespace: namespace.Name}},
	}
	for _, o := range []api.Object{namespace, account, role, binding} {
		if err := b.client.Apply(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, o := range []api.Object{binding, role, namespace} {
			if err := errors.Join(b.client.Delete(context.Background(), o, -1), b.client.AwaitGone(context.Background(), o)); err != nil {
				t.Error(err)
			}
		}
	})
	client, err := b.Client()
	if err != nil {
		t.Fatal(err)
	}
	token, err := client.CoreV1().ServiceAccounts(namespace.Name).CreateToken(t.Context(), account.Name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.LoadFromFile(b.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	for name := range config.AuthInfos {
		config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	}
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, kubeconfig); err != nil {
		t.Fatal(err)
	}
	return kubeconfig
}

// The part of the suite that observes passes here.
func TestSuiteObserves(t *testing.T) {
	t.Parallel()
	b := suiteBed(t)
	platformtest.Suite{
		Kind:     b.kind,
		Platform: func(t *testing.T) platform.Platform { return b.open(t) },
		Volume: func(t *testing.T, p platform.Platform, name string) storage.Volume {
			return b.volume(t, p.(*kubernetes.Kubernetes), name)
		},
	}.RunObserved(t)
}

// Who may not look at nodes gets notes, and no failure.
func TestForbiddenNodesAreNoted(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	file := b.modest(t)
	change := func(p *kubernetes.Parameters) { p.Kubeconfig = file }
	p := newBed(t, change).open(t)
	proc := start(t, p, shell("db-000", "sleep 600"), b.volume(t, p, "data"))
	o, err := p.Observe(t.Context(), platform.Observation{Start: time.Now(), Instances: func() []platform.WatchedInstance {
		return []platform.WatchedInstance{{Name: "db-000", Process: proc}}
	}})
	if err != nil {
		t.Fatal(err)
	}
	seen, err := o.Stop(t.Context())
	if err != nil || len(seen.Machines) != 1 || !seen.Machines[0].Is(result.ApplicationRole) {
		t.Errorf("%+v, %v", seen, err)
	}
	for _, want := range []string{"the size of the nodes is not known", "is not known: ask its kubelet (nodes/proxy): ", "the account lacks this permission"} {
		if !strings.Contains(strings.Join(seen.Notes, "\n"), want) {
			t.Errorf("no note says %q: %q", want, seen.Notes)
		}
	}
}
