package gluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"plimsoll/internal/describe/event"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/peers"
)

// Do does an event of the declaration. Restarting a brick starts every brick that does not run,
// as gluster volume start force does.
func (p *Pool) Do(ctx context.Context, e event.Event, _ []storage.Volume) error {
	return p.do(ctx, e.Verb.Words(), e.Number, e.Argument)
}

// do does something to a part of the pool, with the argument of its verb, if it has one.
func (p *Pool) do(ctx context.Context, words string, n int, argument string) error {
	switch words {
	case "kill peer":
		return p.killPeer(ctx, n)
	case "restart peer":
		return p.restartPeer(ctx, n)
	case "stop brick":
		return p.stopBrick(ctx, n)
	case "restart brick":
		return p.restartBrick(ctx)
	case "lose tier":
		return p.loseTier(ctx, n)
	case "restore tier":
		return p.restoreTier(ctx, n)
	case "cut link":
		p.faults.Note("link", n)
		return p.machines.CutLink(n)
	case "restore link":
		p.faults.Repaired("link", n)
		return p.machines.RestoreLink(n)
	case "degrade link":
		p.faults.Note("link", n)
		return p.machines.DegradeLink(n, argument)
	}
	return fmt.Errorf("a Gluster pool cannot %s", words)
}

func (p *Pool) brick(n int) peers.Disk { return p.machines.Peer(p.p.peerOf(n)).Disks[p.p.diskOf(n)] }

func (p *Pool) killPeer(ctx context.Context, n int) error {
	p.faults.Note("peer", n)
	return p.machines.Peer(n).Kill(ctx)
}

// restartPeer starts the daemon, which starts its bricks.
func (p *Pool) restartPeer(ctx context.Context, n int) error {
	r := p.machines.Peer(n)
	if r.Dead() != nil {
		p.faults.Repaired("peer", n)
	}
	if err := r.Restart(ctx); err != nil {
		return err
	}
	return p.restartGateways(ctx, r)
}

// brickLimit is how long a brick may take to serve after its volume was
// started: glusterd answers before the brick has signed in.
const brickLimit = 20 * time.Second

// stopBrick ends the service of a brick, as soon as it serves.
func (p *Pool) stopBrick(ctx context.Context, n int) error {
	r, path := p.machines.Peer(p.p.peerOf(n)), p.brick(n).Path
	err := peers.Poll(ctx, brickLimit, fmt.Sprintf("a process to serve brick %d", n), func() (bool, error) {
		return p.stopServing(ctx, r, path) > 0, nil
	})
	if err != nil {
		return err
	}
	p.faults.Note("brick", n)
	return nil
}

// stopServing kills the processes of a brick and counts them; from processes
// that serve other bricks too it is taken away. A process whose last brick is
// taken away ends, sometimes before it has answered.
func (p *Pool) stopServing(ctx context.Context, r *peers.Peer, path string) (stopped int) {
	for _, s := range servers(r) {
		switch {
		case s.multiplexed:
			detached := p.detach(ctx, r, s, path)
			if detached == 0 && !serves(r, s.pid) {
				detached = 1
			}
			stopped += detached
		case strings.HasPrefix(s.brick, path+"/") && syscall.Kill(s.pid, syscall.SIGKILL) == nil:
			stopped++
		}
	}
	return stopped
}

// serves reports whether the process is there after a moment. One that has
// begun to end is gone by then.
func serves(r *peers.Peer, pid int) bool {
	for range 10 {
		if !slices.ContainsFunc(servers(r), func(s server) bool { return s.pid == pid }) {
			return false
		}
		time.Sleep(100 * time.Millisecond)
	}
	return true
}

// detach takes the volumes' parts of a brick from a process that serves others
// too, as Gluster's own gf_attach does it, and counts them. Clients lose the
// connection without a reason, as if the process had been killed.
func (p *Pool) detach(ctx context.Context, r *peers.Peer, s server, path string) (done int) {
	for _, volume := range p.sortedVolumes() {
		// Which of several processes serves it is not known; the others refuse.
		if r.Command(ctx, "gf_attach", "-d", s.socket, filepath.Join(path, volume)).Run() == nil {
			done++
		}
	}
	return done
}

// server is a process of a peer that serves bricks.
type server struct {
	pid           int
	brick, socket string // the first that it served, and where it takes commands
	multiplexed   bool
}

func servers(r *peers.Peer) (all []server) {
	for _, pid := range r.Group.PIDs() {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil {
			continue // it has ended
		}
		words := strings.Split(string(line), "\x00")
		if filepath.Base(words[0]) != "glusterfsd" {
			continue
		}
		all = append(all, server{
			pid: pid, brick: after(words, "--brick-name"), socket: after(words, "-S"),
			multiplexed: slices.Contains(words, "--brick-mux"),
		})
	}
	return all
}

// after is the word that follows a flag.
func after(words []string, flag string) string {
	if i := slices.Index(words, flag); i >= 0 && i+1 < len(words) {
		return words[i+1]
	}
	return ""
}

// restartBrick starts the bricks that do not run.
func (p *Pool) restartBrick(ctx context.Context) error {
	p.faults.RepairedAll("brick")
	return p.startBricks(ctx)
}

func (p *Pool) startBricks(ctx context.Context) error {
	for _, name := range p.sortedVolumes() {
		if _, err := p.gluster(ctx, "volume", "start", name, "force"); err != nil {
			return err
		}
	}
	return nil
}

// Healthy reports whether nothing is left to heal: every brick is there and no file waits
// for repair. If some do, it has the healing daemons look again, which they would otherwise
// do every ten minutes.
func (p *Pool) Healthy(ctx context.Context) (bool, error) {
	for _, r := range p.machines.Peers() {
		if r.Dead() != nil {
			return false, nil
		}
	}
	if p.geometry.SetSize() == 1 {
		return true, nil
	}
	for _, v := range p.all() {
		out, err := p.gluster(ctx, "volume", "heal", v.name, "info", "summary")
		if err != nil {
			return false, err
		}
		if !healed(out, p.geometry.Bricks()) {
			return false, v.prompt(ctx, pending(out))
		}
		v.rested()
	}
	return true, nil
}

// promptInterval is how often the healing daemons are asked to look again:
// a file that they found in use is not tried again before.
const promptInterval = 10 * time.Second

// inVain is after how many prompts without a file less to heal every directory is read.
const inVain = 2

// prompt starts the healing of a volume with so many entries to heal; while bricks are away it is refused. The daemons take up the files that their index names, each by its identifier. A brick that lost
// files which it had just made, and no copy says so of their directory, does not know these: they are found by
// name, in all directories.
func (v *volume) prompt(ctx context.Context, pending int) error {
	v.pool.mu.Lock()
	due := time.Since(v.prompted) >= promptInterval
	heal := []string{"volume", "heal", v.name}
	if due {
		if v.vain++; pending < v.pending {
			v.vain = 0
		}
		if v.vain > inVain {
			heal = append(heal, "full")
		}
		v.prompted, v.pending = time.Now(), pending
	}
	v.pool.mu.Unlock()
	if due {
		_, _ = v.pool.gluster(ctx, heal...) // the next summary tells
	}
	return ctx.Err()
}

// rested notes that nothing is left to heal.
func (v *volume) rested() {
	v.pool.mu.Lock()
	defer v.pool.mu.Unlock()
	v.pending, v.vain = 0, 0
}

// pending adds up the entries in a summary.
func pending(summary string) (entries int) {
	const label = "Total Number of entries:"
	for _, line := range strings.Split(summary, "\n") {
		if n, is := strings.CutPrefix(strings.TrimSpace(line), label); is {
			at, _ := strconv.Atoi(strings.TrimSpace(n))
			entries += at
		}
	}
	return entries
}

// healed reads the summary: each brick connected and nothing pending.
func healed(summary string, bricks int) bool {
	connected := strings.Count(summary, "Status: Connected")
	clean := strings.Count(summary, "Total Number of entries: 0")
	return connected == bricks && clean == bricks
}
