package local

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"plimsoll/internal/host/flock"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/namespace"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/host/thread"
)

// user is who a server runs as, and whom its volume belongs to.
type user struct{ uid, gid int }

// identities are the users of a run's servers. Whoever breaks into a server is not the user of
// another one, and so neither reads its files nor signals its processes.
type identities struct {
	log    *slog.Logger
	claims []io.Closer // one for each block of users of our own

	mu  sync.Mutex
	all []user          // in the order in which they are given out
	of  map[string]user // by the name of the server's volume or its own
}

// The users that systemd hands out to services for the time of their run
// (https://systemd.io/UIDS-GIDS/).
const (
	firstDynamic = 61184
	lastDynamic  = 65519
)

const (
	// blockSize is how many users a run claims at once.
	blockSize = 64
	// mostUsers is how many a run has in all. Names that come after so many others get
	// the first ones again: servers of earlier trials are gone, and where more run at
	// once, those that share a user are of instances far from each other.
	mostUsers = 512
)

// overflow is the kernel's own identifier for users without one, "nobody".
const overflow = 65534

// claimUsers gives all servers this process's own user, and root dynamic ones, which nobody
// else on the machine has until they are released. Where root may not give servers
// a mount table, as in a container without that capability, they could not be
// shown a name for a dynamic user, and all run as nobody.
func claimUsers(log *slog.Logger) (*identities, error) {
	u := &identities{log: log, of: map[string]user{}}
	switch {
	case os.Geteuid() != 0:
		u.all = []user{{os.Geteuid(), os.Getegid()}}
	case thread.Spare(namespace.OwnMounts) != nil:
		u.all = []user{{overflow, overflow}}
	default:
		return u, u.claimMore()
	}
	return u, nil
}

// dynamic reports whether the users are of our own and have no account.
func (u *identities) dynamic() bool { return len(u.claims) > 0 }

// user gives a name the user that it keeps until the end of the run.
func (u *identities) user(name string) user {
	u.mu.Lock()
	defer u.mu.Unlock()
	if have, ok := u.of[name]; ok {
		return have
	}
	n := len(u.of)
	if u.dynamic() && n >= len(u.all) && len(u.all) < mostUsers {
		if err := u.claimMore(); err != nil {
			u.log.Warn("servers share users from here on", "users", len(u.all), "error", err)
		}
	}
	u.of[name] = u.all[n%len(u.all)]
	return u.of[name]
}

// has reports whether a user is one of the run's.
func (u *identities) has(uid int) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.ContainsFunc(u.all, func(one user) bool { return one.uid == uid })
}

// claimMore claims another block of users. The caller holds mu, or is the only one.
func (u *identities) claimMore() error {
	const blocks = (lastDynamic - firstDynamic + 1) / blockSize
	begin := rand.IntN(blocks)
	for n := range blocks {
		first := firstDynamic + (begin+n)%blocks*blockSize
		claim, err := claimBlock(first)
		if errors.Is(err, flock.ErrTaken) {
			continue
		}
		if err != nil {
			return fmt.Errorf("reserve users for the servers: %w", err)
		}
		free, err := unused(first)
		if err == nil && len(free) > 0 {
			u.claims, u.all = append(u.claims, claim), append(u.all, free...)
			return nil
		}
		if err = errors.Join(err, claim.Close()); err != nil {
			return fmt.Errorf("find users for the servers: %w", err)
		}
	}
	return fmt.Errorf("all users from %d to %d, which servers run as, are in use", firstDynamic, lastDynamic)
}

// claimBlock takes the users from first on from other runs, by a lock that only root can take:
// the kernel gives it back whatever becomes of this process.
func claimBlock(first int) (io.Closer, error) {
	return journal.Reserve(fmt.Sprintf("users-%d", first))
}

// unused are the identifiers of a block that no account, no service of systemd and no
// process uses; a process may be left from a crashed run.
func unused(first int) (free []user, err error) {
	taken := map[int]bool{}
	for _, database := range []string{"passwd", "group"} {
		for _, id := range named(database, first) {
			taken[id] = true
		}
	}
	processes, err := procfs.AllProcs()
	if err != nil {
		return nil, err
	}
	for _, p := range processes {
		status, err := p.NewStatus()
		if err != nil {
			continue // it has ended
		}
		for _, id := range append(status.UIDs[:], status.GIDs[:]...) {
			taken[int(id)] = true
		}
	}
	for id := first; id < first+blockSize; id++ {
		_, err := os.Lstat(filepath.Join("/run/systemd/dynamic-uid", strconv.Itoa(id)))
		if err != nil && !taken[id] {
			free = append(free, user{id, id})
		}
	}
	return free, nil
}

// named asks the system's databases, which are more than /etc/passwd and
// /etc/group, for the accounts of a block. A machine without getent has no more than
// those, and in them nobody takes identifiers of this range.
func named(database string, first int) (ids []int) {
	query := []string{database}
	for id := first; id < first+blockSize; id++ {
		query = append(query, strconv.Itoa(id))
	}
	found, _ := exec.Command("getent", query...).Output() // its exit status only reports that not all were found
	for line := range strings.Lines(string(found)) {
		if fields := strings.Split(line, ":"); len(fields) > 2 { // passwd(5), group(5)
			if id, err := strconv.Atoi(fields[2]); err == nil {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// release gives the users back.
func (u *identities) release() error {
	var errs []error
	for _, claim := range u.claims {
		errs = append(errs, claim.Close())
	}
	return errors.Join(errs...)
}

// entry is the server's line of /etc/passwd (passwd(5)).
func (o owner) entry() string {
	return fmt.Sprintf("plimsoll:x:%d:%d:Plimsoll:/:/usr/sbin/nologin\n", o.uid, o.gid)
}

// showName writes a list of accounts in which the server's user has a name. It gives
// the function that mounts the list over the machine's own, in the mount table of a
// thread.
func (o owner) showName(path string) (onThread func() error, err error) {
	const accounts = "/etc/passwd"
	have, err := os.ReadFile(accounts)
	if err != nil {
		return nil, err
	}
	if err := safefile.Write(path, append([]byte(o.entry()), have...), 0o644); err != nil {
		return nil, err
	}
	return func() error {
		if err := unix.Mount(path, accounts, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("add a passwd entry for user %d: %w", o.uid, err)
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
