package gluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/cgroup"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/storage/peers"
)

// volume is one Gluster volume with its mount, an instance's own.
type volume struct {
	pool   *Pool
	name   string
	path   string // mount point
	serial int    // among all volumes that the pool ever had
	client *exec.Cmd
	ended  chan struct{}

	prompted time.Time // when its healing was last asked for
	pending  int       // entries that were left to heal then
	vain     int       // how often it was asked for while they became no fewer

	gateway *gateway      // nil with the native client
	share   *cgroup.Group // of its client and instance on the peer, when coupled
}

// gluster runs a command of the management tool on the first peer that lives.
func (p *Pool) gluster(ctx context.Context, args ...string) (string, error) {
	for _, r := range p.machines.Peers() {
		if r.Dead() == nil {
			return p.glusterOn(ctx, r, args...)
		}
	}
	return "", errors.New("no peer of the pool is running")
}

// glusterOn runs a command of the management tool on a peer, one at a time in
// the whole pool because its own lock refuses a second.
func (p *Pool) glusterOn(ctx context.Context, r *peers.Peer, args ...string) (string, error) {
	p.command.Lock()
	defer p.command.Unlock()
	out, err := r.Command(ctx, append([]string{"gluster", "--mode=script"}, args...)...).CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		return text, fmt.Errorf("gluster %s: %s (%w)", strings.Join(args[:min(2, len(args))], " "), text, err)
	}
	return text, nil
}

// make creates and starts the volume and sets its options.
func (v *volume) make(ctx context.Context) error {
	create := append([]string{"volume", "create", v.name}, v.pool.geometry.arguments()...)
	create = append(append(create, v.bricks()...), "force")
	if _, err := v.pool.gluster(ctx, create...); err != nil {
		return err
	}
	if settings := v.pool.p.settings(false); len(settings) > 0 {
		if _, err := v.pool.gluster(ctx, append([]string{"volume", "set", v.name}, settings...)...); err != nil {
			return err
		}
	}
	if _, err := v.pool.gluster(ctx, "volume", "start", v.name); err != nil {
		return err
	}
	return v.online(ctx)
}

// bricks lists the volume's part of each brick.
func (v *volume) bricks() (all []string) {
	for i := range v.pool.geometry.Bricks() {
		n := i + 1
		host := v.pool.machines.Peer(v.pool.p.peerOf(n)).Host
		all = append(all, host.Address+":"+filepath.Join(v.pool.brick(n).Path, v.name))
	}
	return all
}

// online waits until every brick serves.
func (v *volume) online(ctx context.Context) error {
	return peers.Poll(ctx, 2*time.Minute, "the bricks of volume "+v.name, func() (bool, error) {
		return v.isOnline(ctx), nil
	})
}

func (v *volume) isOnline(ctx context.Context) bool {
	out, err := v.pool.gluster(ctx, "volume", "status", v.name, "detail")
	return err == nil && strings.Count(out, "Online               : Y") == v.pool.geometry.Bricks()
}

// mount starts the client on the client host and waits until the mount
// answers.
func (v *volume) mount(ctx context.Context) error {
	if err := safefile.Make(v.path, 0o711); err != nil {
		return err
	}
	mount := journal.Object{Kind: journal.Mount, Path: v.path}
	process := journal.Object{Kind: journal.Process, Name: v.object()}
	if err := errors.Join(v.pool.env.Journal.Making(process), v.pool.env.Journal.Making(mount)); err != nil {
		return err
	}
	if err := v.startClient(ctx); err != nil {
		return fmt.Errorf("start the client: %w", err)
	}
	return errors.Join(v.mounted(ctx), v.pool.env.Journal.Made(mount))
}

func (v *volume) startClient(ctx context.Context) error {
	cmd, err := v.command(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	log, err := safefile.Append(v.log(), 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // the process has its own
	cmd.Env = append(os.Environ(), v.pool.env.Journal.Marker(v.object()))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stdout, cmd.Stderr = log, log
	if err := v.launch(cmd); err != nil {
		return err
	}
	v.client, v.ended = cmd, make(chan struct{})
	go func() {
		_ = cmd.Wait() // its end shows in the mount
		close(v.ended)
	}()
	return nil
}

// command is the client that the pool's access asks for.
func (v *volume) command(ctx context.Context) (*exec.Cmd, error) {
	if v.pool.p.Access == accessNFS {
		v.gateway = v.newGateway()
		if err := v.gateway.start(ctx); err != nil {
			return nil, err
		}
		return v.nfsClient(ctx)
	}
	args := []string{"glusterfs", "--no-daemon", "--log-level=WARNING", "--volfile-id=" + v.name, "--log-file=" + v.log()}
	for _, peer := range v.pool.machines.Peers() {
		args = append(args, "--volfile-server="+peer.Host.Address)
	}
	args = append(append(args, v.pool.p.clientOptions()...), v.path)
	return v.host().Command(ctx, args...), nil
}

func (v *volume) log() string { return filepath.Join(v.pool.env.Scratch, "log", v.name+".log") }

func (v *volume) object() string { return v.pool.name + "-client-" + v.name }

func (v *volume) mounted(ctx context.Context) error {
	return peers.Poll(ctx, time.Minute, "the mount of volume "+v.name, func() (bool, error) {
		select {
		case <-v.ended:
			return false, fmt.Errorf("the client ended: %s", peers.Tail(v.log()))
		default:
		}
		var st unix.Statfs_t
		if !slices.Contains(journal.MountPoints(v.path), v.path) || unix.Statfs(v.path, &st) != nil {
			return false, nil
		}
		_, err := os.ReadDir(v.path)
		return err == nil, nil
	})
}

// unmount takes the mount away, also a stale one, and ends the client.
func (v *volume) unmount(ctx context.Context) error {
	state := journal.State{RunID: v.pool.env.RunID, Objects: []journal.Object{{Kind: journal.Mount, Path: v.path}}}
	if err := v.pool.env.Journal.Swept(journal.Sweep(ctx, state)); err != nil {
		return err
	}
	if v.client != nil && v.client.Process != nil {
		select {
		case <-v.ended:
		case <-time.After(10 * time.Second):
			_ = v.client.Process.Kill()
			<-v.ended
		}
	}
	if v.share != nil {
		if err := v.share.Remove(ctx); err != nil {
			return err
		}
		v.share = nil
	}
	if v.gateway != nil {
		if err := v.gateway.stop(ctx); err != nil {
			return err
		}
		v.gateway = nil
	}
	return errors.Join(
		v.pool.env.Journal.Removed(journal.Object{Kind: journal.Process, Name: v.object()}),
		os.RemoveAll(v.path))
}

// remove stops and deletes the volume, and cleans up the bricks.
func (v *volume) remove(ctx context.Context) error {
	if err := v.unmount(ctx); err != nil {
		return err
	}
	_, stopErr := v.pool.gluster(ctx, "volume", "stop", v.name, "force")
	text, err := v.pool.gluster(ctx, "volume", "delete", v.name)
	if err != nil && !strings.Contains(text, "does not exist") {
		return errors.Join(stopErr, err)
	}
	for _, b := range v.bricks() {
		_, path, _ := strings.Cut(b, ":")
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("remove the brick's part of volume %s: %w", v.name, err)
		}
	}
	return nil
}
