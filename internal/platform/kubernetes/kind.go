// Package kubernetes runs instances as pods of a cluster, with claims as their volumes.
// docs/platform-kubernetes.md lists the objects that it makes and its requirements.
//
// A run has a namespace of its own, or works in one that the study names. All its objects
// carry the labels of api.Labels. The namespace is journalled before any object is made in
// it.
package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
)

// Kind makes platforms on one cluster.
type Kind struct {
	parameters *Parameters
	cluster    *cluster
}

// cluster is reached when it is first needed, and then kept.
type cluster struct {
	mu     sync.Mutex
	client *api.Client
}

var _ platform.Kind = Kind{}

// Capabilities implements platform.Kind.
func (k Kind) Capabilities() platform.KindCapabilities {
	return platform.KindCapabilities{Checker: k, Events: k.Events, ClaimClass: k.ClaimClass, Platform: (&Kubernetes{}).Capabilities()}
}

// Offline is a cluster that the study describes, or an unknown one.
func (k Kind) Offline() platform.Kind {
	k = k.bound()
	return platform.Offline{Kind: k, Described: k.parameters.Described, Placed: true, Requests: k.parameters.Requests, Where: "the cluster"}
}

// Name is the registry key.
func (Kind) Name() string { return "kubernetes" }

// Defaults gives fresh parameters.
func (Kind) Defaults() any { return defaults() }

// Validate looks at the parameters alone, not at the cluster.
func (Kind) Validate(parameters any) []describe.Problem {
	p, ok := parameters.(*Parameters)
	if !ok {
		return []describe.Problem{{Path: "", Text: fmt.Sprintf("%T are not the parameters of Kubernetes", parameters)}}
	}
	return p.problems()
}

// Bind gives the kind that reaches the cluster of the parameters.
func (Kind) Bind(parameters any) platform.Kind {
	p, ok := parameters.(*Parameters)
	if !ok || p == nil {
		p = defaults()
	}
	return Kind{parameters: p, cluster: &cluster{}}
}

// bound is the kind with parameters, if need be the usual ones.
func (k Kind) bound() Kind {
	if k.parameters == nil {
		return k.Bind(nil).(Kind)
	}
	return k
}

// client connects once.
func (k Kind) client(ctx context.Context) (*api.Client, error) {
	k.cluster.mu.Lock()
	defer k.cluster.mu.Unlock()
	if k.cluster.client != nil {
		return k.cluster.client, nil
	}
	client, err := api.Connect(ctx, k.parameters.Kubeconfig, k.parameters.Context)
	k.cluster.client = client
	return client, err
}

// Hosts has claims, and volumes that do not lie on the machine of the run: those that are
// reached over a network, and none at all.
func (Kind) Hosts(of storage.Kind) error {
	if of.Capabilities().Claims != nil || !onOneMachine(of) {
		return nil
	}
	return errors.New("its volumes lie on one machine, and those of a cluster are claims; use the class claim, which takes a StorageClass of the cluster, or run it with --platform local")
}

// onOneMachine reports whether a kind hands out directories or devices.
func onOneMachine(k storage.Kind) bool {
	return slices.ContainsFunc(k.VolumeKinds(nil), func(kind string) bool {
		return kind == endpoint.Directory || kind == endpoint.Device
	})
}

// Find names the image; its contents are known only when it runs.
func (k Kind) Find(_ context.Context, e app.Engine, version string, _ bool) (app.Installation, error) {
	image, err := k.bound().parameters.imageOf(e, version)
	return app.Installation{Engine: e.Name(), Version: version, Source: "image", Image: image}, err
}

// Deploys knows pods, which is what bare means here.
func (Kind) Deploys(_ context.Context, d study.Deployment) error {
	if d.OrBare() == study.Bare {
		return nil
	}
	return fmt.Errorf("on Kubernetes every server is a pod: leave deployment out, or run it with --platform local")
}

// Space is not known: storage classes of clusters do not say it.
func (Kind) Space(context.Context, string) (describe.Space, error) {
	return describe.UnknownSpace(), nil
}

// Kept is empty: golden volumes are claims of a run.
func (Kind) Kept(string) platform.Kept { return noStore{} }

type noStore struct{}

func (noStore) Size(context.Context) (int, int64, error) { return 0, 0, nil }
func (noStore) Remove(context.Context) (int, error)      { return 0, nil }

// New makes the platform of a run.
func (k Kind) New(env platform.Env) (platform.Platform, error) {
	p, err := k.open(env)
	if err != nil {
		return nil, err // and not a platform that is nil
	}
	return p, nil
}
