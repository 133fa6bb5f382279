package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"plimsoll/internal/describe/event"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/platform/logfile"
	"plimsoll/internal/storage"
)

// Kubernetes is the platform of a run. It is safe for concurrent use.
type Kubernetes struct {
	env        platform.Env
	parameters *Parameters
	client     *api.Client
	// namespace is the run's own, unless the study names one.
	namespace  string
	owned      bool
	uid        int64 // of pods, and their group
	logs       string
	podsWithin time.Duration // see podLimit
	unbound    func()        // ends that logs are kept from growing without limit
	pods       *api.Pods     // of the run
	tasks      *tasks
	found      findings

	mu      sync.Mutex
	serial  int
	running map[string]*process
	drained map[string]event.Event // nodes that the run cordoned, and by what
	// snapshots is the set of claims that have snapshots.
	snapshots map[string]bool
	classes   map[string]storage.ClaimClass // that claims were made of
}

// connectLimit bounds the setup of a platform.
const connectLimit = 3 * time.Minute

// open makes the namespace, if it is to be the run's own.
func (k Kind) open(env platform.Env) (*Kubernetes, error) {
	ctx, cancel := context.WithTimeout(context.Background(), connectLimit)
	defer cancel()
	k = k.bound()
	if env.RunID == "" {
		return nil, errors.New("a run on Kubernetes needs an identifier to mark what it makes")
	}
	if env.Log == nil {
		env.Log = slog.New(slog.DiscardHandler)
	}
	client, err := k.client(ctx)
	if err != nil {
		return nil, err
	}
	p := &Kubernetes{podsWithin: podLimit, env: env, parameters: k.parameters, client: client, namespace: k.parameters.Namespace, logs: filepath.Join(env.Work, "logs"), running: map[string]*process{}, drained: map[string]event.Event{}, snapshots: map[string]bool{}, classes: map[string]storage.ClaimClass{}}
	p.tasks = newTasks(p)
	if err := safefile.Ensure(p.logs, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory for logs: %w", err)
	}
	if p.namespace == "" {
		p.namespace, p.owned = api.Name(journal.Name(env.RunID)), true
	}
	if err := p.begin(ctx); err != nil {
		return nil, errors.Join(err, p.remove(context.Background()))
	}
	p.unbound = logfile.Bound(p.logs)
	return p, nil
}

// begin prepares the namespace, the user and the watch of pods.
func (k *Kubernetes) begin(ctx context.Context) (err error) {
	if err := k.env.Journal.Making(k.object()); err != nil {
		return err
	}
	if k.owned {
		if err := k.makeNamespace(ctx); err != nil {
			return err
		}
	}
	if k.uid, err = k.findUser(ctx); err != nil {
		return err
	}
	k.pods, err = k.client.Follow(ctx, k.namespace, api.OfRun(k.env.RunID))
	return err
}

// makeNamespace makes the run's own. One that an interrupted run left and that is
// being deleted is waited for.
func (k *Kubernetes) makeNamespace(ctx context.Context) error {
	namespace := &corev1.Namespace{}
	namespace.Name = k.namespace
	namespace.Labels = api.Labels(k.env.RunID)
	for _, what := range []string{"enforce", "audit", "warn"} {
		namespace.Labels["pod-security.kubernetes.io/"+what] = "restricted"
	}
	old, err := api.Of[corev1.Namespace](k.client, "").Get(ctx, k.namespace)
	if err == nil && old.DeletionTimestamp != nil {
		if err := k.client.AwaitGone(ctx, old); err != nil {
			return err
		}
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("look for namespace %s: %w", k.namespace, api.Explained(err))
	}
	if err := k.client.Apply(ctx, namespace); err != nil {
		return fmt.Errorf("%w; or let Plimsoll work in an existing namespace: platform.namespace in the study", err)
	}
	return nil
}

// usualUser is who pods run as where the cluster does not say: nobody that an image
// knows.
const usualUser = 10001

// uidRange is how OpenShift says which users a namespace may have: "1000650000/10000".
const uidRange = "openshift.io/sa.scc.uid-range"

// findUser gives the user of pods. On OpenShift the range comes shortly after the
// namespace.
func (k *Kubernetes) findUser(ctx context.Context) (int64, error) {
	for try := 0; ; try++ {
		namespace, err := api.Of[corev1.Namespace](k.client, "").Get(ctx, k.namespace)
		if apierrors.IsForbidden(err) && !k.owned {
			return usualUser, nil // the account may only work in the namespace
		}
		if apierrors.IsNotFound(err) {
			return 0, fmt.Errorf("there is no namespace %s: make it, or leave platform.namespace out of the study", k.namespace)
		}
		if err != nil {
			return 0, fmt.Errorf("look at namespace %s: %w", k.namespace, api.Explained(err))
		}
		if first, ok := firstOf(namespace.Annotations[uidRange]); ok {
			return first, nil
		}
		if !k.openShift(ctx) || try >= 20 {
			return usualUser, nil
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(250 * time.Millisecond):
		}
	}
}

func firstOf(uids string) (int64, bool) {
	first, _, _ := strings.Cut(uids, "/")
	first, _, _ = strings.Cut(first, "-")
	n, err := strconv.ParseInt(first, 10, 64)
	return n, err == nil && n > 0
}

// openShift reports whether the cluster gives namespaces ranges of users.
func (k *Kubernetes) openShift(ctx context.Context) bool {
	has, err := k.client.HasGroup(ctx, "security.openshift.io")
	return err == nil && has
}

// Abilities are the same on every cluster: the kubelet enforces limits.
func (k *Kubernetes) Abilities() platform.Abilities {
	return platform.Abilities{CPULimits: true, MemoryLimits: true, Cgroup: "none"}
}

// User is the user that servers run as, and also their group. The kubelet gives their
// volumes the same group.
func (k *Kubernetes) User(string) (uid, gid int) { return int(k.uid), int(k.uid) }

// Logs lists the logs that were written to since a moment.
func (k *Kubernetes) Logs(_ context.Context, since time.Time) ([]platform.Log, error) {
	return logfile.List(k.logs, since)
}

// closeLimit bounds Close, which must not hang on a node that is away.
const closeLimit = 5 * time.Minute

// Close stops what still runs, all at once, and removes what the platform made. It
// does so even when ctx has been cancelled.
func (k *Kubernetes) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	var wait errgroup.Group
	running := k.processes()
	errs := make([]error, len(running))
	for i, p := range running {
		wait.Go(func() error { errs[i] = p.Stop(ctx); return nil })
	}
	_ = wait.Wait() // each has its own error
	k.unbound()
	return errors.Join(errors.Join(errs...), k.tasks.close(ctx), k.uncordonAll(ctx, anyFault), k.remove(ctx))
}

// remove removes all that the run made in the cluster, and says so in the journal.
func (k *Kubernetes) remove(ctx context.Context) error {
	if k.pods != nil {
		defer k.pods.Close()
	}
	if _, err := sweep(ctx, k.client, k.env.RunID, k.object()); err != nil {
		return err
	}
	return k.env.Journal.Removed(k.object())
}

func (k *Kubernetes) processes() []*process {
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []*process
	for _, p := range k.running {
		all = append(all, p)
	}
	return all
}

var _ platform.Platform = (*Kubernetes)(nil)

// Capabilities implements platform.Platform.
func (k *Kubernetes) Capabilities() platform.Capabilities {
	return platform.Capabilities{Claims: k, Actor: k, Refused: k.Refused}
}

// Golden finds none: claim classes keep the golden data sets of a run themselves.
func (k *Kubernetes) Golden(context.Context, string) (platform.Golden, bool, error) {
	return platform.Golden{}, false, nil
}

// MakeGolden is for platforms that keep data sets between runs.
func (k *Kubernetes) MakeGolden(context.Context, string, []storage.Claim, func(map[string]storage.Volume) ([]byte, error)) (platform.Golden, error) {
	return platform.Golden{}, errors.New("no data sets are kept between runs on Kubernetes; storage classes of kind claim keep those of a run")
}

// Refused counts refused calls: the API server refuses calls that are too many for now.
func (k *Kubernetes) Refused() int64 { return k.client.Refused() }

// Namespace is the namespace of the run's objects.
func (k *Kubernetes) Namespace() string { return k.namespace }
