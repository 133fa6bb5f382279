package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/cgroup"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/relay"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/logfile"
	"plimsoll/internal/storage"
)

// process is one running server.
type process struct {
	local  *Local
	server app.Server
	name   string
	volume storage.Volume
	mounts map[string]string // paths of its other volumes
	place  app.Surroundings
	who    owner
	group  *cgroup.Group
	in     *container   // nil for a bare one
	relay  *relay.Relay // nil where its socket is asked
	log    logfile.Log
	cmd    *exec.Cmd

	oneShot          bool // it is to end by itself
	started, readyAt time.Time

	mu sync.Mutex
	// why is what this program did to it, known before it ends.
	why     error
	stopped bool  // by Stop, which is no error
	members []int // its processes that were killed
	memory  journal.SharedMemory
	err     error
	done    chan struct{}
}

var _ platform.Process = (*process)(nil)

// Name is the server's.
func (p *process) Name() string { return p.name }

// Endpoint is how users reach it.
func (p *process) Endpoint() endpoint.Endpoint { return p.endpoint() }

// Cgroups are empty where control groups are not permitted.
func (p *process) Cgroups() map[string]string { return p.group.Directories() }

// Done is closed when everything of the server is gone.
func (p *process) Done() <-chan struct{} { return p.done }

// Err says why it ended.
func (p *process) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Log reads its log.
func (p *process) Log(context.Context) (io.ReadCloser, error) { return p.log.Reader() }

// Started is when its process was made.
func (p *process) Started() time.Time { return p.started }

// ReadyAt is when it answered first.
func (p *process) ReadyAt() time.Time { return p.readyAt }

// PIDs are its processes now.
func (p *process) PIDs() []int {
	if p.ended() {
		return nil
	}
	if p.group.Exists() {
		return p.group.PIDs()
	}
	return family(p.cmd.Process.Pid)
}

// give says in advance why the process is about to end; the first reason
// counts.
func (p *process) give(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.why == nil && !p.stopped {
		p.why = why
	}
}

func (p *process) remember(members []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, pid := range members {
		if !slices.Contains(p.members, pid) {
			p.members = append(p.members, pid)
		}
	}
}

// makers are the processes that may have created the server's remaining kernel objects.
func (p *process) makers() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]int{p.cmd.Process.Pid}, p.members...)
}

// Stop asks the server to end. If it does not end in time, Stop kills it and returns an
// error, because data in its memory may be lost.
func (p *process) Stop(ctx context.Context) error {
	p.mu.Lock()
	p.stopped = p.why == nil
	p.mu.Unlock()
	return errors.Join(p.end(ctx), p.leave())
}

// end asks it to end, and kills it.
func (p *process) end(ctx context.Context) error {
	limit := p.server.StopTimeout
	if limit <= 0 {
		limit = 10 * time.Second
	}
	if p.signalEnd(ctx, limit) {
		return nil
	}
	err := p.log.WithTail(fmt.Errorf("%s did not stop within %s of SIG%s and was killed", p.name, limit, p.server.Stop))
	return errors.Join(err, p.kill())
}

// signalEnd sends the server's stop signal and says whether it ended in time.
func (p *process) signalEnd(ctx context.Context, limit time.Duration) bool {
	sig := unix.SignalNum("SIG" + p.server.Stop)
	if sig == 0 {
		sig = unix.SIGTERM
	}
	_ = p.cmd.Process.Signal(sig) // it may have ended by itself
	select {
	case <-p.done:
		return true
	case <-ctx.Done():
	case <-time.After(limit):
	}
	return false
}

// Kill ends it at once, as a crash would.
func (p *process) Kill() error {
	p.give(fmt.Errorf("%s was killed on request", p.name))
	return p.kill()
}

// killLimit is how long the kernel may take to end killed processes; one that
// waits for storage ends only when that answers.
const killLimit = time.Minute

func (p *process) kill() error {
	p.killMembers()
	select {
	case <-p.done:
		return nil
	case <-time.After(killLimit):
		return notEnding(p.name, p.cmd.Process.Pid)
	}
}

// notEnding reports that a killed process goes on, with its state as the kernel gives it.
func notEnding(name string, pid int) error {
	doing := ""
	if p, err := procfs.NewProc(pid); err == nil {
		stat, err := p.Stat()
		at, _ := p.Wchan()
		switch {
		case err == nil && stat.State == "D" && at != "":
			doing = ": it waits in the kernel, in " + at + " (state D)"
		case err == nil && stat.State == "D":
			doing = ": it waits in the kernel, as for storage or NFS that does not answer (state D)"
		case err == nil:
			doing = ": it is in state " + stat.State
		}
	}
	return fmt.Errorf("%s (pid %d) is still there %s after it was killed%s", name, pid, killLimit, doing)
}

// abandonLimit is how long a server that did not become ready may take to end
// cleanly.
const abandonLimit = 10 * time.Second

// abandon ends a server that did not become ready.
func (p *process) abandon(ctx context.Context) error {
	return errors.Join(p.endUnready(ctx), p.leave())
}

func (p *process) endUnready(ctx context.Context) error {
	if p.ended() {
		return nil
	}
	p.give(fmt.Errorf("%s did not become ready", p.name))
	if p.signalEnd(context.WithoutCancel(ctx), abandonLimit) {
		return nil
	}
	return p.kill()
}

// watch waits for the server's end and clears up after it.
func (p *process) watch() {
	waitErr := p.cmd.Wait()
	kills := p.group.OutOfMemory()
	clearErr := errors.Join(p.endRest(), p.cleanUp())
	p.mu.Lock()
	p.err = errors.Join(p.judge(waitErr, kills), clearErr)
	p.mu.Unlock()
	close(p.done)
}

// judge puts the reason of the end into words. The caller holds mu.
func (p *process) judge(waitErr error, kills cgroup.OutOfMemory) error {
	switch {
	case p.stopped:
		return nil
	case p.why != nil:
		return p.why
	case kills.Processes > 0:
		return p.log.WithTail(errors.New(kills.Says(p.name, p.server.Limits.Memory)))
	case waitErr == nil && p.oneShot:
		return nil
	case waitErr == nil:
		return p.log.WithTail(fmt.Errorf("%s exited unexpectedly", p.name))
	}
	return p.log.WithTail(fmt.Errorf("%s ended: %w%s", p.name, waitErr, hint(waitErr)))
}

// hint notes that a kill did not come from Plimsoll; the system does not record the sender.
func hint(waitErr error) string {
	var exit *exec.ExitError
	if !errors.As(waitErr, &exit) {
		return ""
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
		return " (killed from outside; by whom is not known)"
	}
	return ""
}

// cleanUp gives back what the process had. It serves also one that was never
// started.
func (p *process) cleanUp() error {
	var errs []error
	ctx, cancel := context.WithTimeout(context.Background(), killLimit)
	defer cancel()
	if p.group != nil {
		errs = append(errs, p.group.Remove(ctx))
	}
	if p.relay != nil {
		errs = append(errs, p.relay.Close())
	}
	errs = append(errs, os.RemoveAll(p.place.Runtime))
	if p.place.Port != 0 {
		p.local.ports.giveBack(p.place.Port)
	}
	p.local.delist(p)
	errs = append(errs, p.local.env.Journal.Removed(p.object()))
	return errors.Join(errs...)
}
