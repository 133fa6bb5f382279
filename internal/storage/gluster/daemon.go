package gluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"plimsoll/internal/host/safefile"
	"plimsoll/internal/storage/peers"
)

// daemon is the glusterd of a peer, and with access by NFS its rpcbind.
func (p *Parameters) daemon() peers.Daemon {
	return peers.Daemon{
		Name:    "glusterd",
		Prepare: makeState,
		Command: func(r *peers.Peer) []string { return []string{"sh", "-c", private, "sh", r.Dir, p.Access} },
		Answers: func(r *peers.Peer) bool {
			_, err := os.Stat(fmt.Sprintf("/proc/%d/root/run/glusterd.socket", r.PID()))
			return err == nil
		},
		Log: filepath.Join("log", "glusterd.log"),
	}
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

// makeState makes the daemon's directories. The groups of options come with
// the package and are looked for in its state; its hooks, which tell Samba and
// CTDB of every change to a volume, have no business on this machine.
func makeState(r *peers.Peer) error {
	for _, dir := range []string{"lib", "log"} {
		if err := safefile.Ensure(filepath.Join(r.Dir, dir), 0o700); err != nil {
			return err
		}
	}
	if err := safefile.Write(filepath.Join(r.Dir, "lib", "absent"), []byte(absent), 0o700); err != nil {
		return err
	}
	to := filepath.Join(r.Dir, "lib", "groups")
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
