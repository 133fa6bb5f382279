package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"plimsoll/internal/host/mounts"
	"plimsoll/internal/text/sanitize"
)

// users lists the processes that hold something below a directory open, for
// the error of a medium that cannot go down.
func users(dir string) []string {
	var found []string
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range processes {
		if holds(p, dir) {
			name, _ := os.ReadFile(filepath.Join(p, "comm"))
			found = append(found, fmt.Sprintf("%s (pid %s)", sanitize.Name(strings.TrimSuffix(string(name), "\n")), filepath.Base(p)))
		}
	}
	return found
}

// namespaces lists the processes, one of each mount namespace besides ours,
// that have a mount there too: such a copy holds the file system when it is
// unmounted here.
func namespaces(dir string) []string {
	ours, _ := os.Readlink("/proc/self/ns/mnt")
	seen := map[string]bool{ours: true}
	var found []string
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range processes {
		namespace, err := os.Readlink(filepath.Join(p, "ns/mnt"))
		if err != nil || seen[namespace] {
			continue
		}
		seen[namespace] = true
		if table, _ := os.ReadFile(filepath.Join(p, "mountinfo")); strings.Contains(mounts.Unescape(string(table)), " "+dir+" ") {
			name, _ := os.ReadFile(filepath.Join(p, "comm"))
			found = append(found, fmt.Sprintf("the mount namespace of %s (pid %s)", sanitize.Name(strings.TrimSuffix(string(name), "\n")), filepath.Base(p)))
		}
	}
	return found
}

func holds(process, dir string) bool {
	links, _ := filepath.Glob(filepath.Join(process, "fd", "*"))
	for _, link := range append(links, filepath.Join(process, "cwd"), filepath.Join(process, "root")) {
		to, err := os.Readlink(link)
		if err == nil && (to == dir || strings.HasPrefix(to, dir+"/")) {
			return true
		}
	}
	return false
}
