package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/mounts"
	"plimsoll/internal/namespace"
)

// Removal is what Sweep did about one object. Err is nil when it is gone.
type Removal struct {
	Object Object
	Found  bool // it was still there
	Err    error
}

// Sweep removes what the state says is still there, last made first, and
// reports each. It is idempotent. An object that does not carry the run's name
// (see Name) is refused: it cannot be ours, whatever the journal says.
func Sweep(ctx context.Context, s State) []Removal {
	var done []Removal
	for i := len(s.Objects) - 1; i >= 0; {
		if s.Objects[i].Kind != Process {
			done = append(done, s.remove(ctx, s.Objects[i]))
			i--
			continue
		}
		// Neighbouring processes are ended together: one look at /proc serves all.
		first := i
		for first > 0 && s.Objects[first-1].Kind == Process {
			first--
		}
		done = append(done, endProcesses(ctx, s.RunID, s.Objects[first:i+1])...)
		i = first - 1
	}
	return done
}

func (s State) remove(ctx context.Context, o Object) Removal {
	if o.InCluster() {
		return Removal{Object: o, Found: true, Err: fmt.Errorf("%s: the run's plan, which says how to reach it, cannot be read; remove it with kubectl: what carries the label plimsoll.io/run=%s", o, s.RunID)}
	}
	if !s.owns(o) {
		return Removal{Object: o, Err: fmt.Errorf("%s does not carry the name of run %q: not removed", o, s.RunID)}
	}
	remove := map[Kind]func(context.Context, Object) (bool, error){
		Mount: unmount, Loop: detachLoop, Cgroup: removeCgroup, Netns: removeNetns, Directory: s.removeDirectory,
	}[o.Kind]
	if remove == nil {
		return Removal{Object: o, Err: fmt.Errorf("%s: this version does not know how to remove it", o)}
	}
	found, err := remove(ctx, o)
	return Removal{Object: o, Found: found, Err: err}
}

func (s State) owns(o Object) bool {
	if o.Kind == Netns {
		return owns(s.RunID, o.Name) && !strings.ContainsRune(o.Name, '/')
	}
	_, _, ours := ownedPart(s.RunID, o.Path)
	return ours
}

// unmount takes every mount at the path away, lazily when it stays busy.
func unmount(ctx context.Context, o Object) (bool, error) {
	found := false
	for attempt := 0; slices.Contains(MountPoints(o.Path), o.Path); attempt++ {
		found = true
		flags := 0
		if attempt >= 20 {
			flags = unix.MNT_DETACH
		}
		err := unix.Unmount(o.Path, flags)
		if err == nil || errors.Is(err, unix.EINVAL) {
			continue
		}
		if attempt >= 25 || ctx.Err() != nil {
			return true, fmt.Errorf("unmount %s: %w; run: umount -l %s", o.Path, err, o.Path)
		}
		time.Sleep(100 * time.Millisecond)
	}
	return found, nil
}

// MountPoints lists the mount points at or below a directory, deepest last.
func MountPoints(below string) []string {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	var points []string
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		at := mounts.Unescape(fields[4])
		if at == below || strings.HasPrefix(at, strings.TrimSuffix(below, "/")+"/") {
			points = append(points, at)
		}
	}
	slices.Sort(points)
	return points
}

// LetGo drops what runs have mounted from a mount table of the calling thread's
// own, which would hold it after it was unmounted; but nothing at, above or
// below the directory that is kept.
func LetGo(kept string) {
	for _, point := range MountPoints("/") {
		if strings.Contains(point, "/"+namePrefix) && !within(point, kept) && !within(kept, point) {
			_ = unix.Unmount(point, unix.MNT_DETACH) // or it went with what it lay on
		}
	}
}

// within says that a path is the directory or lies below it.
func within(path, directory string) bool {
	return path == directory || strings.HasPrefix(path, directory+"/")
}

// LoopDevices maps each attached loop device (/dev/loop3) to its backing file.
func LoopDevices() map[string]string {
	attached := map[string]string{}
	files, _ := filepath.Glob("/sys/block/loop*/loop/backing_file")
	for _, f := range files {
		backing, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		name := filepath.Base(filepath.Dir(filepath.Dir(f)))
		attached["/dev/"+name] = strings.TrimSuffix(strings.TrimSuffix(string(backing), "\n"), " (deleted)")
	}
	return attached
}

func detachLoop(ctx context.Context, o Object) (bool, error) {
	found := false
	for device, backing := range LoopDevices() {
		if backing != o.Path {
			continue
		}
		found = true
		if err := clearLoop(device); err != nil {
			return true, fmt.Errorf("detach %s: %w; run: losetup -d %s", device, err, device)
		}
	}
	return found, waitUntil(ctx, kernelLimit, "loop device of "+o.Path+" to go", func() bool {
		for _, backing := range LoopDevices() {
			if backing == o.Path {
				return false
			}
		}
		return true
	})
}

func clearLoop(device string) error {
	f, err := os.OpenFile(device, os.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	err = unix.IoctlSetInt(int(f.Fd()), unix.LOOP_CLR_FD, 0)
	if errors.Is(err, unix.ENXIO) {
		return nil // already detached
	}
	return err
}

// removeCgroup ends what is in the group and removes it, deepest first.
func removeCgroup(ctx context.Context, o Object) (bool, error) {
	groups := subdirectories(o.Path)
	if len(groups) == 0 {
		return false, nil
	}
	if !isCgroup(o.Path) {
		return true, fmt.Errorf("%s is not a cgroup", o.Path)
	}
	for _, g := range slices.Backward(groups) {
		if err := endCgroup(ctx, g); err != nil {
			return true, err
		}
		if err := os.Remove(g); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return true, fmt.Errorf("remove the cgroup: %w", err)
		}
	}
	return true, nil
}

// isCgroup keeps a directory that only looks like a control group from having
// the processes ended that it names.
func isCgroup(path string) bool {
	var st unix.Statfs_t
	return unix.Statfs(path, &st) == nil && (st.Type == unix.CGROUP_SUPER_MAGIC || st.Type == unix.CGROUP2_SUPER_MAGIC)
}

func endCgroup(ctx context.Context, group string) error {
	return waitUntil(ctx, kernelLimit, "cgroup "+group+" to empty", func() bool {
		data, err := os.ReadFile(filepath.Join(group, "cgroup.procs"))
		if err != nil {
			return true
		}
		pids := strings.Fields(string(data))
		for _, pid := range pids {
			kill(atoi(pid))
		}
		return len(pids) == 0
	})
}

func subdirectories(root string) []string {
	var all []string
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			all = append(all, path)
		}
		return nil
	})
	return all
}

func removeNetns(_ context.Context, o Object) (bool, error) { return namespace.Remove(o.Name) }

// removeDirectory follows no link from the run's own directory on, and removes
// nothing in one that belongs to somebody else.
func (s State) removeDirectory(_ context.Context, o Object) (bool, error) {
	if _, err := os.Lstat(o.Path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	// What is mounted below belongs to somebody until it is unmounted.
	real, err := filepath.EvalSymlinks(o.Path)
	if err != nil {
		return true, fmt.Errorf("remove %s: %w", o.Path, err)
	}
	if m := MountPoints(real); len(m) > 0 {
		return true, fmt.Errorf("%s still has mounts: %s", o.Path, strings.Join(m, ", "))
	}
	if err := s.removeAll(o.Path); err != nil {
		return true, fmt.Errorf("remove %s: %w", o.Path, err)
	}
	return true, nil
}

func (s State) removeAll(path string) error {
	owned, below, _ := ownedPart(s.RunID, path)
	parent, err := os.OpenRoot(filepath.Dir(owned))
	if err != nil {
		return err
	}
	defer parent.Close()
	info, err := parent.Lstat(filepath.Base(owned))
	if err != nil {
		return err
	}
	if err := s.isOurs(info); err != nil {
		return err
	}
	if below == "" {
		return parent.RemoveAll(filepath.Base(owned))
	}
	dir, err := parent.OpenRoot(filepath.Base(owned))
	if err != nil {
		return err
	}
	defer dir.Close()
	opened, err := dir.Stat(".")
	if err != nil || !os.SameFile(info, opened) {
		return errors.Join(fmt.Errorf("%s was replaced in the meantime", owned), err)
	}
	return dir.RemoveAll(below)
}

// isOurs refuses what another user has put in the place of a run's directory.
func (s State) isOurs(info fs.FileInfo) error {
	owner := int(info.Sys().(*syscall.Stat_t).Uid) // always so on Linux
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", info.Name())
	case owner != s.UID && owner != os.Geteuid():
		return fmt.Errorf("%s belongs to uid %d and not to the run's user, uid %d", info.Name(), owner, s.UID)
	}
	return nil
}

// kernelLimit is how long the kernel may take to end what was killed or
// detached. On a busy machine, or with slow storage below, that is not at once.
const kernelLimit = time.Minute

func waitUntil(ctx context.Context, limit time.Duration, what string, done func() bool) error {
	deadline := time.Now().Add(limit)
	for !done() {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("wait for %s: %w", what, err)
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("timed out after %s waiting for %s", limit, what)
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}
