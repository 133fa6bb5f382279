package journal

import (
	"fmt"
	"os"
	"path/filepath"

	"plimsoll/internal/namespace"
)

// Leftovers looks for anything of a run on the machine without asking its
// journal: processes by marker or by where they work, and mounts, loop devices,
// cgroups, network namespaces and directories for temporary files that carry its
// name. An empty answer is the proof that clean gives.
func Leftovers(runID string) []string {
	if runID == "" {
		return nil
	}
	var left []string
	marked := map[int]bool{}
	for _, p := range Processes(runID) {
		marked[p.PID] = true
		left = append(left, fmt.Sprintf("process %d (%s, %s)", p.PID, p.Command, p.Object))
	}
	for _, pid := range allPIDs() {
		// Some write their title over their environment.
		if dir := workingIn(pid); !marked[pid] && pid != os.Getpid() && isIn(runID, dir) {
			left = append(left, fmt.Sprintf("process %d (%s) in %s", pid, commandOf(pid), dir))
		}
	}
	for _, m := range MountPoints("/") {
		if isIn(runID, m) {
			left = append(left, "mount "+m)
		}
	}
	for device, backing := range LoopDevices() {
		if isIn(runID, backing) {
			left = append(left, "loop device "+device+" on "+backing)
		}
	}
	left = append(left, cgroupsNamed(runID)...)
	names, _ := filepath.Glob(namespace.Path("*" + runID + "*"))
	for _, n := range names {
		left = append(left, "network namespace "+filepath.Base(n))
	}
	return left
}

// isIn says that a path is of a directory that carries the run's name, or below it.
func isIn(runID, path string) bool {
	_, _, ours := ownedPart(runID, path)
	return ours
}

// cgroupsNamed looks five levels deep, where cgroups of a run can be: below
// the root, or below the group that the process itself was put in (systemd nests them).
func cgroupsNamed(runID string) []string {
	var left []string
	for _, depth := range []string{"*", "*/*", "*/*/*", "*/*/*/*", "*/*/*/*/*"} {
		groups, _ := filepath.Glob("/sys/fs/cgroup/" + depth)
		for _, g := range groups {
			if owns(runID, filepath.Base(g)) && isDirectory(g) {
				left = append(left, "cgroup "+g)
			}
		}
	}
	return left
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
