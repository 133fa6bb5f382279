package kubernetes

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"plimsoll/internal/app"
	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/platform/kubernetes/api"
)

// findings are what images were found to hold.
type findings struct {
	mu  sync.Mutex
	all map[found]*finding
}

// found is what was looked for.
type found struct{ image, engine, version string }

// finding is made once, whoever asks first.
type finding struct {
	once         sync.Once
	installation app.Installation
	err          error
}

func (f *findings) of(what found) *finding {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil {
		f.all = map[found]*finding{}
	}
	if f.all[what] == nil {
		f.all[what] = &finding{}
	}
	return f.all[what]
}

// forget makes the next to ask look again.
func (f *findings) forget(what found) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.all, what)
}

// Find asks the engine inside its image, once in a run. Nothing is fetched: an image
// is as it is.
func (k *Kubernetes) Find(ctx context.Context, e app.Engine, version string, _ bool) (app.Installation, error) {
	image, err := k.parameters.imageOf(e, version)
	if err != nil {
		return app.Installation{}, err
	}
	what := found{image, e.Name(), version}
	f := k.found.of(what)
	f.once.Do(func() { f.installation, f.err = k.find(ctx, what) })
	if f.err != nil {
		k.found.forget(what)
		return app.Installation{}, fmt.Errorf("look for %s in the image %s: %w", e.Name(), image, f.err)
	}
	return f.installation, nil
}

func (k *Kubernetes) find(ctx context.Context, what found) (in app.Installation, err error) {
	name := "find-" + api.Name(what.engine, what.version)
	described, err := task.NewJob(job.FindKind, name, job.Find{Engine: what.engine, Version: what.version})
	if err != nil {
		return in, err
	}
	inside := &inImage{Kubernetes: k, image: what.image}
	if err := platform.Do(ctx, inside, platform.Task{Name: name, Job: described}, nil, &in); err != nil {
		return in, err
	}
	in.Source, in.Image = "image", what.image
	if _, digest, known := strings.Cut(inside.digest, "@"); known {
		in.Image = withDigest(what.image, digest)
	}
	return in, nil
}

// inImage has tasks done in another image than Plimsoll's.
type inImage struct {
	*Kubernetes
	image  string
	digest string // name@digest of what ran, as far as the node says
}

// Task starts one there.
func (i *inImage) Task(ctx context.Context, t platform.Task) (platform.Running, error) {
	r, err := i.tasks.begin(ctx, t, spot{image: i.image})
	if err != nil {
		return nil, err
	}
	if now := i.pods.Get(r.pod.Name); now != nil {
		if s := api.ContainerStatus(now, taskContainer); s != nil {
			i.digest = s.ImageID
		}
	}
	return r, nil
}

// withDigest is a reference to the image that ran, even if its tag moves later.
func withDigest(reference, digest string) string {
	name, _, _ := strings.Cut(reference, "@")
	if tag := strings.LastIndexByte(name, ':'); tag > strings.LastIndexByte(name, '/') {
		name = name[:tag]
	}
	return name + "@" + digest
}
