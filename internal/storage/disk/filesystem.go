package disk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/journal"
)

// fileSystem is one that a simulated medium can carry.
type fileSystem struct {
	name    string
	tools   string   // the package that has its mkfs
	format  []string // arguments of mkfs
	mount   []string // options in addition to the study's
	reflink bool     // clones share blocks
}

// fileSystems lists them in order of preference, for studies that name none. The options
// leave nothing for the kernel to do in the background of a trial: no tables to initialise,
// no freed space to trim. Inodes are sparse because media are larger than the data stored
// on them.
func fileSystems() []fileSystem {
	return []fileSystem{
		{name: "xfs", tools: "xfsprogs", format: []string{"-q", "-f", "-m", "reflink=1"}, reflink: true},
		{
			name: "ext4", tools: "e2fsprogs", mount: []string{"noinit_itable"},
			format: []string{"-q", "-F", "-m", "0", "-i", "131072", "-E", "lazy_itable_init=1,lazy_journal_init=1"},
		},
		{
			name: "btrfs", tools: "btrfs-progs", mount: []string{"nodiscard"}, reflink: true,
			format: []string{"-q", "-f", "-K", "-m", "single", "-d", "single"},
		},
	}
}

func fileSystemNames() []string {
	var names []string
	for _, fs := range fileSystems() {
		names = append(names, fs.name)
	}
	return names
}

// fileSystemFor is the one that the study names, or else the first that this
// machine can make and mount; where it can none, the first of all, whose lack
// is then reported.
func fileSystemFor(asked string, lacks func(fileSystem) []string) fileSystem {
	all := fileSystems()
	for _, fs := range all {
		if fs.name == asked || asked == "" && len(lacks(fs)) == 0 {
			return fs
		}
	}
	return all[0]
}

// make formats the device.
func (fs fileSystem) make(ctx context.Context, device string) error {
	command := exec.CommandContext(ctx, "mkfs."+fs.name, append(fs.format, device)...)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("mkfs.%s %s: %w: %s%s", fs.name, device, err, strings.TrimSpace(string(out)), unreadable(journal.LoopDevices()))
	}
	return nil
}

// unreadable names the first loop device whose file cannot be looked at, because the
// process that serves its file system has ended: mkfs.btrfs looks at the files of all
// devices and makes nothing while there is one. Empty where there is none.
func unreadable(loops map[string]string) string {
	for _, device := range slices.Sorted(maps.Keys(loops)) {
		if _, err := os.Stat(loops[device]); errors.Is(err, unix.ENOTCONN) {
			return fmt.Sprintf("; %s lies on %s, whose file system has lost its process: plimsoll clean, or umount what uses %[1]s and losetup -d %[1]s",
				device, loops[device])
		}
	}
	return ""
}

// mountFlags are the options that mount(2) takes as flags.
func mountFlags() map[string]uintptr {
	return map[string]uintptr{
		"noatime": unix.MS_NOATIME, "nodiratime": unix.MS_NODIRATIME, "relatime": unix.MS_RELATIME,
		"strictatime": unix.MS_STRICTATIME, "lazytime": unix.MS_LAZYTIME,
		"sync": unix.MS_SYNCHRONOUS, "dirsync": unix.MS_DIRSYNC, "rw": 0, "defaults": 0,
	}
}

// mountAt mounts the device with the options of the study, separated by commas.
func (fs fileSystem) mountAt(at, device, options string) error {
	flags := uintptr(unix.MS_NODEV | unix.MS_NOSUID)
	data := slices.Clone(fs.mount)
	for _, option := range strings.FieldsFunc(options, func(r rune) bool { return r == ',' || r == ' ' }) {
		if flag, ok := mountFlags()[option]; ok {
			flags |= flag
			continue
		}
		data = append(data, option)
	}
	if err := unix.Mount(device, at, fs.name, flags, strings.Join(data, ",")); err != nil {
		return fmt.Errorf("mount %s (%s, options %q): %w; for details: dmesg | tail", device, fs.name, options, err)
	}
	return nil
}

// Requests of ioctl(2) that the sys package does not have.
const (
	fiTrim           = 0xc0185879 // FITRIM of linux/fs.h: _IOWR('X', 121, struct fstrim_range)
	xfsFreeEOFBlocks = 0x8080583a // XFS_IOC_FREE_EOFBLOCKS of xfs_fs.h: _IOR('X', 58, struct xfs_fs_eofblocks)
)

// collect waits until XFS has really freed what was deleted, which it does in
// the background. Other file systems have freed it already.
func collect(at string) error {
	dir, err := os.Open(at)
	if err != nil {
		return fmt.Errorf("trim deleted blocks: %w", err)
	}
	defer dir.Close()
	// struct xfs_fs_eofblocks: everything, and wait (XFS_EOF_FLAGS_SYNC).
	arguments := struct {
		version, flags uint32
		filters        [15]uint64
	}{version: 1, flags: 1}
	_, _, number := unix.Syscall(unix.SYS_IOCTL, dir.Fd(), xfsFreeEOFBlocks, uintptr(unsafe.Pointer(&arguments)))
	if number != 0 && number != unix.ENOTTY && number != unix.EOPNOTSUPP {
		return fmt.Errorf("trim deleted blocks in %s: %w", at, number)
	}
	return nil
}

// trim reports unused blocks to the medium (as fstrim(8) does), which makes
// holes in its image.
func trim(at string) error {
	dir, err := os.Open(at)
	if err != nil {
		return fmt.Errorf("trim: %w", err)
	}
	defer dir.Close()
	all := struct{ start, length, least uint64 }{length: ^uint64(0)}
	_, _, number := unix.Syscall(unix.SYS_IOCTL, dir.Fd(), fiTrim, uintptr(unsafe.Pointer(&all)))
	if number != 0 && number != unix.EOPNOTSUPP {
		return fmt.Errorf("trim %s: %w", at, number)
	}
	return nil
}
