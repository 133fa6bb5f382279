package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll/internal/host/journal"
)

// things is the set of things on the machine, by kind and name.
type things map[string]bool

// look lists what runs and tests make and should take down.
func look() things {
	found := things{}
	found.mounts("/proc/self/mountinfo")
	for device, file := range journal.LoopDevices() {
		found.add("loop device", device+" of "+file)
	}
	found.entries("network namespace", "/run/netns", "")
	found.entries("shared memory", "/dev/shm", "")
	for _, place := range journal.Places() {
		found.entries("temporary directory", place, "plimsoll-")
	}
	found.segments("/proc/sysvipc/shm")
	found.cgroups("/sys/fs/cgroup")
	found.processes("/proc")
	orphans, _ := journal.Orphans()
	for _, s := range orphans {
		if len(s.Objects) > 0 {
			found.add("register", fmt.Sprintf("of run %s with %d objects", s.RunID, len(s.Objects)))
		}
	}
	return found
}

func (t things) add(kind, name string) { t[kind+" "+name] = true }

// without returns the things that are in t only.
func (t things) without(before things) things {
	left := maps.Clone(t)
	maps.DeleteFunc(left, func(name string, _ bool) bool { return before[name] })
	return left
}

func (t things) text() string {
	return "left behind:\n  " + strings.Join(slices.Sorted(maps.Keys(t)), "\n  ") + "\n"
}

// mounts reads a table of mounts (proc(5)).
func (t things) mounts(table string) {
	text, _ := os.ReadFile(table) // without it, nothing is mounted
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 4 {
			t.add("mount", fields[4])
		}
	}
}

// entries are the names in a directory with a prefix; of temporary places the directories alone,
// because locks stay on purpose.
func (t things) entries(kind, dir, prefix string) {
	if dir == "" {
		return
	}
	all, _ := os.ReadDir(dir) // a missing directory has no entries
	for _, e := range all {
		if strings.HasPrefix(e.Name(), prefix) && (prefix == "" || e.IsDir()) {
			t.add(kind, filepath.Join(dir, e.Name()))
		}
	}
}

// segments adds the segments of System V shared memory.
func (t things) segments(table string) {
	text, _ := os.ReadFile(table) // a kernel without it has none
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 7 && fields[0] != "key" {
			t.add("shared memory segment", fields[1]+" of user "+fields[7])
		}
	}
}

// cgroups are control groups of ours.
func (t things) cgroups(root string) {
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && strings.HasPrefix(e.Name(), "plimsoll") {
			t.add("control group", path)
		}
		return nil // one that is gone is as good
	})
}

// processes are those with the mark of a run, and those that work in a temporary directory of ours.
func (t things) processes(root string) {
	all, _ := filepath.Glob(filepath.Join(root, "[0-9]*")) // the pattern is well-formed
	for _, dir := range all {
		environment, _ := os.ReadFile(filepath.Join(dir, "environ"))
		cwd, _ := os.Readlink(filepath.Join(dir, "cwd"))
		if strings.Contains(string(environment), journal.MarkerVariable+"=") || strings.Contains(cwd, "/plimsoll-") {
			command, _ := os.ReadFile(filepath.Join(dir, "comm"))
			t.add("process", filepath.Base(dir)+" "+strings.TrimSpace(string(command)))
		}
	}
}
