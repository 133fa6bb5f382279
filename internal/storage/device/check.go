package device

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/host/mounts"
	"plimsoll/internal/text/words"
)

// claim opens a device for this process alone, after making sure that it is unused and
// holds no data worth keeping. While it is open nobody can mount it, or use it as swap or
// for a volume manager. The error names the obstacle and the remedy.
func claim(path string) (*os.File, error) {
	name, err := blockDevice(path)
	if err != nil {
		return nil, err
	}
	for _, check := range []func(path, name string) error{notMounted, noHolders, noSwap, noPartitions} {
		if err := check(path, name); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_EXCL|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.EBUSY) {
		return nil, fmt.Errorf("%s is in use: something has it open for itself alone; `lsof %s` and `lsblk %s` show what", path, path, path)
	}
	if err != nil {
		return nil, fmt.Errorf("open the device: %w", err)
	}
	if err := holdsNothing(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// blockDevice returns the kernel's name of a block device: sdb, sdb1, loop3.
func blockDevice(path string) (name string, err error) {
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil {
		return "", fmt.Errorf("find device %s: %w; `lsblk -o PATH,SIZE,MODEL` lists this machine's", path, err)
	}
	if s.Mode&unix.S_IFMT != unix.S_IFBLK {
		return "", fmt.Errorf("%s is not a block device; `lsblk -o PATH,SIZE,MODEL` lists this machine's", path)
	}
	real, err := filepath.EvalSymlinks(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(s.Rdev), unix.Minor(s.Rdev)))
	if err != nil {
		return "", fmt.Errorf("the kernel knows no device %s: %w", path, err)
	}
	return filepath.Base(real), nil
}

// notMounted looks in this process's mount table; O_EXCL finds the mounts of
// others.
func notMounted(path, name string) error {
	number, err := os.ReadFile(filepath.Join("/sys/class/block", name, "dev"))
	if err != nil {
		return fmt.Errorf("look whether %s is mounted: %w", path, err)
	}
	table, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return fmt.Errorf("look whether %s is mounted: %w", path, err)
	}
	defer table.Close()
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		source := sourceOf(fields)
		if len(fields) > 4 && (fields[2] == strings.TrimSpace(string(number)) || same(mounts.Unescape(source), path)) {
			return fmt.Errorf("%s is mounted on %s: everything there would be lost; if it is the right device, `umount %s` and `wipefs -a %s` first", path, mounts.Unescape(fields[4]), words.Shell(mounts.Unescape(fields[4])), words.Shell(path))
		}
	}
	return lines.Err()
}

// sourceOf is what was mounted: the second field after the lone hyphen.
func sourceOf(fields []string) string {
	for i, f := range fields {
		if f == "-" && i+2 < len(fields) {
			return fields[i+2]
		}
	}
	return ""
}

// same reports whether two paths are one device, for file systems that hide
// their device number (Btrfs).
func same(a, b string) bool {
	var s, t unix.Stat_t
	return strings.HasPrefix(a, "/dev/") && unix.Stat(a, &s) == nil && unix.Stat(b, &t) == nil &&
		s.Mode&unix.S_IFMT == unix.S_IFBLK && s.Rdev == t.Rdev
}

func noHolders(path, name string) error {
	holders, err := os.ReadDir(filepath.Join("/sys/class/block", name, "holders"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("look who holds %s: %w", path, err)
	}
	var names []string
	for _, h := range holders {
		names = append(names, h.Name())
	}
	if len(names) > 0 {
		return fmt.Errorf("%s is part of %s (a volume manager, RAID or encryption): `lsblk %s` shows what lies on it", path, strings.Join(names, ", "), path)
	}
	return nil
}

func noSwap(path, _ string) error {
	table, err := os.Open("/proc/swaps")
	if errors.Is(err, os.ErrNotExist) { // a kernel without swap
		return nil
	}
	if err != nil {
		return fmt.Errorf("look whether %s is swap: %w", path, err)
	}
	defer table.Close()
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		if fields := strings.Fields(lines.Text()); len(fields) > 0 && same(fields[0], path) {
			return fmt.Errorf("%s is in use as swap; `swapoff %s` ends that", path, path)
		}
	}
	return lines.Err()
}

// noPartitions refuses a disk whose partitions the kernel knows: each of them
// may be in use.
func noPartitions(path, name string) error {
	parts, err := filepath.Glob(filepath.Join("/sys/class/block", name, name+"*", "partition"))
	if err == nil && len(parts) > 0 {
		return fmt.Errorf("%s has %d partitions; name an empty disk, or clear this one with `wipefs -a %s` if nothing on it is needed", path, len(parts), path)
	}
	return err
}

// holdsNothing refuses a device with a known signature that is not part of
// blocks that Plimsoll stamped.
func holdsNothing(f *os.File) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("ask for the size of %s: %w", f.Name(), err)
	}
	m := medium{f, size}
	kind, err := m.find(func(offset int64) bool { return m.stampedAt(offset) })
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	if kind != "" {
		return fmt.Errorf("%s holds %s: it is not overwritten; `wipefs -a %s` removes that if nothing on it is needed", f.Name(), kind, f.Name())
	}
	return nil
}

// stampedAt reports whether a byte belongs to a block that Plimsoll wrote and
// that is unchanged since. The first block tells how large they are.
func (m medium) stampedAt(offset int64) bool {
	first, err := m.bytes(0, blockcheck.Sector)
	if err != nil || first == nil {
		return false
	}
	size := blockcheck.Size(first)
	if size < blockcheck.Sector || size > 16<<20 {
		return false
	}
	block, err := m.bytes(offset/size*size, int(size))
	if err != nil || block == nil {
		return false
	}
	s, valid := blockcheck.Read(block)
	return valid && s.Offset == offset/size*size
}
