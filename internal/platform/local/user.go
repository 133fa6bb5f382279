package local

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"plimsoll/internal/namespace"
	"plimsoll/internal/thread"
)

// user is who servers run as, and whom volumes belong to.
type user struct {
	uid, gid int
	claim    net.Listener // of a user of our own; nil for others
}

// The users that systemd hands out to services for the time of their run
// (https://systemd.io/UIDS-GIDS/).
const (
	firstDynamic = 61184
	lastDynamic  = 65519
)

// overflow is the kernel's own identifier for users without one, "nobody".
const overflow = 65534

// claimUser gives this process's own user, and root a dynamic one, which nobody
// else on the machine has until it is released. Where root may not give servers
// a mount table, as in a container without that capability, they could not be
// shown a name for a dynamic user, and run as nobody.
func claimUser() (user, error) {
	if os.Geteuid() != 0 {
		return user{uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	if thread.Spare(namespace.OwnMounts) != nil {
		return user{uid: overflow, gid: overflow}, nil
	}
	const count = lastDynamic - firstDynamic + 1
	first := rand.IntN(count)
	for n := range count {
		id := firstDynamic + (first+n)%count
		claim, err := claimID(id)
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		if err != nil {
			return user{}, fmt.Errorf("reserve a user for the servers: %w", err)
		}
		taken, err := taken(id)
		if err == nil && !taken {
			return user{uid: id, gid: id, claim: claim}, nil
		}
		if err = errors.Join(err, claim.Close()); err != nil {
			return user{}, fmt.Errorf("find a user for the servers: %w", err)
		}
	}
	return user{}, fmt.Errorf("all users from %d to %d, which servers run as, are in use", firstDynamic, lastDynamic)
}

// claimID takes an identifier from other runs by a socket without a file (unix(7),
// abstract): the kernel gives it back whatever becomes of this process.
func claimID(id int) (net.Listener, error) {
	return net.Listen("unix", fmt.Sprintf("@plimsoll/user/%d", id))
}

// taken says whether an account, a service of systemd, or a process, such as
// what a crashed run left, has the identifier.
func taken(id int) (bool, error) {
	if named("passwd", id) || named("group", id) {
		return true, nil
	}
	if _, err := os.Lstat(filepath.Join("/run/systemd/dynamic-uid", strconv.Itoa(id))); err == nil {
		return true, nil
	}
	processes, err := procfs.AllProcs()
	if err != nil {
		return false, err
	}
	for _, p := range processes {
		status, err := p.NewStatus()
		if err != nil {
			continue // it has ended
		}
		if slices.Contains(status.UIDs[:], uint64(id)) || slices.Contains(status.GIDs[:], uint64(id)) {
			return true, nil
		}
	}
	return false, nil
}

// named asks the system's databases, which are more than /etc/passwd and
// /etc/group. A machine without getent has no more than those, and in them
// nobody takes identifiers of this range.
func named(database string, id int) bool {
	return exec.Command("getent", database, strconv.Itoa(id)).Run() == nil
}

// release gives the user back.
func (u user) release() error {
	if u.claim == nil {
		return nil
	}
	return u.claim.Close()
}

// entry is the user's line of /etc/passwd (passwd(5)).
func (u user) entry() string {
	return fmt.Sprintf("plimsoll:x:%d:%d:Plimsoll:/:/usr/sbin/nologin\n", u.uid, u.gid)
}

// showName writes a list of accounts in which the user has a name, and gives
// what puts it over the machine's own in the mount table of a thread.
func (u user) showName(path string) (onThread func() error, err error) {
	const accounts = "/etc/passwd"
	have, err := os.ReadFile(accounts)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, append([]byte(u.entry()), have...), 0o644); err != nil {
		return nil, err
	}
	return func() error {
		if err := unix.Mount(path, accounts, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("add a passwd entry for user %d: %w", u.uid, err)
		}
		return nil
	}, nil
}

// canSeparateIPC tries whether a process may be given an IPC namespace.
func canSeparateIPC() bool {
	if os.Geteuid() != 0 {
		return false
	}
	cmd := exec.Command("true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWIPC}
	return cmd.Run() == nil
}
