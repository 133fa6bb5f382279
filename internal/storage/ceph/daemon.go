package ceph

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/storage/peers"
)

// daemon is a process of the cluster.
type daemon struct {
	name  string // osd.0
	pid   int
	ended chan struct{} // closed when it is gone
}

// startLimit is how long a daemon may take to serve: on a busy machine, with limits of its
// processor, that may be minutes.
const startLimit = 5 * time.Minute

// launch starts a process of the cluster, whose output goes to its log.
func (c *clients) launch(name string, cmd *exec.Cmd, start func(*exec.Cmd) error) (*daemon, error) {
	o := journal.Object{Kind: journal.Process, Name: c.name + "-" + name}
	if err := c.env.Journal.Making(o); err != nil {
		return nil, err
	}
	log, err := safefile.Append(c.output(name), 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close() // the process has its own
	cmd.Env = append(plainEnvironment(), c.env.Journal.Marker(o.Name))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stdout, cmd.Stderr = log, log
	if err := start(cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	d := &daemon{name: name, pid: cmd.Process.Pid, ended: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // its end shows in the cluster
		close(d.ended)
	}()
	o.PID, o.StartTime = d.pid, journal.StartTime(d.pid)
	return d, c.env.Journal.Made(o)
}

func (c *clients) output(name string) string { return c.file("log", name+".out") }

// plainEnvironment is the environment of this process without the variables that would
// direct Ceph's programs to another cluster.
func plainEnvironment() (all []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "CEPH_") {
			all = append(all, v)
		}
	}
	return all
}

// dead returns the reason when the process has ended.
func (c *clients) dead(d *daemon) error {
	select {
	case <-d.ended:
		return fmt.Errorf("%s has ended: %s", d.name, strings.TrimSpace(peers.Tail(c.output(d.name))))
	default:
		return nil
	}
}

// kill ends the process at once and waits until it is gone.
func (d *daemon) kill() {
	_ = syscall.Kill(d.pid, syscall.SIGKILL) // gone already is as good
	<-d.ended
}

// stop asks the process to end, and kills it when it does not.
func (d *daemon) stop(patience time.Duration) {
	_ = syscall.Kill(d.pid, syscall.SIGTERM) // gone already is as good
	select {
	case <-d.ended:
	case <-time.After(patience):
		d.kill()
	}
}

// daemons are kept by name; mu guards them.
func (p *Pool) daemon(name string) *daemon {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.daemons[name]
}

// running reports whether a daemon is there.
func (p *Pool) running(name string) bool {
	d := p.daemon(name)
	return d != nil && p.dead(d) == nil
}

func (p *Pool) keep(d *daemon) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.daemons[d.name] = d
}

// controls are the daemons that are no OSDs, on the host of the clients.
func (p *Pool) controls() []string {
	return append([]string{"mon.a", "mgr.x", tables}, p.p.gatewayNames()...)
}

// startControl starts a daemon that is no OSD, on the host of the clients.
func (p *Pool) startControl(name string, args ...string) error {
	cmd := p.machines.Client().Command(context.Background(), append(args, "--conf", p.conf())...)
	cmd.Dir = p.file("run")
	d, err := p.launch(name, cmd, (*exec.Cmd).Start)
	if err == nil {
		p.keep(d)
	}
	return err
}

func (p *Pool) startMonitor() error { return p.startControl("mon.a", "ceph-mon", "-f", "-i", "a") }
func (p *Pool) startManager() error { return p.startControl("mgr.x", "ceph-mgr", "-f", "-i", "x") }

// startOSD starts an OSD, counted from 1, on its node.
func (p *Pool) startOSD(n int) error {
	r := p.node(n)
	cmd := r.Command(context.Background(), "ceph-osd", "-f", "-i", fmt.Sprint(n-1), "--conf", p.conf())
	d, err := p.launch(osdName(n), cmd, r.Group.Start)
	if err == nil {
		p.keep(d)
	}
	return err
}

// startOSDs starts all that do not run, on the nodes that do, and waits until they serve.
func (p *Pool) startOSDs(ctx context.Context, which func(n int) bool) error {
	for n := 1; n <= p.p.all(); n++ {
		if !which(n) || p.running(osdName(n)) || p.node(n).Dead() != nil {
			continue
		}
		if err := p.startOSD(n); err != nil {
			return err
		}
	}
	return p.awaitOSDs(ctx, which)
}

// awaitOSDs waits until OSDs report themselves active, which they do once the monitor has
// taken them in.
func (p *Pool) awaitOSDs(ctx context.Context, which func(n int) bool) error {
	return peers.Poll(ctx, startLimit, "the OSDs to serve", func() (bool, error) {
		for n := 1; n <= p.p.all(); n++ {
			if !which(n) || p.node(n).Dead() != nil {
				continue
			}
			d := p.daemon(osdName(n))
			if d == nil {
				return false, fmt.Errorf("%s was never started", osdName(n))
			}
			if err := p.dead(d); err != nil {
				return false, err
			}
			var s struct{ State string }
			if err := p.ask(ctx, n, "status", &s); err != nil || s.State != "active" {
				return false, nil // not yet
			}
		}
		return true, nil
	})
}

// endDaemons ends everything, the monitor last, and takes it out of the journal.
func (p *Pool) endDaemons() error {
	p.mu.Lock()
	all := p.daemons
	p.daemons = map[string]*daemon{}
	p.mu.Unlock()
	var errs []error
	for name, d := range all {
		d.kill()
		errs = append(errs, p.env.Journal.Removed(journal.Object{Kind: journal.Process, Name: p.name + "-" + name}))
	}
	return errors.Join(errs...)
}
