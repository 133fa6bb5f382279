package machine

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/mounts"
	"plimsoll/internal/result"
)

// disks lists block devices that have a size, without partitions and without
// loop devices, which come and go with the runs.
func disks() []result.Disk {
	entries, err := os.ReadDir("/sys/block")
	if err != nil {
		return nil
	}
	var all []result.Disk
	for _, e := range entries {
		d := diskOf(e.Name())
		if d.Bytes > 0 && !strings.HasPrefix(d.Name, "loop") && !strings.HasPrefix(d.Name, "ram") {
			all = append(all, d)
		}
	}
	return all
}

func diskOf(name string) result.Disk {
	dir := filepath.Join("/sys/block", name)
	sectors, _ := strconv.ParseInt(textOf(filepath.Join(dir, "size")), 10, 64) // 0 leaves it out
	return result.Disk{
		Name:       name,
		Model:      textOf(filepath.Join(dir, "device/model")),
		Bytes:      sectors * 512,
		Rotational: textOf(filepath.Join(dir, "queue/rotational")) == "1",
		Scheduler:  chosen(textOf(filepath.Join(dir, "queue/scheduler"))),
	}
}

// chosen gives the word in brackets, as the kernel marks a choice.
func chosen(options string) string {
	_, rest, ok := strings.Cut(options, "[")
	if !ok {
		return options
	}
	word, _, _ := strings.Cut(rest, "]")
	return word
}

// dataFileSystems are the types that data can live on; the kernel's own
// file systems are no concern of a run.
func dataFileSystems() []string {
	return []string{
		"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "jfs", "tmpfs", "overlay",
		"nfs", "nfs4", "cifs", "9p", "virtiofs", "ceph", "lustre", "gpfs", "gfs2", "ocfs2",
		"fuse", "fuseblk", "fuse.glusterfs", "fuse.sshfs",
	}
}

// smallestFileSystem is what a data directory needs at the very least.
const smallestFileSystem = 64 << 20

// fileSystems lists the mounted file systems that data could be on. If several are mounted
// at the same place, only the last can be seen.
func fileSystems() []result.FileSystem {
	at := map[string]int{}
	var all []result.FileSystem
	for _, line := range strings.Split(textOf("/proc/self/mounts"), "\n") {
		fs, ok := fileSystemIn(line)
		if !ok {
			continue
		}
		if i, again := at[fs.Mount]; again {
			all[i] = fs
			continue
		}
		at[fs.Mount] = len(all)
		all = append(all, fs)
	}
	return all
}

// fileSystemIn reads a line of /proc/self/mounts.
func fileSystemIn(line string) (fs result.FileSystem, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 4 || !slices.Contains(dataFileSystems(), fields[2]) || ownedByKernel(fields[1]) {
		return fs, false
	}
	fs = result.FileSystem{Mount: mounts.Unescape(fields[1]), Type: fields[2], Options: fields[3]}
	fs.Bytes, fs.Free = space(fs.Mount)
	return fs, fs.Bytes >= smallestFileSystem
}

func ownedByKernel(mount string) bool {
	return strings.HasPrefix(mount, "/sys/") || strings.HasPrefix(mount, "/proc/") || strings.HasPrefix(mount, "/run/credentials")
}

// space gives the size and what an ordinary user can still write, in bytes.
func space(path string) (size, free int64) {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil {
		return 0, 0
	}
	return int64(s.Blocks) * s.Bsize, int64(s.Bavail) * s.Bsize
}
