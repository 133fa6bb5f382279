package kubernetes_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"plimsoll/internal/conformance/storagetest"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform/kubernetes"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/claim"
)

// The claim class passes on two classes of the cluster: one that clones, and one that does
// not.
func TestClaimsPassTheSuiteOfStorageClasses(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	if os.Getenv(developing) != "" {
		t.Skip("what volumes hold is looked at through the node's first process, which only a cluster of the test's own tells")
	}
	for _, class := range []string{"fast", "slow"} {
		t.Run(class, func(t *testing.T) {
			s := &claimSuite{bed: b, class: class, runs: map[string]claimRun{}}
			storagetest.RunClaims(t, storagetest.Claims{
				New:   func(env storage.Env) (storage.Class, error) { return s.make(t, env) },
				Reach: s.reach, There: s.there, Sweep: s.sweep,
			})
		})
	}
}

// claimSuite has a run of the platform for each environment.
type claimSuite struct {
	*bed
	class string
	runs  map[string]claimRun
	last  claimRun
}

type claimRun struct {
	*kubernetes.Kubernetes
	id, journal string
}

func (s *claimSuite) make(t *testing.T, env storage.Env) (storage.Class, error) {
	if _, there := s.runs[env.RunID]; !there {
		id := fmt.Sprintf("suite-%d-%d", os.Getpid(), runs.Add(1))
		p, file := s.run(t, id)
		s.runs[env.RunID] = claimRun{p, id, file}
	}
	s.last = s.runs[env.RunID]
	env.Claims, env.VolumeBytes = s.last, 64<<20
	p := claim.Kind{}.Defaults().(*claim.Parameters)
	p.StorageClass = s.class
	return claim.Kind{}.New(s.class, p, env)
}

// reach has a pod use the volume, and finds the directory of the node that it is.
func (s *claimSuite) reach(ctx context.Context, v storage.Volume) (string, error) {
	if err := s.last.Run(ctx, shell("reach-"+v.Name, "true"), v); err != nil {
		return "", err
	}
	bound, err := api.Of[corev1.PersistentVolumeClaim](s.client, s.last.Namespace()).Get(ctx, v.Claim)
	if err != nil {
		return "", err
	}
	volume, err := api.Of[corev1.PersistentVolume](s.client, "").Get(ctx, bound.Spec.VolumeName)
	if err != nil {
		return "", err
	}
	process := filepath.Dir(filepath.Dir(s.Netns())) // /proc/PID of /proc/PID/ns/net
	return filepath.Join(process, "root", volume.Spec.Local.Path), nil
}

func (s *claimSuite) there(ctx context.Context, v storage.Volume) bool {
	_, err := api.Of[corev1.PersistentVolumeClaim](s.client, s.last.Namespace()).Get(ctx, v.Claim)
	return !apierrors.IsNotFound(err)
}

func (s *claimSuite) sweep(ctx context.Context, _ storage.Env) error {
	state, err := journal.Read(s.last.journal)
	if err != nil || len(state.Objects) == 0 {
		return fmt.Errorf("the journal lists %v, %w", state.Objects, err)
	}
	state.RunID = s.last.id
	for _, r := range sweep(ctx, s.kind, state) {
		err = errors.Join(err, r.Err)
	}
	return err
}
