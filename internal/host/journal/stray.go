package journal

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"plimsoll/internal/host/flock"
	"plimsoll/internal/host/namespace"
)

// Stray is something that has the name or the marker of a run which no register knows.
type Stray struct {
	RunID   string `json:"run"`
	What    string `json:"what"`
	Command string `json:"command"` // that removes it
}

// madeID is what NewRunID gives.
var madeID = regexp.MustCompile(`^[A-Za-z0-9_-]{0,32}-[a-z2-7]{8}$`)

// runIn is the identifier of the run that a name carries; empty where it carries none.
func runIn(name string) string {
	rest, ours := strings.CutPrefix(name, namePrefix)
	id, _, _ := strings.Cut(rest, ".")
	if !ours || !madeID.MatchString(id) {
		return ""
	}
	return id
}

// Strays searches the machine for objects of this user's runs that are neither in
// progress nor known to a register. It looks for directories in those that are given.
func Strays(among []string) (all []Stray) {
	settled := map[string]bool{} // runs that are known
	for _, r := range knownRegisters(func(string) bool { return true }) {
		settled[r.run] = true
	}
	workers := sync.OnceValue(inProgress)
	add := func(id string, owner int, o Object, what string) {
		if id == "" || settled[id] || os.Geteuid() != 0 && owner != os.Geteuid() {
			return
		}
		at := workers()[id]
		if slices.Contains(at, os.Geteuid()) || slices.Contains(at, 0) || slices.Contains(at, owner) {
			return
		}
		all = append(all, Stray{RunID: id, What: what, Command: byHand(id, o)})
	}
	for _, pid := range allPIDs() {
		id, name, _ := strings.Cut(markerIn(pid), "/")
		if id == "" || inPod(pid) {
			continue
		}
		if owner := ownerAt(procFile(pid, "")); owner != unknownOwner && madeID.MatchString(id) && pid != os.Getpid() {
			add(id, owner, Object{Kind: Process, PID: pid}, fmt.Sprintf("process %d (%s, %s)", pid, commandOf(pid), name))
		}
	}
	for _, point := range slices.Backward(MountPoints("/")) {
		id, dir := runOf(point)
		add(id, ownerAt(dir), Object{Kind: Mount, Path: point}, "mount "+point)
	}
	for device, backing := range LoopDevices() {
		id, _ := runOf(backing)
		add(id, 0, Object{Kind: Loop, Path: backing}, "loop device "+device+" on "+backing)
	}
	for _, group := range slices.Backward(cgroups()) {
		add(runIn(filepath.Base(group)), ownerAt(group), Object{Kind: Cgroup, Path: group}, "cgroup "+group)
	}
	for _, name := range entries(namespace.Path("")) {
		add(runIn(name), 0, Object{Kind: Netns, Name: name}, "network namespace "+name)
	}
	for _, dir := range among {
		for _, name := range entries(dir) {
			info, err := os.Lstat(filepath.Join(dir, name))
			if err == nil && info.IsDir() && ownerOf(info) == os.Geteuid() {
				add(runIn(name), os.Geteuid(), Object{Kind: Directory, Path: filepath.Join(dir, name)}, "directory "+filepath.Join(dir, name))
			}
		}
	}
	return all
}

// inPod reports whether a process belongs to a pod of a Kubernetes node on this machine:
// its cluster has the run, and removes it. A Plimsoll that is in that pod itself looks
// from within its PID namespace.
func inPod(pid int) bool {
	ours, err := os.Readlink("/proc/self/ns/pid")
	theirs, theirErr := os.Readlink(procFile(pid, "ns/pid"))
	return err == nil && theirErr == nil && ours != theirs && environmentOf(pid, "KUBERNETES_SERVICE_HOST") != ""
}

// inProgress finds the runs that processes of this machine work on, with the users of those:
// each has the lock of its run open. That another user has a file of such a name says nothing
// of this user's runs.
func inProgress() map[string][]int {
	all := map[string][]int{}
	for _, pid := range allPIDs() {
		for _, fd := range entries(procFile(pid, "fd")) {
			path, err := os.Readlink(procFile(pid, "fd/"+fd))
			name, lock := strings.CutSuffix(filepath.Base(path), flock.Suffix)
			if err == nil && lock && strings.HasPrefix(filepath.Base(filepath.Dir(path)), machinePrefix) && runIDForm.MatchString(name) {
				all[name] = append(all[name], ownerAt(procFile(pid, "")))
			}
		}
	}
	return all
}

// unknownOwner stands for the owner of a file that cannot be examined.
const unknownOwner = -1

// ownerAt is the owner of the file at a path.
func ownerAt(path string) int {
	info, err := os.Lstat(path)
	if err != nil {
		return unknownOwner
	}
	return ownerOf(info)
}

// runOf is the run of the first directory of a path that carries one's name, and that
// directory.
func runOf(path string) (id, dir string) {
	for part := range strings.SplitSeq(path, "/") {
		dir = filepath.Join(dir, "/", part)
		if id := runIn(part); id != "" {
			return id, dir
		}
	}
	return "", ""
}

func entries(dir string) (names []string) {
	found, _ := os.ReadDir(dir)
	for _, e := range found {
		names = append(names, e.Name())
	}
	return names
}

// cgroupDepth is how deep cgroups of a run can be: below the root, or below the group
// that the process itself was put in (systemd nests them).
const cgroupDepth = 5

// cgroups lists the machine's control groups, as deep as a run's can be.
func cgroups() (all []string) {
	_ = filepath.WalkDir(cgroupRoot, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || path == cgroupRoot {
			return nil
		}
		all = append(all, path)
		if strings.Count(strings.TrimPrefix(path, cgroupRoot), "/") == cgroupDepth {
			return fs.SkipDir
		}
		return nil
	})
	return all
}

const cgroupRoot = "/sys/fs/cgroup"

// Places are the default places of run directories: for temporary files, for sockets and
// for storage in memory.
func Places() []string {
	return []string{"/tmp", "/var/tmp", "/dev/shm", os.TempDir(), os.Getenv("XDG_RUNTIME_DIR")}
}
