package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/mounts"
	"plimsoll/internal/host/namespace"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/text/words"
)

// machine owns the objects on the machine.
var machine = Owner{Kinds: []Kind{Process, Mount, Loop, Cgroup, Netns, Directory}, Present: present, ByHand: byHand, Sweep: sweepMachine}

// Sweep removes the remaining objects of the state that are on the machine, as Owners.Sweep
// does. It leaves others to their owners.
func Sweep(ctx context.Context, s State) []Removal {
	elsewhere := func(o Object) bool { return !o.onMachine() }
	s.Objects = slices.DeleteFunc(slices.Clone(s.Objects), elsewhere)
	s.Unregistered = slices.DeleteFunc(slices.Clone(s.Unregistered), elsewhere)
	return Owners(nil).Sweep(ctx, s, AtEnd)
}

// sweepMachine removes objects of the machine. One that does not carry the run's name (see
// Name) is refused: it cannot be ours, whatever the journal says. Objects that could not be
// removed at once, because something else held them, are tried again when the rest is gone.
func sweepMachine(ctx context.Context, s State, objects []Object) (done []Removal) {
	s.wake()
	var again []Object
	busy := map[string]*busyLoop{}
	for _, r := range s.pass(ctx, objects, shortLimit) {
		if r.Err == nil || !s.owns(r.Object) {
			done = append(done, r)
		} else {
			again = append([]Object{r.Object}, again...)
			if b := (*busyLoop)(nil); errors.As(r.Err, &b) {
				busy[r.Object.key()] = b
			}
		}
	}
	if len(again) == 0 {
		return done
	}
	for _, r := range s.pass(ctx, again, kernelLimit) {
		r.Found = true
		if b := busy[r.Object.key()]; b != nil && r.Err == nil {
			r.Err = b.wait(ctx, kernelLimit)
		}
		done = append(done, r)
	}
	return done
}

// pass tries to remove objects, and waits for each as long as the limit says.
func (s State) pass(ctx context.Context, objects []Object, limit time.Duration) (done []Removal) {
	for i := len(objects) - 1; i >= 0; {
		if objects[i].Kind != Process {
			done = append(done, s.remove(ctx, objects[i], limit))
			i--
			continue
		}
		// Neighbouring processes are ended together: one look at /proc serves all.
		first := i
		for first > 0 && objects[first-1].Kind == Process {
			first--
		}
		done = append(done, s.endProcesses(ctx, objects[first:i+1], limit)...)
		i = first - 1
	}
	return done
}

// present reports whether something is where an object was.
func present(runID string, o Object) bool {
	switch o.Kind {
	case Process:
		return len(sameProcess(o)) > 0 || slices.ContainsFunc(Processes(runID), func(f RunProcess) bool { return f.Object == o.Name })
	case Mount:
		return slices.Contains(MountPoints(o.Path), o.Path)
	case Loop:
		return slices.Contains(slices.Collect(maps.Values(LoopDevices())), o.Path)
	case Netns:
		return exists(namespace.Path(filepath.Base(o.Name)))
	}
	return exists(o.Path)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// byHand is the command that removes an object of a run.
func byHand(_ string, o Object) string {
	path := words.Shell(o.Path)
	switch o.Kind {
	case Process:
		return fmt.Sprintf("kill -9 %d", o.PID)
	case Mount:
		return "umount -l " + path
	case Loop:
		return "losetup -d $(losetup -n -O NAME -j " + path + ")"
	case Cgroup:
		return fmt.Sprintf("echo 1 > %s; rmdir %s", words.Shell(filepath.Join(o.Path, "cgroup.kill")), path)
	case Netns:
		return "ip netns delete " + words.Shell(o.Name)
	}
	return "rm -rf " + path
}

func (s State) remove(ctx context.Context, o Object, limit time.Duration) Removal {
	if !s.owns(o) {
		return Removal{Object: o, Err: fmt.Errorf("%s does not carry the name of run %q: not removed", o, s.RunID)}
	}
	if o.Kind != Directory && s.ofAnotherBoot(o) {
		return Removal{Object: o} // it went with the kernel that had it
	}
	remove := map[Kind]func(context.Context, Object, time.Duration) (bool, error){
		Mount: unmount, Loop: detachLoop, Cgroup: removeCgroup, Netns: removeNetns, Directory: s.removeDirectory,
	}[o.Kind]
	real := o
	if real.Path = s.realPath(o); o.Kind == Cgroup || o.Kind == Netns {
		real.Path = o.Path
	}
	found, err := remove(ctx, real, limit)
	return Removal{Object: o, Found: found, Err: err}
}

// ofAnotherBoot reports whether an object was made before the machine was started again.
func (s State) ofAnotherBoot(o Object) bool {
	p, known := s.proofs[o.key()]
	return known && p.Boot != bootID()
}

// realPath is an object's path without links as it was when it was made.
func (s State) realPath(o Object) string {
	if p, known := s.proofs[o.key()]; known && p.Real != "" {
		return p.Real
	}
	return safefile.Resolve(o.Path)
}

func (s State) owns(o Object) bool {
	switch o.Kind {
	case Process:
		return true // it is known by its marker, or by who it is
	case Netns:
		return owns(s.RunID, o.Name) && !strings.ContainsRune(o.Name, '/')
	}
	_, _, ours := ownedPart(s.RunID, o.Path)
	return ours
}

// unmount takes every mount at the path away, lazily when it stays busy. It opens the
// parent directory without following links, and names the mount in it.
func unmount(ctx context.Context, o Object, limit time.Duration) (bool, error) {
	found := false
	for attempt := 0; slices.Contains(MountPoints(o.Path), o.Path); attempt++ {
		found = true
		flags := unix.UMOUNT_NOFOLLOW
		if attempt >= 20 {
			flags |= unix.MNT_DETACH
		}
		var err error
		if waited := inTime(ctx, limit, o.Path+" to be unmounted, for which what serves it has to answer", func() { err = unmountAt(o.Path, flags) }); waited != nil {
			return true, waited
		}
		if err == nil || errors.Is(err, unix.EINVAL) {
			continue
		}
		if attempt >= 25 || ctx.Err() != nil {
			return true, fmt.Errorf("unmount %s: %w; run: umount -l %s", o.Path, err, words.Shell(o.Path))
		}
		time.Sleep(100 * time.Millisecond)
	}
	return found, nil
}

// inTime does something that may hang in the kernel, such as unmounting a file system
// served by a stopped process, and gives up waiting after a while.
func inTime(ctx context.Context, limit time.Duration, what string, do func()) error {
	ended := make(chan struct{})
	go func() {
		do()
		close(ended)
	}()
	return waitUntil(ctx, limit, what, func() bool {
		select {
		case <-ended:
			return true
		case <-time.After(10 * time.Millisecond):
			return false
		}
	})
}

func unmountAt(path string, flags int) error {
	parent, err := safefile.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer parent.Close()
	return unix.Unmount(fmt.Sprintf("/proc/self/fd/%d/%s", parent.Fd(), filepath.Base(path)), flags)
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
			_ = unix.Unmount(point, unix.MNT_DETACH) // or it went with the mount below it
		}
	}
}

// within reports whether a path is the directory or below it.
func within(path, directory string) bool {
	return path == directory || strings.HasPrefix(path, directory+"/")
}

// LoopDevices maps each attached loop device (/dev/loop3) to its backing file.
func LoopDevices() map[string]string {
	attached := map[string]string{}
	files, _ := filepath.Glob("/sys/block/loop*/loop/backing_file") // the pattern is constant
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

func detachLoop(ctx context.Context, o Object, limit time.Duration) (bool, error) {
	var left error
	found := false
	for device, backing := range LoopDevices() {
		if backing != o.Path {
			continue
		}
		found = true
		attached := attachedTo(device)
		if err := clearLoop(device, o.Path); err != nil {
			return true, fmt.Errorf("detach %s: %w; run: losetup -d %s", device, err, device)
		}
		b := &busyLoop{device: device, attached: attached}
		if b.error = b.wait(ctx, limit); b.error != nil {
			left = errors.Join(left, b)
		}
	}
	return found, left
}

// busyLoop reports that a device is still attached. Its file may have lost the name that it
// had.
type busyLoop struct {
	error
	device   string
	attached [2]uint64
}

// wait waits until the device is attached to nothing, or to something else.
func (b *busyLoop) wait(ctx context.Context, limit time.Duration) error {
	return waitUntil(ctx, limit, "the loop device "+b.device+" to go", func() bool {
		now := attachedTo(b.device)
		return now == [2]uint64{} || now != b.attached
	})
}

// attachedTo is the device and the inode of the file that a loop device is on; zeros
// where it is on none.
func attachedTo(device string) [2]uint64 {
	f, err := os.OpenFile(device, os.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return [2]uint64{}
	}
	defer f.Close()
	status, err := unix.IoctlLoopGetStatus64(int(f.Fd()))
	if err != nil {
		return [2]uint64{}
	}
	return [2]uint64{status.Device, status.Inode}
}

// clearLoop detaches a device, if it still belongs to the file once opened.
func clearLoop(device, backing string) error {
	f, err := os.OpenFile(device, os.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if LoopDevices()[device] != backing { // another's now; while it is open it is nobody else's
		return nil
	}
	var file unix.Stat_t
	status, err := unix.IoctlLoopGetStatus64(int(f.Fd()))
	if err == nil && unix.Lstat(backing, &file) == nil && status.Inode != file.Ino {
		return fmt.Errorf("it is on a file that was at %s before", backing)
	}
	err = unix.IoctlSetInt(int(f.Fd()), unix.LOOP_CLR_FD, 0)
	if errors.Is(err, unix.ENXIO) {
		return nil // already detached
	}
	return err
}

// removeCgroup ends the processes in the group and removes it, deepest first, all through
// one handle.
func removeCgroup(ctx context.Context, o Object, limit time.Duration) (bool, error) {
	parent, err := safefile.Root(filepath.Dir(o.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return true, fmt.Errorf("remove the cgroup: %w", err)
	}
	defer parent.Close()
	name := filepath.Base(o.Path)
	group, err := parent.OpenRoot(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return true, fmt.Errorf("remove the cgroup: %w", err)
	}
	defer group.Close()
	if !isCgroup(group) {
		return true, fmt.Errorf("%s is not a cgroup", o.Path)
	}
	for _, g := range slices.Backward(subdirectories(group)) {
		if err := endCgroup(ctx, group, g, filepath.Join(o.Path, g), limit); err != nil {
			return true, err
		}
		if g == "." {
			err = parent.Remove(name)
		} else {
			err = group.Remove(g)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return true, fmt.Errorf("remove the cgroup: %w", err)
		}
	}
	return true, nil
}

// isCgroup keeps a directory that only looks like a control group from having
// the processes ended that it names.
func isCgroup(group *os.Root) bool {
	dir, err := group.Open(".")
	if err != nil {
		return false
	}
	defer dir.Close()
	var st unix.Statfs_t
	return unix.Fstatfs(int(dir.Fd()), &st) == nil && (st.Type == unix.CGROUP_SUPER_MAGIC || st.Type == unix.CGROUP2_SUPER_MAGIC)
}

// endCgroup ends the processes of a group: all at once where the kernel can (cgroup.kill
// of version 2), else each that is still in the group once its handle is open.
func endCgroup(ctx context.Context, group *os.Root, name, path string, limit time.Duration) error {
	members := func() []string {
		data, err := group.ReadFile(filepath.Join(name, "cgroup.procs"))
		if err != nil {
			return nil
		}
		return strings.Fields(string(data))
	}
	return waitUntil(ctx, limit, "cgroup "+path+" to empty", func() bool {
		pids := members()
		if len(pids) > 0 && group.WriteFile(filepath.Join(name, "cgroup.kill"), []byte("1"), 0) == nil {
			return false
		}
		for _, pid := range pids {
			kill(atoi(pid), func() bool { return slices.Contains(members(), pid) })
		}
		return len(pids) == 0
	})
}

func subdirectories(root *os.Root) []string {
	var all []string
	_ = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			all = append(all, path)
		}
		return nil
	})
	return all
}

func removeNetns(_ context.Context, o Object, _ time.Duration) (bool, error) {
	return namespace.Remove(o.Name)
}

// removeDirectory follows no link, and removes nothing in a directory of another user.
func (s State) removeDirectory(_ context.Context, o Object, _ time.Duration) (bool, error) {
	if _, err := os.Lstat(o.Path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	// Mounts below it are not the run's to remove until they are unmounted.
	if m := MountPoints(o.Path); len(m) > 0 {
		return true, fmt.Errorf("%s still has mounts: %s", o.Path, strings.Join(m, ", "))
	}
	if err := s.removeAll(o.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return true, fmt.Errorf("remove %s: %w", o.Path, err)
	}
	return true, nil
}

func (s State) removeAll(path string) error {
	return s.inOwned(path, func(parent *os.Root, name, below string, info fs.FileInfo) error {
		if below == "" {
			return parent.RemoveAll(name)
		}
		dir, err := parent.OpenRoot(name)
		if err != nil {
			return err
		}
		defer dir.Close()
		opened, err := dir.Stat(".")
		if err != nil || !os.SameFile(info, opened) {
			return errors.Join(fmt.Errorf("%s was replaced in the meantime", name), err)
		}
		return dir.RemoveAll(below)
	})
}

// inOwned opens what holds the run's own directory on the way to a path, without
// following links, and makes sure that the directory is the run's.
func (s State) inOwned(path string, do func(parent *os.Root, name, below string, info fs.FileInfo) error) error {
	owned, below, ok := ownedPart(s.RunID, path)
	if !ok {
		return fmt.Errorf("%s does not carry the name of run %q", path, s.RunID)
	}
	parent, err := safefile.Root(filepath.Dir(owned))
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
	return do(parent, filepath.Base(owned), below, info)
}

// isOurs refuses anything that another user has put in the place of a run's directory.
// Registered objects were made by this user.
func (s State) isOurs(info fs.FileInfo) error {
	owner := ownerOf(info)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", info.Name())
	case owner != os.Geteuid() && (s.proofs != nil || owner != s.UID):
		return fmt.Errorf("%s belongs to uid %d and not to the run's user, uid %d", info.Name(), owner, os.Geteuid())
	}
	return nil
}

// shortLimit is how long the first pass waits for each: what holds it may go later in
// the same pass.
const shortLimit = 5 * time.Second

// kernelLimit is how long the kernel may take to end what was killed or
// detached. On a busy machine, or with slow storage below, that is not at once.
const kernelLimit = time.Minute

func waitUntil(ctx context.Context, limit time.Duration, what string, done func() bool) error {
	return waitUntilReported(ctx, limit, func() string { return what }, done)
}

// waitUntilReported reports the object of a long wait.
func waitUntilReported(ctx context.Context, limit time.Duration, what func() string, done func() bool) error {
	began, reported := time.Now(), false
	for !done() {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("wait for %s: %w", what(), err)
		}
		if time.Since(began) > limit {
			return fmt.Errorf("timed out after %s waiting for %s", limit, what())
		}
		if say, _ := ctx.Value(sayKey{}).(func(string)); say != nil && !reported && time.Since(began) > sayAfter {
			say(what())
			reported = true
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}

// sayAfter is how long a wait may be before it is reported.
const sayAfter = 2 * time.Second

type sayKey struct{}

// Telling has Sweep report the object it is waiting for, when that takes long.
func Telling(ctx context.Context, say func(waitingFor string)) context.Context {
	return context.WithValue(ctx, sayKey{}, say)
}
