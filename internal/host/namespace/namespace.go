// Package namespace keeps named network namespaces as ip-netns(8) does: files
// of one directory, with a namespace mounted on each. It needs root.
package namespace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"plimsoll/internal/host/thread"
)

// directory holds the names.
const directory = "/run/netns"

// Path is the file of a namespace, as nsenter --net takes it.
func Path(name string) string { return filepath.Join(directory, name) }

// Make makes a namespace of that name.
func Make(name string) error {
	err := prepare()
	if err == nil {
		err = thread.Spare(func() error {
			made, err := netns.NewNamed(name)
			if err != nil {
				return err
			}
			return made.Close()
		})
	}
	if err != nil {
		return fmt.Errorf("create network namespace %s: %w", name, err)
	}
	return nil
}

// prepare binds the directory to itself and shares the mount, as ip-netns(8)
// says. Whoever makes the first namespace has to: when ip does it later, the
// new mount hides those that are there, and they cannot be removed. The lock
// is the one that ip takes.
func prepare() error {
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	dir, err := os.Open(directory)
	if err != nil {
		return err
	}
	defer dir.Close() // gives the lock back
	if err := unix.Flock(int(dir.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", directory, err)
	}
	share := func() error { return unix.Mount("", directory, "", unix.MS_SHARED|unix.MS_REC, "") }
	err = share()
	if errors.Is(err, unix.EINVAL) { // it is no mount yet
		err = unix.Mount(directory, directory, "", unix.MS_BIND|unix.MS_REC, "")
		if err == nil {
			err = share()
		}
	}
	if err != nil {
		return fmt.Errorf("bind %s to itself and share it: %w", directory, err)
	}
	return nil
}

// Remove removes the namespace of that name, also when later mounts hide it, and reports
// whether there was one. Programs in it keep it alive without a name.
func Remove(name string) (found bool, err error) {
	err = thread.Spare(func() error {
		found, err = uncover(Path(name))
		return err
	})
	if err != nil {
		return found, fmt.Errorf("remove network namespace %s: %w; run: ip netns delete %s", name, err, name)
	}
	return found, nil
}

// uncover takes mount after mount off the directory, in a mount table of its
// own, and removes the file wherever it shows. A file that is no mount point in
// the table of who removes it goes, and with it whatever is mounted on it in
// all others.
func uncover(path string) (found bool, err error) {
	if err := OwnMounts(); err != nil {
		return false, err
	}
	for {
		for unix.Unmount(path, unix.MNT_DETACH) == nil {
		}
		gone := os.Remove(path)
		if !errors.Is(gone, fs.ErrNotExist) {
			found, err = true, gone // what hides below answers EBUSY here
		}
		if unix.Unmount(directory, unix.MNT_DETACH) != nil {
			return found, err
		}
	}
}

// OwnMounts gives the calling thread, which has to be a spare one, a copy of the mount
// table. Only this thread and the processes it starts see its later mounts and unmounts.
func OwnMounts() error {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("copy the mount table: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("make the mount table private: %w", err)
	}
	return nil
}
