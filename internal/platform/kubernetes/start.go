package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"

	"plimsoll/internal/app"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/platform/logfile"
	"plimsoll/internal/storage"
)

// Run runs a one-shot server to its end. Cancelling ctx kills it.
func (k *Kubernetes) Run(ctx context.Context, s app.Server, v storage.Volume, others ...platform.Mounted) error {
	p, err := k.launch(ctx, s, v, others, true)
	if err != nil {
		return err
	}
	if s.StartTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.StartTimeout)
		defer cancel()
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		p.give(fmt.Errorf("%s was ended: %w", s.Name, ctx.Err()))
		if err := p.kill(); err != nil {
			return errors.Join(err, p.remove(context.Background()))
		}
	}
	return errors.Join(p.Err(), p.remove(context.WithoutCancel(ctx)))
}

// readyPause is the time between two questions whether a server is ready: each goes
// through the API server.
const readyPause = 200 * time.Millisecond

// Start starts a server and waits until it is ready.
func (k *Kubernetes) Start(ctx context.Context, s app.Server, v storage.Volume, others ...platform.Mounted) (platform.Process, error) {
	p, err := k.launch(ctx, s, v, others, false)
	if err != nil {
		return nil, err
	}
	if p.short {
		<-p.done // it has ended already; its log has yet to come
	}
	err = platform.Starting{
		Server: s, Asked: p.Asked(), Pause: readyPause, Done: p.done, Err: p.Err, WithTail: p.log.WithTail,
	}.AwaitReady(ctx)
	if err == nil {
		p.readyAt = time.Now()
		return p, nil
	}
	p.give(fmt.Errorf("%s did not become ready", s.Name))
	return nil, errors.Join(err, p.end(context.WithoutCancel(ctx), abandonLimit), p.remove(context.WithoutCancel(ctx)))
}

// abandonLimit is how long a server that did not become ready may take to end
// cleanly.
const abandonLimit = 10 * time.Second

// launch makes the pod of a server, with all that it needs around it, and waits until
// it runs.
func (k *Kubernetes) launch(ctx context.Context, s app.Server, v storage.Volume, others []platform.Mounted, oneShot bool) (*process, error) {
	d, err := describeServer(s, v, others...)
	if err == nil {
		err = Kind{}.Deploys(ctx, s.Place.Deployment)
	}
	if err != nil {
		return nil, err
	}
	p := &process{k: k, d: d, oneShot: oneShot, done: make(chan struct{}), ended: make(chan struct{}), logged: make(chan struct{})}
	serial, before, err := k.enlist(p)
	if err != nil {
		return nil, err
	}
	if before != nil { // it ended by itself
		err = before.removePod(ctx)
	}
	if err == nil {
		err = p.make(ctx, serial)
	}
	if err != nil {
		if p.file != nil {
			_ = p.file.Close() // nothing was written
		}
		return nil, errors.Join(fmt.Errorf("start %s: %w", s.Name, err), p.remove(context.WithoutCancel(ctx)))
	}
	go p.followLog()
	go p.watch()
	return p, nil
}

// enlist keeps a name for one server at a time. before is one that has ended and was
// not removed.
func (k *Kubernetes) enlist(p *process) (serial int, before *process, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	before = k.running[p.Name()]
	if before != nil && !before.hasEnded() {
		return 0, nil, fmt.Errorf("%s is already running", p.Name())
	}
	k.running[p.Name()] = p
	k.serial++
	return k.serial, before, nil
}

// make applies the server's objects and waits until its container runs, or has
// ended.
func (p *process) make(ctx context.Context, serial int) error {
	k := p.k
	pod, err := k.pod(p.d, serial)
	if err != nil {
		return err
	}
	secret, err := k.secret(p.d)
	if err != nil {
		return err
	}
	log, file, err := logfile.Open(filepath.Join(k.logs, p.Name()+".log"))
	if err != nil {
		return err
	}
	p.log, p.file = log, file
	p.log.Complaints = p.d.Complaints
	p.started = time.Now()
	objects := []api.Object{secret}
	if service := k.service(p.d); service != nil {
		objects = append(objects, service)
	}
	for _, o := range append(objects, pod) {
		if err := k.client.Apply(ctx, o); err != nil {
			return err
		}
	}
	p.pod = pod
	return p.awaitRunning(ctx)
}

// podLimit bounds the time until the pod of a server runs: a node, volumes and an image
// that may have to be pulled say nothing about how fast the server itself starts.
const podLimit = 5 * time.Minute

func (p *process) awaitRunning(ctx context.Context) error {
	limit := p.k.podsWithin
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("its pod did not run within %s: %w", limit, context.DeadlineExceeded))
	defer cancel()
	now, err := p.k.pods.AwaitRunning(ctx, p.pod.Name, p.pod.UID, serverContainer)
	if err != nil {
		return err
	}
	if now.Status.Phase == corev1.PodFailed && api.Ended(now, serverContainer) == nil {
		return fmt.Errorf("pod %s failed: %s %s%s", now.Name, now.Status.Reason, now.Status.Message, p.k.client.Why(ctx, now))
	}
	p.short = api.Ended(now, serverContainer) != nil
	if p.d.place.Port != 0 {
		p.forward, err = p.k.client.Forward(p.k.namespace, p.pod.Name, p.d.place.Port)
	}
	return err
}
