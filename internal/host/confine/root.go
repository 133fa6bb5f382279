package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/safefile"
)

// runtimeDir is where the program's files are in its root directory.
const runtimeDir = "/runtime"

// system is what programs are made of: all that a root directory has of the machine, but
// for the directory that the program itself was installed in.
var system = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/nix", "/gnu"}

// devices are the devices that any program needs.
var devices = []string{"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"}

var (
	readOnly = unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	device   = unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC}
)

// makeRoot makes a root directory in the mount table of the calling thread.
func makeRoot(at string, p Program) error {
	if err := mountMemory(at, "mode=0755,size=1m"); err != nil {
		return err
	}
	for _, path := range append(slices.Clone(system), home(p.Path)) {
		if err := show(at, path, readOnly); err != nil {
			return fmt.Errorf("show %s: %w", path, err)
		}
	}
	for _, path := range devices {
		if err := show(at, path, device); err != nil {
			return fmt.Errorf("show %s: %w", path, err)
		}
	}
	dir := at + runtimeDir
	if err := safefile.Make(dir, 0o755); err != nil {
		return err
	}
	if err := mountMemory(dir, "mode=0700,size=32m"); err != nil {
		return err
	}
	if err := p.furnish(dir, runtimeDir, nobody); err != nil {
		return err
	}
	return unix.MountSetattr(unix.AT_FDCWD, at, 0, &readOnly)
}

func mountMemory(at, options string) error {
	if err := unix.Mount("plimsoll", at, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return fmt.Errorf("mount a file system in memory: %w", err)
	}
	return nil
}

// show makes a path of the machine, with everything below it, appear at the same path of a
// root directory. Paths that do not exist, or are shown already, are skipped.
func show(at, path string, attributes unix.MountAttr) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	target := at + path
	if _, err := os.Lstat(target); err == nil {
		return nil
	}
	if err := safefile.Ensure(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		to, err := os.Readlink(path)
		if err != nil {
			return err
		}
		return os.Symlink(to, target)
	}
	if err := makeLike(target, info); err != nil {
		return err
	}
	tree, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attributes); err != nil {
		return err
	}
	return unix.MoveMount(tree, "", unix.AT_FDCWD, target, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

func makeLike(path string, info fs.FileInfo) error {
	if info.IsDir() {
		return safefile.Make(path, 0o755)
	}
	return safefile.Write(path, nil, 0o644)
}

// home is the directory that a program was installed in with its libraries; for one of
// the system's it is shown already.
func home(program string) string {
	dir := filepath.Dir(program)
	if name := filepath.Base(dir); strings.HasSuffix(name, "bin") && filepath.Dir(dir) != "/" {
		return filepath.Dir(dir)
	}
	return dir
}
