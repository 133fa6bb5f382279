// Command cluster measures what a trial of many instances on Kubernetes costs: calls
// of the API, Plimsoll's memory and the time until all instances run. The control
// plane is real; its nodes are simulated, and servers are only said to run,
// while drivers are real tasks. It prints figures and asserts nothing.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/prometheus/procfs"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"plimsoll/bench/standin"
	"plimsoll/internal/app"
	"plimsoll/internal/campaign"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/task"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/platform/kubernetes"
	"plimsoll/internal/platform/kubernetes/pod"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/claim"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/driver"
	"plimsoll/test/cluster"
	"plimsoll/test/cluster/images"
)

// settings are the flags.
type settings struct {
	instances, drivers, nodes int
	measure                   time.Duration
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var s settings
	flag.IntVar(&s.instances, "instances", 128, "instances of the trial")
	flag.IntVar(&s.drivers, "drivers", 16, "driver pods")
	flag.IntVar(&s.nodes, "nodes", 20, "simulated nodes")
	flag.DurationVar(&s.measure, "measure", 30*time.Second, "length of the measured phase")
	flag.Parse()
	err := inPod(ctx, flag.Args())
	if errors.Is(err, errNoPod) {
		if why := cluster.Missing(); why != nil {
			fmt.Println("not measured:", why)
			return
		}
		err = run(ctx, s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench cluster:", err)
		os.Exit(1)
	}
}

var errNoPod = errors.New("this is not run inside a pod")

// inPod is what the program does in its own image.
func inPod(ctx context.Context, arguments []string) error {
	switch {
	case len(arguments) > 0 && arguments[0] == "pod":
		return pod.Main(ctx, arguments[1:], os.Stdin, os.Stdout)
	case len(arguments) == 1 && arguments[0] == "task":
		handlers := job.Handlers(job.Registries{Workloads: workloads(), Engines: engines()})
		handlers[driver.TaskKind] = driver.Handler(workloads())
		return task.Main(ctx, os.Stdin, os.Stdout, handlers)
	}
	return errNoPod
}

func workloads() workload.Registry { return workload.NewRegistry(standin.Work{}) }

func engines() map[string]app.Engine { return map[string]app.Engine{standin.Name: standin.Engine{}} }

func run(ctx context.Context, s settings) (err error) {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c, err := cluster.Up(ctx, cluster.Options{Nodes: s.nodes, Plimsoll: self, Say: func(line string) { fmt.Println(line) }})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Down()) }()
	kubeconfig, err := account(ctx, c)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "plimsoll-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	began := time.Now()
	err = s.trial(ctx, dir, kubeconfig, self, began)
	return errors.Join(err, s.print(c, dir, time.Since(began)))
}

// Who calls the API; everybody else's calls are not counted.
const namespace, caller = "bench", "plimsoll"

// account makes the service account that calls the API, and gives its kubeconfig.
func account(ctx context.Context, c *cluster.Cluster) (string, error) {
	client, err := c.Client()
	if err != nil {
		return "", err
	}
	_, err = client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	_, err = client.CoreV1().ServiceAccounts(namespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: caller}}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: caller}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: caller, Namespace: namespace}},
	}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return c.KubeconfigFor(ctx, namespace, caller)
}

// trial runs a campaign of one trial.
func (s settings) trial(ctx context.Context, dir, kubeconfig, self string, began time.Time) error {
	if err := os.Mkdir(filepath.Join(dir, "run"), 0o755); err != nil {
		return err
	}
	on := kubernetes.Kind{}.Bind(&kubernetes.Parameters{
		Kubeconfig: kubeconfig, Images: map[string]string{"plimsoll": images.Plimsoll, standin.Name: images.Empty}, Requests: 1,
	})
	parts := facts.Parts{Workloads: workloads(), Kinds: storage.NewRegistry(claim.Kind{}), Engines: engines(), Platform: on}
	id := journal.NewRunID("bench")
	return campaign.Run(ctx, parts, campaign.Options{
		Plan: s.plan(), Dir: filepath.Join(dir, "run"), RunID: id, Scratch: filepath.Join(dir, journal.Name(id)),
		Cache: filepath.Join(dir, "cache"), Executable: self, ErrorLimit: 0.5, StudyText: []byte("study: bench\n"),
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Progress: func(e progress.Event) {
			if e.Kind == progress.Stage || e.Kind == progress.Note {
				fmt.Printf("%6.1f s  %s\n", time.Since(began).Seconds(), e.Text)
			}
		},
	})
}

func (s settings) plan() *plan.Plan {
	of := study.Study{
		Name: "bench", Repetitions: 1, Seed: 1, Ladder: study.Ladder{Rungs: []int{s.instances}},
		Phases:    study.Phases{Warmup: unit.Duration(5 * time.Second), Measure: unit.Duration(s.measure), RampRate: 1000},
		Telemetry: study.Telemetry{Interval: unit.Duration(time.Second)},
	}
	v := study.Variant{
		Name: "fast", StorageName: "fast",
		Storages:    map[string]study.Storage{"fast": {Class: claim.Name, Parameters: &claim.Parameters{StorageClass: "fast", AccessMode: "ReadWriteOnce", Clone: claim.CSI}}},
		Application: study.Application{Engine: study.Engine{Name: standin.Name}, Stack: map[string]study.Engine{standin.Role: {Name: standin.Name}}, Workload: study.Workload{Name: standin.Name, Parameters: &standin.Parameters{}}, Load: study.Load{Users: 8, ThinkTime: unit.Duration(time.Second), InstancesPerDriver: (s.instances + s.drivers - 1) / s.drivers}},
	}
	p := &plan.Plan{Study: &of, Variants: []study.Variant{v}}
	p.Append(v.Name, s.instances, 1)
	return p
}

// print prints the figures.
func (s settings) print(c *cluster.Cluster, dir string, took time.Duration) error {
	run, err := result.Open(filepath.Join(dir, "run"))
	if err != nil {
		return err
	}
	for _, t := range run.Trials {
		fmt.Printf("\ntrial %s: %s; all instances were ready after %.0f s\n", t.ID, t.Status, t.Ready.Sub(t.Begun).Seconds())
		if t.Failure != nil {
			fmt.Println(*t.Failure)
		}
	}
	calls, err := c.Calls(cluster.ServiceAccount(namespace, caller))
	if err != nil {
		return err
	}
	self, err := procfs.Self()
	if err != nil {
		return err
	}
	memory, err := self.NewStatus()
	if err != nil {
		return err
	}
	all := 0
	for _, n := range calls {
		all += n
	}
	fmt.Printf("%d instances, %d drivers: %.0f s in all; %.1f calls of the API for each instance; at most %.0f MB of memory\n",
		s.instances, s.drivers, took.Seconds(), float64(all)/float64(s.instances), float64(memory.VmHWM)/1e6)
	kinds := slices.SortedFunc(maps.Keys(calls), func(a, b string) int { return cmp.Compare(calls[b], calls[a]) })
	for _, what := range kinds {
		fmt.Printf("%6d  %s\n", calls[what], what)
	}
	return nil
}
