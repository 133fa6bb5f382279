package journal

import (
	"fmt"
	"os"
	"path/filepath"

	"plimsoll/internal/namespace"
)

// Leftovers looks for anything of a run on the machine without asking its
// journal: processes by marker, and mounts, loop devices, cgroups, network
// namespaces and directories for temporary files that carry its name. An empty
// answer is the proof that clean gives.
func Leftovers(runID string) []string {
	if runID == "" {
		return nil
	}
	var left []string
	for _, p := range Processes(runID) {
		left = append(left, fmt.Sprintf("process %d (%s, %s)", p.PID, p.Command, p.Object))
	}
	for _, m := range MountPoints("/") {
		if _, _, ours := ownedPart(runID, m); ours {
			left = append(left, "mount "+m)
		}
	}
	for device, backing := range LoopDevices() {
		if _, _, ours := ownedPart(runID, backing); ours {
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
