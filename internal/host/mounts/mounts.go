// Package mounts finds the storage behind a directory: its mount, file system, options,
// space and block devices, from /proc/self/mountinfo (proc(5)) and /sys/dev/block.
package mounts

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Mount is the file system of a directory.
type Mount struct {
	Point   string   // where it is mounted
	Type    string   // ext4, xfs, tmpfs, nfs4, fuse.glusterfs
	Source  string   // /dev/vda, host:/export
	Options []string // of the mount and of the file system, each once
	Major   uint32   // of the device number, 0 where there is none
	Minor   uint32
}

// Find finds the mount of a path.
func Find(path string) (Mount, error) {
	real, err := filepath.Abs(path)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if err != nil {
		return Mount{}, fmt.Errorf("find the mount of %s: %w", path, err)
	}
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return Mount{}, fmt.Errorf("find the mount of %s: %w", path, err)
	}
	var best Mount
	for line := range strings.Lines(string(table)) {
		m, ok := parse(line)
		// The last of several at one point hides those before it.
		if ok && contains(m.Point, real) && len(m.Point) >= len(best.Point) {
			best = m
		}
	}
	if best.Point == "" {
		return Mount{}, fmt.Errorf("find the mount of %s: /proc/self/mountinfo has none", path)
	}
	return best, nil
}

func contains(dir, path string) bool {
	return dir == "/" || path == dir || strings.HasPrefix(path, dir+"/")
}

// parse reads one line: id parent major:minor root point options fields... - type source superoptions.
func parse(line string) (Mount, bool) {
	before, after, ok := strings.Cut(strings.TrimSpace(line), " - ")
	left, right := strings.Fields(before), strings.Fields(after)
	if !ok || len(left) < 6 || len(right) < 3 {
		return Mount{}, false
	}
	m := Mount{Point: Unescape(left[4]), Type: right[0], Source: Unescape(right[1])}
	for _, option := range strings.Split(left[5]+","+right[2], ",") {
		if !slices.Contains(m.Options, option) {
			m.Options = append(m.Options, option)
		}
	}
	major, minor, _ := strings.Cut(left[2], ":")
	m.Major, m.Minor = number(major), number(minor)
	return m, true
}

func number(s string) uint32 {
	n, _ := strconv.ParseUint(s, 10, 32)
	return uint32(n)
}

// octal is how the kernel's tables of mounts write a byte that would divide their
// fields or begin a comment (proc(5)): which ones depends on its version.
var octal = regexp.MustCompile(`\\[0-3][0-7]{2}`)

// Unescape undoes the octal escapes of /proc/self/mountinfo and /proc/self/mounts.
func Unescape(s string) string {
	return octal.ReplaceAllStringFunc(s, func(escape string) string {
		n, _ := strconv.ParseUint(escape[1:], 8, 8) // always fits
		return string([]byte{byte(n)})
	})
}

// Devices names the block devices below the mount as /sys/block does: whole disks, even
// where the mount is on a partition or on a device composed of others.
func (m Mount) Devices() []string {
	sys, ok := m.device()
	if !ok {
		return nil
	}
	return wholeDisks(sys)
}

// device is the directory below /sys/devices of the block device that the file system is
// on. Some hide its number (btrfs), and name it only as their source.
func (m Mount) device() (sys string, ok bool) {
	major, minor := m.Major, m.Minor
	if major == 0 {
		var s unix.Stat_t
		if !strings.HasPrefix(m.Source, "/dev/") || unix.Stat(m.Source, &s) != nil || s.Mode&unix.S_IFMT != unix.S_IFBLK {
			return "", false
		}
		major, minor = unix.Major(s.Rdev), unix.Minor(s.Rdev)
	}
	sys, err := filepath.EvalSymlinks(fmt.Sprintf("/sys/dev/block/%d:%d", major, minor))
	return sys, err == nil
}

func wholeDisks(sys string) []string {
	sys = wholeDisk(sys)
	names := []string{filepath.Base(sys)}
	for _, s := range slaves(sys) {
		names = append(names, wholeDisks(s)...)
	}
	return names
}

// wholeDisk is the device that a partition is of, and any other itself.
func wholeDisk(sys string) string {
	if _, err := os.Stat(filepath.Join(sys, "partition")); err == nil {
		return filepath.Dir(sys)
	}
	return sys
}

// slaves are the devices that a device is made of.
func slaves(sys string) (all []string) {
	below, _ := os.ReadDir(filepath.Join(sys, "slaves"))
	for _, b := range below {
		if real, err := filepath.EvalSymlinks(filepath.Join(sys, "slaves", b.Name())); err == nil {
			all = append(all, real)
		}
	}
	return all
}

// Space is how large a file system is, in bytes.
type Space struct{ Capacity, Free int64 }

// SpaceOf asks for the space that an ordinary user has at a path.
func SpaceOf(path string) (Space, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return Space{}, fmt.Errorf("ask for the space of %s: %w", path, err)
	}
	return Space{Capacity: int64(s.Blocks) * s.Bsize, Free: int64(s.Bavail) * s.Bsize}, nil
}

// usualDepth is how many requests a flash drive is taken to serve at once
// where the kernel allows more: SATA's queue, and where most drives reach
// their rate.
const usualDepth = 32

// Actuators guesses how many requests a block device serves at once, and names the basis of
// the guess: one when the kernel reports it as rotating, else as many as the kernel queues
// for it, at most usualDepth.
func Actuators(device string) (n int, assumed string) {
	n = min(usualDepth, max(1, int(number(read(device, "queue/nr_requests")))))
	switch {
	case Rotates(device) && Virtual(device):
		return 1, "the hypervisor reports it as rotating, as it does for any disk by default"
	case Rotates(device):
		return 1, "the kernel reports it as rotating"
	}
	return n, fmt.Sprintf("the kernel reports it as flash with a queue depth of %d or more", n)
}

// Virtual reports whether a block device is a hypervisor's. The kernel then does not know
// the real medium.
func Virtual(device string) bool {
	driver, err := filepath.EvalSymlinks(filepath.Join("/sys/block", device, "device/driver"))
	if err != nil {
		return false
	}
	return slices.Contains([]string{"virtio_blk", "vbd", "storvsc", "vmw_pvscsi"}, filepath.Base(driver))
}

// Rotates reports whether the kernel takes a block device for a rotating one.
func Rotates(device string) bool { return read(device, "queue/rotational") == "1" }

func read(device, name string) string {
	text, _ := os.ReadFile(filepath.Join("/sys/block", device, name))
	return strings.TrimSpace(string(text))
}
