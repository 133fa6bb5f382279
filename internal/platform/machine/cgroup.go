package machine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

const cgroupRoot = "/sys/fs/cgroup"

// cgroupVersion returns v2 (unified), v1, hybrid (v1 with an idle v2 as well) or none.
func cgroupVersion() string {
	switch {
	case isCgroup2(cgroupRoot):
		return "v2"
	case !exists(filepath.Join(cgroupRoot, "cpu")):
		return "none"
	case isCgroup2(filepath.Join(cgroupRoot, "unified")):
		return "hybrid"
	}
	return "v1"
}

func isCgroup2(path string) bool {
	var s unix.Statfs_t
	return unix.Statfs(path, &s) == nil && s.Type == unix.CGROUP2_SUPER_MAGIC
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// limitable says whether groups with CPU and memory limits can be made, and
// if not, what stands in the way.
func limitable() (cpu, memory bool, obstacle string) {
	switch cgroupVersion() {
	case "none":
		return false, false, "no cgroups are mounted at " + cgroupRoot
	case "v2":
		return limitableV2()
	}
	cpu, memory = writable(filepath.Join(cgroupRoot, "cpu")), writable(filepath.Join(cgroupRoot, "memory"))
	if !cpu || !memory {
		obstacle = "no permission to write to the cgroup directories"
	}
	return cpu, memory, obstacle
}

// limitableV2 looks at the group of this process: a plain user can limit the controllers
// delegated to it.
func limitableV2() (cpu, memory bool, obstacle string) {
	dir := filepath.Join(cgroupRoot, ownCgroup())
	if os.Geteuid() == 0 {
		dir = cgroupRoot
	}
	if !writable(dir) {
		return false, false, "the cgroup " + dir + " is not writable: it is not delegated to this user"
	}
	controllers := strings.Fields(textOf(filepath.Join(dir, "cgroup.controllers")))
	cpu, memory = slices.Contains(controllers, "cpu"), slices.Contains(controllers, "memory")
	if !cpu || !memory {
		obstacle = "the cgroup " + dir + " has only the controllers " + strings.Join(controllers, ", ")
	}
	return cpu, memory, obstacle
}

func ownCgroup() string {
	for _, line := range strings.Split(textOf("/proc/self/cgroup"), "\n") {
		if path, ok := strings.CutPrefix(line, "0::"); ok {
			return path
		}
	}
	return "/"
}

func writable(dir string) bool { return unix.Access(dir, unix.W_OK) == nil }
