package gluster

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
	"plimsoll/internal/host/namespace"
	"plimsoll/internal/journal"
	"plimsoll/internal/simnet"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/directory"
	"plimsoll/internal/storage/disk"
)

// peer is one storage server: a glusterd with its own network, mount table and
// state, and its bricks.
type peer struct {
	pool   *Pool
	host   simnet.Host
	group  *cgroup.Group
	dir    string
	bricks []brick
	dark   bool // its disks have no power

	gateways sync.Mutex // one NFS server of the peer starts at a time
	mu       sync.Mutex
	daemon   *exec.Cmd
	ended    chan struct{} // closed when the daemon is gone
	err      error
}

// brick is a file system that volumes keep their parts on.
type brick struct {
	class storage.Class
	path  string
}

// makeBricks makes a file system for each brick, on a simulated disk or in a
// directory.
func (r *peer) makeBricks(ctx context.Context) error {
	for n := 1; n <= r.pool.p.Bricks; n++ {
		class, err := r.newBrick(n)
		if err != nil {
			return err
		}
		b := brick{class: class}
		r.bricks = append(r.bricks, b) // even half up, it has to come down
		if err := class.Up(ctx); err != nil {
			return fmt.Errorf("brick %d: %w", n, err)
		}
		v, err := class.Provision(ctx, storage.Claim{Name: "brick"})
		if err != nil {
			return fmt.Errorf("brick %d: %w", n, err)
		}
		r.bricks[len(r.bricks)-1].path = v.Path
	}
	return nil
}

func (r *peer) newBrick(n int) (storage.Class, error) {
	env := r.pool.env
	env.Scratch = filepath.Join(r.dir, fmt.Sprintf("b%d", n))
	env.Owner = nil // bricks belong to the daemons, which are root
	name := fmt.Sprintf("%s-peer%s-brick%d", r.pool.name, r.host.Name, n)
	if r.pool.p.Disk != nil {
		return disk.Kind{}.New(name, r.pool.p.Disk, env)
	}
	return directory.Kind{}.New(name, &directory.Parameters{Path: "disk"}, env)
}

// private gives the daemon its own state, log and run directories: $1 is the
// peer's directory, $2 how volumes are reached. Geo-replication looks as if it
// were not installed: glusterd starts it two dozen times, in Python, before it
// takes peers or starts bricks.
const private = `set -e
mount --bind "$1/lib" /var/lib/glusterd
mount --bind "$1/log" /var/log/glusterfs
for gsyncd in /usr/lib*/*/glusterfs/gsyncd /usr/lib*/glusterfs/gsyncd; do
	[ ! -e "$gsyncd" ] || mount --bind "$1/lib/absent" "$gsyncd"
done
mount -t tmpfs plimsoll /run
mkdir -p /run/gluster /run/lock
if [ "$2" = nfs ]; then
	mkdir -p /run/rpcbind /run/ganesha
	rpcbind
fi
exec glusterd --no-daemon --log-level=WARNING --log-file="$1/log/glusterd.log"`

// start starts the daemon and waits until it answers.
func (r *peer) start(ctx context.Context) error {
	if err := r.makeState(); err != nil {
		return err
	}
	o := r.object()
	if err := r.pool.env.Journal.Making(o); err != nil {
		return err
	}
	cmd := exec.Command("sh", "-c", private, "sh", r.dir, r.pool.p.Access)
	cmd.Env = append(os.Environ(), r.pool.env.Journal.Marker(o.Name))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := r.group.StartAfter(cmd, r.enter); err != nil {
		return fmt.Errorf("start glusterd: %w", err)
	}
	r.watch(cmd, &out)
	o.PID, o.StartTime = cmd.Process.Pid, journal.StartTime(cmd.Process.Pid)
	if err := r.pool.env.Journal.Made(o); err != nil {
		return err
	}
	return poll(ctx, time.Minute, "glusterd to answer", func() (bool, error) {
		_, err := os.Stat(fmt.Sprintf("/proc/%d/root/run/glusterd.socket", cmd.Process.Pid))
		return err == nil, r.dead()
	})
}

// enter gives the daemon's thread its network and its mount table, in which
// disks of other peers and other runs are not, and do not appear later.
func (r *peer) enter() error {
	network, err := netns.GetFromName(r.host.Netns)
	if err != nil {
		return err
	}
	defer network.Close()
	if err := errors.Join(netns.Set(network), namespace.OwnMounts()); err != nil {
		return err
	}
	journal.LetGo(r.dir)
	return unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, "")
}

func (r *peer) object() journal.Object {
	return journal.Object{Kind: journal.Process, Name: r.pool.name + "-peer" + r.host.Name}
}

// makeState makes the daemon's directories. The groups of options come with
// the package and are looked for in its state; its hooks, which tell Samba and
// CTDB of every change to a volume, have no business on this machine.
func (r *peer) makeState() error {
	for _, dir := range []string{"lib", "log"} {
		if err := os.MkdirAll(filepath.Join(r.dir, dir), 0o700); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(r.dir, "lib", "absent"), []byte(absent), 0o700); err != nil {
		return err
	}
	to := filepath.Join(r.dir, "lib", "groups")
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	if err := os.CopyFS(to, os.DirFS("/var/lib/glusterd/groups")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("copy the groups of options of glusterd: %w", err)
	}
	return nil
}

// absent is a program that the kernel says is not there (execve(2), ENOENT).
const absent = "#!/nonexistent/interpreter\n"

func (r *peer) watch(cmd *exec.Cmd, out *bytes.Buffer) {
	ended := make(chan struct{})
	r.mu.Lock()
	r.daemon, r.ended, r.err = cmd, ended, nil
	r.mu.Unlock()
	go func() {
		err := cmd.Wait()
		r.mu.Lock()
		r.err = fmt.Errorf("glusterd ended (%v): %s%s", err, strings.TrimSpace(out.String()), tail(filepath.Join(r.dir, "log", "glusterd.log")))
		r.mu.Unlock()
		close(ended)
	}()
}

// dead gives the reason when the daemon has ended.
func (r *peer) dead() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.daemon == nil {
		return errors.New("glusterd is not running")
	}
	return r.err
}

// command is a program inside the peer's network and mount table.
func (r *peer) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "nsenter", append([]string{"--target", fmt.Sprint(r.pid()), "--mount", "--net", "--"}, args...)...)
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// pid is the daemon's, which is in the peer's namespaces.
func (r *peer) pid() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.daemon.Process.Pid
}

// kill ends the daemon and its bricks at once, as a crash would: what the kernel
// has of their data is still written to the disks.
func (r *peer) kill(ctx context.Context) error {
	if err := r.group.Kill(ctx); err != nil {
		return err
	}
	for _, f := range journal.Processes(r.pool.env.RunID) {
		if f.Object == r.object().Name {
			_ = syscall.Kill(f.PID, syscall.SIGKILL) // gone already is as good
		}
	}
	r.mu.Lock()
	ended := r.ended
	r.mu.Unlock()
	if ended != nil {
		<-ended
	}
	return nil
}

// end kills what runs on the peer, for good.
func (r *peer) end(ctx context.Context) error {
	return errors.Join(r.kill(ctx), r.pool.env.Journal.Removed(r.object()))
}

func (r *peer) removeBricks(ctx context.Context) error {
	var errs []error
	for _, b := range r.bricks {
		errs = append(errs, b.class.Down(ctx))
	}
	r.bricks = nil
	return errors.Join(append(errs, r.group.Remove(ctx))...)
}
