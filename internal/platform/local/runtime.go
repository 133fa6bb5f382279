package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/storage"
	"plimsoll/internal/text/words"
)

// socketPathLimit is what fits into a unix socket's address (unix(7)): 108
// bytes with the final zero.
const socketPathLimit = 107

// makeRuntime makes the directory above the servers' private directories, at a short path.
func makeRuntime(env Env) (string, error) {
	dir := filepath.Join(runtimeBase(), journal.Name(env.RunID))
	o := journal.Object{Kind: journal.Directory, Path: dir}
	if err := env.Journal.Making(o); err != nil {
		return "", err
	}
	if err := layOut(dir); err != nil {
		return "", errors.Join(fmt.Errorf("make the directory for sockets: %w", err), env.Journal.Removed(o))
	}
	return dir, nil
}

// layOut makes the directory anew: a run that goes on after a crash finds its
// old one. It refuses one that another user laid out in a place where all may
// write. Other users may pass through to their own directory in it but not
// look around.
func layOut(dir string) error {
	var s unix.Stat_t
	err := unix.Lstat(dir, &s)
	if err == nil && (s.Mode&unix.S_IFMT != unix.S_IFDIR || int(s.Uid) != os.Geteuid()) {
		return fmt.Errorf("%s exists and is not a directory of this user", dir)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return safefile.Make(dir, 0o711)
}

// runtimeBase is the user's own runtime directory, or else the first that can be
// written to of where temporary files go: root's own is closed to the user that servers
// run as. Servers' configurations name it, each in its own form, so it is a plain path.
func runtimeBase() string {
	candidates := []string{"/tmp", os.Getenv("TMPDIR"), "/var/tmp", "/dev/shm"}
	if os.Geteuid() != 0 {
		candidates = slices.Insert(candidates, 0, os.Getenv("XDG_RUNTIME_DIR"))
	}
	for _, dir := range candidates {
		if real, err := filepath.EvalSymlinks(dir); err == nil && servesSockets(real) {
			return real
		}
	}
	return candidates[len(candidates)-1] // its use gives the error
}

// plainPath has no character that any configuration gives a meaning to.
var plainPath = regexp.MustCompile(`^/[A-Za-z0-9/._-]*$`)

// longestBase leaves room for a run's name, a server's number and a socket's name.
const longestBase = 36

// servesSockets reports whether servers' private directories can be made in
// a directory, and their users get there.
func servesSockets(dir string) bool {
	others := owner{uid: -1, gid: -1}
	return plainPath.MatchString(dir) && len(dir) <= longestBase && unix.Access(dir, unix.W_OK|unix.X_OK) == nil &&
		(os.Geteuid() != 0 || others.canReach(filepath.Join(dir, "server")) == nil)
}

func (l *Local) removeRuntime() error {
	if err := os.RemoveAll(l.runtime); err != nil {
		return fmt.Errorf("remove the directory for sockets: %w", err)
	}
	return l.env.Journal.Removed(journal.Object{Kind: journal.Directory, Path: l.runtime})
}

// furnish makes a server's private directory and writes its files.
func (l *Local) furnish(s app.Server, at app.Surroundings, who owner) error {
	if err := who.makePrivate(at.Runtime, s.Socket != ""); err != nil {
		return fmt.Errorf("make the private directory of %s: %w", s.Name, err)
	}
	for _, f := range s.Files {
		if err := write(f, at, who); err != nil {
			return fmt.Errorf("write %s of %s: %w", f.Path, s.Name, err)
		}
	}
	return nil
}

// makePrivate makes a server's private directory. Who has the server's group passes
// through to its socket but does not look around: the servers that use it.
func (o owner) makePrivate(dir string, withSocket bool) error {
	mode := fs.FileMode(0o700)
	if o.change && withSocket {
		mode = 0o710
	}
	uid, gid := o.ids()
	return safefile.MakeFor(dir, mode, uid, gid)
}

// doors are the groups that can reach the sockets of a server's peers: the groups of the
// private directories that contain the sockets.
func (l *Local) doors(peers []endpoint.Endpoint) (groups []uint32, err error) {
	for _, p := range peers {
		if p.Network != "unix" || !within(p.Address, l.runtime) {
			continue
		}
		place, _, _ := strings.Cut(strings.TrimPrefix(p.Address, l.runtime+"/"), "/")
		var s unix.Stat_t
		if err := unix.Stat(filepath.Join(l.runtime, place), &s); err != nil {
			return nil, fmt.Errorf("find the way to %s: %w", p.Role, err)
		}
		groups = append(groups, s.Gid)
	}
	return groups, nil
}

func write(f app.File, at app.Surroundings, who owner) error {
	path := filepath.Clean(at.Expand(f.Path))
	uid, _ := who.ids()
	gid := safefile.Keep
	if who.change { // those that use the server's socket have its group, too
		gid = os.Getegid()
	}
	for _, dir := range []string{at.Runtime, at.Volume} {
		if name, inside := strings.CutPrefix(path, dir+"/"); dir != "" && inside {
			return safefile.WriteIn(dir, name, []byte(at.Content(f)), fs.FileMode(f.Mode), uid, gid)
		}
	}
	return fmt.Errorf("%s is neither below ${RUNTIME} nor below ${VOLUME}", path)
}

func within(path, dir string) bool {
	return dir != "" && strings.HasPrefix(filepath.Clean(path), dir+"/")
}

// owner is the user that a server runs as; change reports whether this differs from this
// process's own user.
type owner struct {
	uid, gid int
	change   bool
}

// owner is the user of a server on a volume, or without one.
func (l *Local) owner(s app.Server, v storage.Volume) owner {
	name := s.Name
	if v.Path != "" {
		name = v.Name
	}
	uid, gid := l.User(name)
	return owner{uid, gid, s.Unprivileged && os.Geteuid() == 0}
}

// ids are the user and the group that its files are given to.
func (o owner) ids() (uid, gid int) {
	if !o.change {
		return safefile.Keep, safefile.Keep
	}
	return o.uid, o.gid
}

// accessible explains beforehand what a server could only report as
// "permission denied".
func (o owner) accessible(v storage.Volume, program string) error {
	if !o.change {
		return nil
	}
	if v.Path != "" {
		if err := o.owns(v); err != nil {
			return err
		}
	}
	return o.canReach(program)
}

// owns says why this user could not write to a volume.
func (o owner) owns(v storage.Volume) error {
	var s unix.Stat_t
	if err := unix.Stat(v.Path, &s); err != nil {
		return fmt.Errorf("look at volume %s: %w", v.Path, err)
	}
	if int(s.Uid) != o.uid {
		return fmt.Errorf("volume %s belongs to uid %d, but the server runs as uid %d: change its owner with chown", v.Path, s.Uid, o.uid)
	}
	return o.canReach(v.Path)
}

// canReach looks for a directory above path that this user may not enter.
func (o owner) canReach(path string) error {
	for dir := filepath.Dir(path); dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		var s unix.Stat_t
		if unix.Stat(dir, &s) != nil {
			continue
		}
		open := s.Mode&unix.S_IXOTH != 0 || int(s.Uid) == o.uid && s.Mode&unix.S_IXUSR != 0 ||
			int(s.Gid) == o.gid && s.Mode&unix.S_IXGRP != 0
		if !open {
			return fmt.Errorf("the server runs as uid %[2]d, which cannot reach %[1]s because %[3]s is not searchable: run `chmod o+x %[4]s`, or put it elsewhere", path, o.uid, dir, words.Shell(dir))
		}
	}
	return nil
}
