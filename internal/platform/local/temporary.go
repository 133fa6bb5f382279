package local

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// temporaries are the directories for temporary files.
var temporaries = []string{"/tmp", "/dev/shm"}

// ownTemporary gives the mount table of a thread temporary directories of its own.
// They hold only the files that a server was given.
func ownTemporary(kept ...string) error {
	var trees []tree
	defer func() {
		for _, t := range trees {
			_ = unix.Close(t.fd) // it is mounted, or not wanted
		}
	}()
	for _, path := range outermost(kept) {
		fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if err != nil {
			return fmt.Errorf("keep %s: %w", path, err)
		}
		trees = append(trees, tree{path, fd})
	}
	for _, dir := range temporaries {
		if err := unix.Mount("plimsoll", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777"); err != nil {
			return fmt.Errorf("mount a %s of its own: %w", dir, err)
		}
	}
	for _, t := range trees {
		if err := t.mount(); err != nil {
			return fmt.Errorf("keep %s: %w", t.path, err)
		}
	}
	return nil
}

// tree is a copy of the mounts at a path and below it.
type tree struct {
	path string
	fd   int
}

// mount puts it back at its path, in a file system that is new.
func (t tree) mount() error {
	if err := os.MkdirAll(t.path, 0o755); err != nil {
		return err
	}
	return unix.MoveMount(t.fd, "", unix.AT_FDCWD, t.path, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

// outermost are the paths below a temporary directory that are not inside one another.
func outermost(paths []string) (all []string) {
	paths = slices.Sorted(slices.Values(paths)) // a path comes after the paths that contain it
	for _, path := range paths {
		inside := slices.ContainsFunc(all, func(above string) bool { return path == above || within(path, above) })
		if !inside && slices.ContainsFunc(temporaries, func(dir string) bool { return within(path, dir) }) {
			all = append(all, path)
		}
	}
	return all
}

// installed is the directory in a temporary one that a program was installed in; empty if
// it is elsewhere.
func installed(program string) string {
	for _, dir := range temporaries {
		rest, inside := strings.CutPrefix(filepath.Clean(program), dir+"/")
		top, _, deeper := strings.Cut(rest, "/")
		if inside && deeper {
			return filepath.Join(dir, top)
		}
	}
	return ""
}
