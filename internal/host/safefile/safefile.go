// Package safefile makes and opens a run's own files below directories that other users may
// write to, such as /var/tmp. Others can guess names there in advance, so nothing is
// trusted as found: directories and files are made exclusively and by descriptor, with the
// intended owner and mode whatever the umask is, and an existing file is used only when it
// is proved to be this user's. Once a path has passed, files below it can be named by that
// path, for example to a program: nobody else can replace a part of it.
package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Keep leaves a user or a group as the file system sets it.
const Keep = -1

// Make makes a directory, and those above it that are missing, each with a mode. It is an
// error if the directory exists.
func Make(path string, mode fs.FileMode) error { return MakeFor(path, mode, Keep, Keep) }

// MakeFor is Make for a directory of another user, whom those above it do not belong to.
func MakeFor(path string, mode fs.FileMode, uid, gid int) error {
	parent, name, err := above(path, mode)
	if err != nil {
		return failed("make", path, err)
	}
	defer parent.Close()
	if err := parent.make(name, mode, uid, gid); err != nil {
		return failed("make", path, err)
	}
	return nil
}

// Ensure is Make for a directory that may exist if it is this user's own: one of another
// user, a link, or one that others can write to is refused.
func Ensure(path string, mode fs.FileMode) error {
	parent, name, err := above(path, mode)
	if err != nil {
		return failed("make", path, err)
	}
	defer parent.Close()
	dir, err := parent.ensure(name, mode)
	if err != nil {
		return failed("use", path, err)
	}
	return dir.Close()
}

// Create makes a file, which must not exist, below a directory that passes Prove.
func Create(path string, mode fs.FileMode) (*os.File, error) {
	return openFile(path, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY, mode)
}

// Replace opens a file for writing from its beginning, or makes it; one that exists is as
// Append demands it, and loses its content.
func Replace(path string, mode fs.FileMode) (*os.File, error) {
	f, err := openFile(path, unix.O_CREAT|unix.O_WRONLY, mode)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Append opens a file for appending, or makes it. One that exists must be this user's own,
// and have no other name.
func Append(path string, mode fs.FileMode) (*os.File, error) {
	return openFile(path, unix.O_CREAT|unix.O_APPEND|unix.O_WRONLY, mode)
}

// Write gives a file its content at once: whoever opens it finds the old or the new one.
func Write(path string, content []byte, mode fs.FileMode) error {
	return WriteIn(filepath.Dir(path), filepath.Base(path), content, mode, Keep, Keep)
}

// WriteIn is Write for a file below a directory that may be another user's, as the file then
// is. He can have it put elsewhere in his directory, but no other file written to or given
// away. Directories on the way that are missing are made for him.
func WriteIn(dir, name string, content []byte, mode fs.FileMode, uid, gid int) error {
	root, err := openRoot(dir)
	if err != nil {
		return failed("write to", dir, err)
	}
	defer root.Close()
	name = filepath.Clean(name)
	if err := makeAllFor(root, filepath.Dir(name), uid, gid); err != nil {
		return failed("write", filepath.Join(dir, name), err)
	}
	if err := writeFile(root, name, content, mode, uid, gid); err != nil {
		return failed("write", filepath.Join(dir, name), err)
	}
	return nil
}

// openRoot opens a directory in one that passes Prove.
func openRoot(dir string) (*os.Root, error) {
	parent, name, err := above(dir, 0o700)
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	d, err := parent.open(name, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return os.OpenRoot(fmt.Sprintf("/proc/self/fd/%d", d.Fd()))
}

func writeFile(root *os.Root, name string, content []byte, mode fs.FileMode, uid, gid int) error {
	fresh := name + ".plimsoll-new"
	if err := root.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) { // of an attempt that was ended
		return err
	}
	f, err := root.OpenFile(fresh, os.O_CREATE|os.O_EXCL|os.O_WRONLY|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, give(f, mode, uid, gid), f.Close())
	if err == nil {
		err = root.Rename(fresh, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(fresh))
	}
	return nil
}

// makeAllFor makes the directories of a path that are missing, for a user.
func makeAllFor(root *os.Root, path string, uid, gid int) error {
	if path == "." {
		return nil
	}
	if err := makeAllFor(root, filepath.Dir(path), uid, gid); err != nil {
		return err
	}
	if err := root.Mkdir(path, 0o700); errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	d, err := root.OpenFile(path, unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	return errors.Join(give(d, 0o700, uid, gid), d.Close())
}

func openFile(path string, flags int, mode fs.FileMode) (*os.File, error) {
	parent, err := walk(filepath.Dir(path))
	if err != nil {
		return nil, failed("open", path, err)
	}
	defer parent.Close()
	// Without O_NONBLOCK the opening of a pipe waits for its reader.
	f, err := parent.open(filepath.Base(path), flags|unix.O_NONBLOCK, 0o600)
	if err == nil {
		err = ownFile(f, mode)
	}
	if err != nil {
		return nil, failed("open", path, errors.Join(err, closed(f)))
	}
	return f, nil
}

// ownFile proves that an open file is this user's alone, and gives it its mode.
func ownFile(f *os.File, mode fs.FileMode) error {
	var s unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &s); err != nil {
		return err
	}
	if s.Mode&unix.S_IFMT != unix.S_IFREG || int(s.Uid) != os.Geteuid() || s.Nlink != 1 {
		return fmt.Errorf("there is %s with %d names, which this program has not made: remove it, or choose another place", found(s), s.Nlink)
	}
	return unix.Fchmod(int(f.Fd()), uint32(mode.Perm()))
}

func closed(f *os.File) error {
	if f == nil {
		return nil
	}
	return f.Close()
}

// give sets the owner of an open file and then its mode, which a change of owner alters.
func give(f *os.File, mode fs.FileMode, uid, gid int) error {
	if uid != Keep || gid != Keep {
		if err := unix.Fchown(int(f.Fd()), uid, gid); err != nil {
			return fmt.Errorf("give it to uid %d: %w", uid, err)
		}
	}
	return unix.Fchmod(int(f.Fd()), uint32(mode.Perm()))
}

// Chmod sets the mode of a file that a program has made for this user, or of a mounted file
// system, in a directory that passes Prove.
func Chmod(path string, mode fs.FileMode) error {
	parent, err := walk(filepath.Dir(path))
	if err != nil {
		return failed("set the mode of", path, err)
	}
	defer parent.Close()
	f, err := parent.open(filepath.Base(path), unix.O_RDONLY, 0)
	if err != nil {
		return failed("set the mode of", path, err)
	}
	return errors.Join(give(f, mode, Keep, Keep), f.Close())
}

// GiveTree gives all that is below a directory to a user. No link is followed, and nothing
// outside is reached although the directories are moved meanwhile.
func GiveTree(path string, uid, gid int) error {
	parent, err := walk(filepath.Dir(path))
	if err != nil {
		return failed("give away", path, err)
	}
	defer parent.Close()
	if err := parent.giveTree(filepath.Base(path), uid, gid); err != nil {
		return failed("give away", path, err)
	}
	return nil
}

// MakeAll makes the directories of a path below an open one that are missing, with a mode
// whatever the umask is.
func MakeAll(root *os.Root, path string, mode fs.FileMode) error {
	path = filepath.Clean(path)
	if path == "." {
		return nil
	}
	if err := MakeAll(root, filepath.Dir(path), mode); err != nil {
		return err
	}
	if err := root.Mkdir(path, 0o700); errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	return root.Chmod(path, mode)
}

func failed(act, path string, err error) error {
	return fmt.Errorf("%s %s: %w", act, path, err)
}
