package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/owner"
)

// directory is an open one (O_PATH), on a path that no other user can change.
type directory struct{ *os.File }

func (d directory) fd() int { return int(d.Fd()) }

// open opens what has a name in the directory, and follows no link.
func (d directory) open(name string, flags int, mode fs.FileMode) (*os.File, error) {
	fd, err := unix.Openat(d.fd(), name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, uint32(mode.Perm()))
	switch {
	case errors.Is(err, unix.EEXIST):
		return nil, d.taken(name)
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ENXIO):
		return nil, fmt.Errorf("there is %s: find out whose it is and remove it, or choose another place: %w", d.found(name), err)
	case err != nil:
		return nil, err
	}
	return os.NewFile(uintptr(fd), filepath.Join(d.Name(), name)), nil
}

// taken describes the existing file of a name that was to be made.
func (d directory) taken(name string) error {
	return fmt.Errorf("there is %s, which this run has not made: find out whose it is and remove it, or choose another place: %w", d.found(name), fs.ErrExist)
}

// make makes a directory in this one.
func (d directory) make(name string, mode fs.FileMode, uid, gid int) error {
	err := unix.Mkdirat(d.fd(), name, 0o700)
	if errors.Is(err, unix.EEXIST) {
		return d.taken(name)
	}
	if err != nil {
		return err
	}
	made, err := d.open(name, unix.O_DIRECTORY, 0)
	if err == nil {
		err = errors.Join(ownDirectory(made), give(made, mode, uid, gid), made.Close())
	}
	if err != nil {
		return errors.Join(err, unix.Unlinkat(d.fd(), name, unix.AT_REMOVEDIR))
	}
	return nil
}

// ensure opens a directory of this user in this one, or makes it.
func (d directory) ensure(name string, mode fs.FileMode) (directory, error) {
	err := d.make(name, mode, Keep, Keep)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return directory{}, err
	}
	dir, err := d.open(name, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return directory{}, err
	}
	if err := ownDirectory(dir); err != nil {
		return directory{}, errors.Join(err, dir.Close())
	}
	return directory{dir}, nil
}

// ownDirectory proves that a directory is this user's, or of who called sudo, and that
// nobody else can write to it.
func ownDirectory(dir *os.File) error {
	var s unix.Stat_t
	if err := unix.Fstat(int(dir.Fd()), &s); err != nil {
		return err
	}
	if !owner.Trusted(s.Uid) || s.Uid == 0 && os.Geteuid() != 0 {
		return fmt.Errorf("there is %s, which does not belong to uid %d: find out whose it is and remove it, or choose another place", found(s), os.Geteuid())
	}
	if writers := othersWho(s, dir); writers != "" {
		return fmt.Errorf("there is %s, which %s can write to: run `chmod go-w` on it if all that is in it is yours, else choose another place", found(s), writers)
	}
	return nil
}

// giveTree gives what has a name in the directory, and all below it, to a user.
func (d directory) giveTree(name string, uid, gid int) error {
	f, err := d.open(name, unix.O_PATH, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Fchownat(int(f.Fd()), "", uid, gid, unix.AT_EMPTY_PATH); err != nil {
		return &os.PathError{Op: "chown", Path: f.Name(), Err: err}
	}
	if info, err := f.Stat(); err != nil || !info.IsDir() {
		return err
	}
	dir := directory{f}
	list, err := dir.open(".", unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	names, err := list.Readdirnames(-1)
	if err = errors.Join(err, list.Close()); err != nil {
		return err
	}
	for _, n := range names {
		if err := dir.giveTree(n, uid, gid); err != nil {
			return err
		}
	}
	return nil
}

// found describes what has a name in the directory.
func (d directory) found(name string) string {
	var s unix.Stat_t
	if unix.Fstatat(d.fd(), name, &s, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return "something"
	}
	return found(s)
}

func found(s unix.Stat_t) string {
	kind := map[uint32]string{
		unix.S_IFDIR: "a directory", unix.S_IFLNK: "a link", unix.S_IFREG: "a file", unix.S_IFIFO: "a pipe", unix.S_IFSOCK: "a socket",
	}[s.Mode&unix.S_IFMT]
	if kind == "" {
		kind = "a device"
	}
	return fmt.Sprintf("%s of uid %d (mode %04o)", kind, s.Uid, s.Mode&0o7777)
}
