package peers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"plimsoll/internal/host/cgroup"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/namespace"
	"plimsoll/internal/host/simnet"
)

// Peer is one machine of a pool: a daemon with its own network, mount table and state,
// and its disks.
type Peer struct {
	Number int // from 1
	Host   simnet.Host
	Group  *cgroup.Group // of the daemon and its children
	Dir    string        // of its state, logs and disks
	Disks  []Disk

	machines *Machines
	dark     bool // its disks have no power

	mu     sync.Mutex
	daemon *exec.Cmd
	ended  chan struct{} // closed when the daemon is gone
	err    error
}

// Start starts the daemon and waits until it answers.
func (p *Peer) Start(ctx context.Context) error {
	c := p.machines.config
	if err := c.Daemon.Prepare(p); err != nil {
		return err
	}
	o := p.object()
	if err := c.Env.Journal.Making(o); err != nil {
		return err
	}
	args := c.Daemon.Command(p)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), c.Env.Journal.Marker(o.Name))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := p.Group.StartAfter(cmd, p.enter); err != nil {
		return fmt.Errorf("start %s: %w", c.Daemon.Name, err)
	}
	p.watch(cmd, &out)
	o.PID, o.StartTime = cmd.Process.Pid, journal.StartTime(cmd.Process.Pid)
	if err := c.Env.Journal.Made(o); err != nil {
		return err
	}
	return Poll(ctx, time.Minute, c.Daemon.Name+" to answer", func() (bool, error) {
		return c.Daemon.Answers(p), p.Dead()
	})
}

// enter gives the daemon's thread its network and its mount table, in which
// disks of other peers and other runs are not, and do not appear later.
func (p *Peer) enter() error {
	network, err := netns.GetFromName(p.Host.Netns)
	if err != nil {
		return err
	}
	defer network.Close()
	if err := errors.Join(netns.Set(network), namespace.OwnMounts()); err != nil {
		return err
	}
	journal.LetGo(p.Dir)
	return unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, "")
}

func (p *Peer) object() journal.Object {
	return journal.Object{Kind: journal.Process, Name: p.machines.config.Pool + "-peer" + p.Host.Name}
}

func (p *Peer) watch(cmd *exec.Cmd, out *bytes.Buffer) {
	ended := make(chan struct{})
	p.mu.Lock()
	p.daemon, p.ended, p.err = cmd, ended, nil
	p.mu.Unlock()
	daemon := p.machines.config.Daemon
	go func() {
		err := cmd.Wait()
		p.mu.Lock()
		p.err = fmt.Errorf("%s ended (%v): %s%s", daemon.Name, err, strings.TrimSpace(out.String()), Tail(filepath.Join(p.Dir, daemon.Log))) //nolint:errorlint // it may have ended without one
		p.mu.Unlock()
		close(ended)
	}()
}

// Dead returns the reason when the daemon has ended or was never started.
func (p *Peer) Dead() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.daemon == nil {
		return errors.New(p.machines.config.Daemon.Name + " is not running")
	}
	return p.err
}

// Command is a program inside the peer's network and mount table.
func (p *Peer) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "nsenter", append([]string{"--target", fmt.Sprint(p.PID()), "--mount", "--net", "--"}, args...)...)
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// PID is the daemon's, which is in the peer's namespaces.
func (p *Peer) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.daemon.Process.Pid
}

// Kill ends the daemon and its children at once, as a crash would. Their data in the page
// cache is still written to the disks.
func (p *Peer) Kill(ctx context.Context) error {
	if err := p.Group.Kill(ctx); err != nil {
		return err
	}
	for _, f := range journal.Processes(p.machines.config.Env.RunID) {
		if f.Object == p.object().Name {
			_ = syscall.Kill(f.PID, syscall.SIGKILL) // gone already is as good
		}
	}
	p.mu.Lock()
	ended := p.ended
	p.mu.Unlock()
	if ended != nil {
		<-ended
	}
	return nil
}

// end kills what runs on the peer, for good.
func (p *Peer) end(ctx context.Context) error {
	return errors.Join(p.Kill(ctx), p.machines.config.Env.Journal.Removed(p.object()))
}
