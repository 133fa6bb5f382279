package journal

import (
	"fmt"
	"os"
	"path/filepath"

	"plimsoll/internal/host/namespace"
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
	for _, group := range cgroups() {
		if owns(runID, filepath.Base(group)) {
			left = append(left, "cgroup "+group)
		}
	}
	for _, name := range entries(namespace.Path("")) {
		if owns(runID, name) {
			left = append(left, "network namespace "+name)
		}
	}
	return left
}

// isIn reports whether a path is of a directory that carries the run's name, or below it.
func isIn(runID, path string) bool {
	_, _, ours := ownedPart(runID, path)
	return ours
}
