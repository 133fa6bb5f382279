package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/platform/kubernetes/pod"
	"plimsoll/internal/platform/logfile"
)

// process is one server in its pod.
type process struct {
	k       *Kubernetes
	d       described
	pod     *corev1.Pod // as it was applied; nil before
	forward *api.Forward
	log     logfile.Log
	file    *os.File // of the log
	oneShot bool     // it is to end by itself
	short   bool     // it had ended when it was first seen

	started, readyAt time.Time

	mu      sync.Mutex
	why     error // what this program did to it, known before it ends
	stopped bool  // by Stop, which is no error
	err     error
	ended   chan struct{} // closed when its container has ended
	logged  chan struct{} // closed when its log has been read to the end
	done    chan struct{} // closed after both
}

var _ platform.Process = (*process)(nil)

// Name is the server's.
func (p *process) Name() string { return p.d.Name }

// Endpoint is how users reach it: by the name of its service.
func (p *process) Endpoint() endpoint.Endpoint {
	if p.d.place.Port == 0 {
		return p.reachedAt("")
	}
	return p.reachedAt(p.k.address(p.d))
}

// Asked is how this program reaches it: through the API server.
func (p *process) Asked() endpoint.Endpoint {
	if p.forward == nil {
		return p.Endpoint()
	}
	return p.reachedAt(p.forward.Address())
}

// reachedAt is its endpoint at an address, which is another than it listens on.
func (p *process) reachedAt(address string) endpoint.Endpoint {
	place := p.d.place
	if host, port, err := net.SplitHostPort(address); err == nil {
		place.Host, place.Listen = host, address
		place.Port, _ = strconv.Atoi(port) // both kinds of addresses have numbers
	}
	return endpoint.Endpoint{
		Kind: p.d.Kind, Network: "tcp", Address: address, User: p.d.User, Password: p.d.Password,
		Payload: p.d.Payload.Replace(place.Expand), Certificate: p.d.Certificate,
	}
}

// Pod names its pod.
func (p *process) Pod() string { return p.pod.Name }

// Done is closed when the server has ended.
func (p *process) Done() <-chan struct{} { return p.done }

// Err says why it ended.
func (p *process) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Log reads its log.
func (p *process) Log(context.Context) (io.ReadCloser, error) { return p.log.Reader() }

// Started is when its pod was asked for.
func (p *process) Started() time.Time { return p.started }

// ReadyAt is when it answered first.
func (p *process) ReadyAt() time.Time { return p.readyAt }

func (p *process) hasEnded() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// give says in advance why the process is about to end; the first reason counts.
func (p *process) give(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.why == nil && !p.stopped {
		p.why = why
	}
}

// followLog copies its log to this machine as it grows: it goes with the pod.
func (p *process) followLog() {
	defer close(p.logged)
	defer p.file.Close()
	if err := p.k.client.FollowLog(context.Background(), p.k.namespace, p.pod.Name, serverContainer, p.file, p.ended); err != nil {
		p.k.env.Log.Warn("a log is incomplete", "server", p.Name(), "error", err)
	}
}

// logDelay is how long the rest of the log of a server that has ended may take.
const logDelay = 15 * time.Second

// watch waits for the server's end and says why it came.
func (p *process) watch() {
	last, err := p.k.pods.Await(context.Background(), p.pod.Name, p.pod.UID, func(now *corev1.Pod) (bool, error) {
		over := now.Status.Phase == corev1.PodFailed || now.Status.Phase == corev1.PodSucceeded
		return over || api.Ended(now, serverContainer) != nil, nil
	})
	close(p.ended)
	select {
	case <-p.logged:
	case <-time.After(logDelay):
	}
	if p.forward != nil {
		err = errors.Join(err, p.forward.Close())
	}
	p.mu.Lock()
	p.err = p.judge(last, err)
	p.mu.Unlock()
	close(p.done)
}

// judge puts the reason of the end into words. The caller holds mu.
func (p *process) judge(last *corev1.Pod, err error) error {
	end, state := endOf(last)
	switch {
	case end.Overdue:
		return p.log.WithTail(fmt.Errorf("%s did not stop within %s of SIG%s and was killed", p.Name(), stopTimeout(p.d.Server), p.d.Stop))
	case p.stopped:
		return nil
	case p.why != nil:
		return p.why
	case err != nil && state == nil:
		return p.log.WithTail(fmt.Errorf("%s ended: %w%s", p.Name(), err, cause(last)))
	case end.OutOfMemory > 0 && end.How != "" || state != nil && state.Reason == "OOMKilled":
		return p.log.WithTail(fmt.Errorf("%s reached its memory limit of %d MiB and the kernel killed it: give it more memory", p.Name(), p.d.Limits.Memory>>20))
	case end.Never != "":
		return fmt.Errorf("start %s: %s", p.Name(), end.Never)
	case end.Stopped:
		return p.log.WithTail(fmt.Errorf("%s was stopped from outside%s", p.Name(), cause(last)))
	case end.Killed:
		return p.log.WithTail(fmt.Errorf("%s ended: %s (killed from outside%s)", p.Name(), end.How, cause(last)))
	case end.How != "":
		return p.log.WithTail(fmt.Errorf("%s ended: %s%s", p.Name(), end.How, cause(last)))
	case state == nil:
		return p.log.WithTail(fmt.Errorf("%s ended: its pod failed%s", p.Name(), cause(last)))
	case state.ExitCode != 0: // before the first process could say anything
		return p.log.WithTail(fmt.Errorf("%s ended: its container says %s, exit status %d%s", p.Name(), state.Reason, state.ExitCode, cause(last)))
	case p.oneShot:
		return nil
	}
	return p.log.WithTail(fmt.Errorf("%s exited unexpectedly", p.Name()))
}

// endOf is how the first process of a server's container says that it ended, and how
// the kubelet does; empty where they had no time to.
func endOf(last *corev1.Pod) (end pod.End, state *corev1.ContainerStateTerminated) {
	if last == nil {
		return end, nil
	}
	if state = api.Ended(last, serverContainer); state != nil && json.Unmarshal([]byte(state.Message), &end) != nil {
		end = pod.End{Tail: state.Message}
	}
	return end, state
}

// cause is what the cluster did to a pod.
func cause(last *corev1.Pod) string {
	if last == nil {
		return ""
	}
	text := ""
	if last.Status.Reason != "" {
		text = fmt.Sprintf("; its pod: %s: %s", last.Status.Reason, last.Status.Message)
	}
	for _, c := range last.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			text += fmt.Sprintf("; %s: %s", c.Reason, c.Message)
		}
	}
	if text == "" && last.DeletionTimestamp != nil {
		text = "; " + api.ErrGone.Error()
	}
	return text
}

// Stop asks the server to end, which has to be killed when it does not in time, and
// removes its pod.
func (p *process) Stop(ctx context.Context) error {
	p.mu.Lock()
	p.stopped = p.stopped || p.why == nil && !p.hasEnded()
	p.mu.Unlock()
	err := p.end(ctx, stopTimeout(p.d.Server))
	if p.overdue() {
		err = errors.Join(p.Err(), err)
	}
	return errors.Join(err, p.remove(ctx))
}

// overdue reports whether Stop had to kill it.
func (p *process) overdue() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stopped && p.err != nil
}

// slack is what the cluster may take besides a server's own time to end. A kubelet
// that is restarted has it too.
const slack = 90 * time.Second

// end asks a server to end and waits until it has, if need be by force.
func (p *process) end(ctx context.Context, limit time.Duration) error {
	if p.hasEnded() {
		return nil
	}
	if err := p.k.client.Delete(ctx, p.pod, limit+endGrace); err != nil {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
	case <-time.After(limit + endGrace + slack):
	}
	err := p.log.WithTail(fmt.Errorf("%s did not stop within %s of SIG%s, and its node did not end it: it may run on there", p.Name(), limit, p.d.Stop))
	return errors.Join(err, p.force())
}

// Kill ends it at once, as a crash would; its volume stays.
func (p *process) Kill() error {
	p.give(fmt.Errorf("%s was killed on request", p.Name()))
	ctx, cancel := context.WithTimeout(context.Background(), slack)
	defer cancel()
	return errors.Join(p.kill(), p.removePod(ctx))
}

// killLimit is how long the container of a server that was killed may take to end;
// one that waits for storage ends only when that answers.
const killLimit = time.Minute

// kill kills every process of the server from inside, so that it is known to have
// ended when its volume is used again.
func (p *process) kill() error {
	if p.hasEnded() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), killLimit)
	defer cancel()
	err := p.k.client.Exec(ctx, api.Command{Namespace: p.k.namespace, Pod: p.pod.Name, Container: serverContainer, Args: []string{pod.Installed, "pod", "kill"}, Stderr: io.Discard})
	wait := ctx.Done()
	if err != nil { // the container of the kill may end before its own
		short, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		wait = short.Done()
	}
	select {
	case <-p.done:
		return nil
	case <-wait:
		return p.force()
	}
}

// force gives the pod up, whatever its node says.
func (p *process) force() error {
	ctx, cancel := context.WithTimeout(context.Background(), killLimit)
	defer cancel()
	if err := p.k.client.Delete(ctx, p.pod, 0); err != nil {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s is still there %s after it was killed: its node may be away, or it waits for storage", p.Name(), killLimit)
	}
}

// removePod removes the pod of a server that has ended.
func (p *process) removePod(ctx context.Context) error {
	if p.pod == nil || p.gone() {
		return nil
	}
	if err := p.k.client.Delete(ctx, p.pod, 0); err != nil {
		return err
	}
	return p.k.pods.AwaitGone(ctx, p.pod.Name, p.pod.UID)
}

// gone reports whether the pod was seen to go: there is no need to ask.
func (p *process) gone() bool {
	now := p.k.pods.Get(p.pod.Name)
	return p.hasEnded() && (now == nil || now.UID != p.pod.UID)
}

// remove removes all that a server had, unless another of its name has it by now.
func (p *process) remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, slack)
	defer cancel()
	errs := []error{p.removePod(ctx)}
	p.k.mu.Lock()
	mine := p.k.running[p.Name()] == p
	p.k.mu.Unlock()
	if !mine {
		return errors.Join(errs...)
	}
	if secret, err := p.k.secret(p.d); err == nil {
		errs = append(errs, p.k.client.Delete(ctx, secret, -1))
	}
	if service := p.k.service(p.d); service != nil {
		errs = append(errs, p.k.client.Delete(ctx, service, -1))
	}
	p.k.mu.Lock()
	defer p.k.mu.Unlock()
	if p.k.running[p.Name()] == p {
		delete(p.k.running, p.Name())
	}
	return errors.Join(errs...)
}
