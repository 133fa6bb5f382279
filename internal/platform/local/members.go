package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"plimsoll/internal/host/journal"
)

// family lists a process and its descendants.
func family(root int) []int {
	all, err := procfs.AllProcs()
	if err != nil {
		return []int{root}
	}
	children := map[int][]int{}
	for _, p := range all {
		if stat, err := p.Stat(); err == nil {
			children[stat.PPID] = append(children[stat.PPID], p.PID)
		}
	}
	members := []int{root}
	for i := 0; i < len(members); i++ {
		members = append(members, children[members[i]]...)
	}
	return members
}

// killMembers kills all processes of the server. It first stops the first process, so that
// no new ones appear: some servers start processes in sessions of their own, so no signal
// to one session reaches them all.
func (p *process) killMembers() {
	_ = p.cmd.Process.Signal(unix.SIGSTOP)
	members := p.PIDs()
	p.remember(members)
	p.memory.Note(members...)
	for _, pid := range members {
		if pid != p.cmd.Process.Pid {
			_ = unix.Kill(pid, unix.SIGKILL) // gone already is as good
		}
	}
	_ = p.cmd.Process.Kill()
}

// endRest kills the processes that outlive the server's first one, and
// removes the shared memory that they leave.
func (p *process) endRest() error {
	ctx, cancel := context.WithTimeout(context.Background(), killLimit)
	defer cancel()
	if p.group.Exists() {
		p.memory.Note(p.group.PIDs()...)
		return errors.Join(p.group.Kill(ctx), p.memory.Remove())
	}
	return errors.Join(p.endStrays(ctx), p.memory.Remove())
}

// endStrays kills the remaining processes of a server without a control group, and waits
// until they have ended.
func (p *process) endStrays(ctx context.Context) error {
	for {
		strays := p.strays()
		p.memory.Note(strays...)
		for _, pid := range strays {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		p.remember(strays)
		left := append(strays, p.dying()...)
		if len(left) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("processes %v of %s did not end: %w", left, p.name, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// dying are the processes that were killed and that run on for a moment, as on a busy
// machine. Strays do not include those that forgot whose they are.
func (p *process) dying() (pids []int) {
	for _, pid := range p.makers() {
		other, err := procfs.NewProc(pid)
		if err != nil {
			continue
		}
		if stat, err := other.Stat(); err == nil && stat.State != "Z" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// strays carry the server's marker, or are of its session, or run its program in its
// directory: some servers overwrite their environment, and a process that is about to end
// has neither an environment nor a program any more.
func (p *process) strays() []int {
	var pids []int
	for _, f := range journal.Processes(p.local.env.RunID) {
		if f.Object == p.name {
			pids = append(pids, f.PID)
		}
	}
	all, err := procfs.AllProcs()
	if err != nil {
		return pids
	}
	for _, other := range all {
		if (p.inSession(other) || p.worksHere(other.PID)) && !slices.Contains(pids, other.PID) {
			pids = append(pids, other.PID)
		}
	}
	return pids
}

// inSession reports whether another process runs in the session that the
// server's first process led (setsid(2)); no session has that number anew
// while one is left.
func (p *process) inSession(other procfs.Proc) bool {
	stat, err := other.Stat()
	return err == nil && stat.Session == p.cmd.Process.Pid && stat.State != "Z"
}

func (p *process) worksHere(pid int) bool {
	cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil || !strings.HasPrefix(cwd+"/", p.home()+"/") {
		return false
	}
	program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return false
	}
	own, err := filepath.EvalSymlinks(p.cmd.Path)
	return err == nil && program == own && pid != os.Getpid()
}
