package safefile

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/owner"
	"plimsoll/internal/text/words"
)

// Prove checks that only root and this user can replace files that this user makes in a
// directory. If not, the error gives the reason. It checks each part of the path that
// exists: each directory and link must belong to one of the two, and no other user may
// write there, unless the sticky bit protects other users' files. For root by sudo(8) the
// calling user counts as root too (see owner.Trusted).
func Prove(path string) error {
	dir, _, err := reach(path)
	if err != nil {
		return err
	}
	return dir.Close()
}

// mostLinks is how many links a path may have, as the kernel has it (path_resolution(7)).
const mostLinks = 40

// walk opens a directory, part by part, and proves each.
func walk(path string) (directory, error) {
	dir, missing, err := reach(path)
	if err == nil && len(missing) > 0 {
		return directory{}, errors.Join(&os.PathError{Op: "open", Path: path, Err: unix.ENOENT}, dir.Close())
	}
	return dir, err
}

// above opens the directory that something is to be made in, and makes those that are
// missing on the way.
func above(path string, mode fs.FileMode) (directory, string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return directory{}, "", err
	}
	dir, missing, err := reach(filepath.Dir(path))
	if err != nil {
		return directory{}, "", err
	}
	for _, name := range missing {
		next, err := dir.ensure(name, mode)
		if err = errors.Join(err, dir.Close()); err != nil {
			return directory{}, "", err
		}
		dir = next
	}
	return dir, filepath.Base(path), nil
}

// reach opens the last directory of a path that exists, and gives the parts that are
// missing.
func reach(path string) (dir directory, missing []string, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return directory{}, nil, err
	}
	if dir, err = slash(); err != nil {
		return directory{}, nil, err
	}
	links := 0
	for rest := parts(path); len(rest) > 0; {
		next, to, err := dir.step(rest[0])
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return dir, rest, nil
		case err != nil:
			return directory{}, nil, errors.Join(err, dir.Close())
		case to == "":
			_ = dir.Close() // it was only read
			dir, rest = next, rest[1:]
			continue
		}
		if links++; links > mostLinks {
			return directory{}, nil, errors.Join(&os.PathError{Op: "open", Path: path, Err: unix.ELOOP}, dir.Close())
		}
		rest = append(parts(to), rest[1:]...)
		if filepath.IsAbs(to) {
			_ = dir.Close()
			if dir, err = slash(); err != nil {
				return directory{}, nil, err
			}
		}
	}
	return dir, nil, nil
}

func parts(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(s string) bool { return s == "" || s == "." })
}

func slash() (directory, error) {
	fd, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return directory{}, &os.PathError{Op: "open", Path: "/", Err: err}
	}
	return directory{os.NewFile(uintptr(fd), "/")}, nil
}

// step opens what has a name in a directory and proves it: a directory, or a link, whose
// target it gives.
func (d directory) step(name string) (next directory, to string, err error) {
	path := filepath.Join(d.Name(), name)
	fd, err := unix.Openat(d.fd(), name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return directory{}, "", &os.PathError{Op: "open", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	var s unix.Stat_t
	if err = unix.Fstat(fd, &s); err == nil {
		err = passes(f, s)
	}
	switch {
	case err != nil:
	case s.Mode&unix.S_IFMT == unix.S_IFLNK:
		buffer := make([]byte, unix.PathMax)
		n, err := unix.Readlinkat(fd, "", buffer)
		return directory{}, string(buffer[:max(n, 0)]), errors.Join(err, f.Close())
	case s.Mode&unix.S_IFMT != unix.S_IFDIR:
		err = &os.PathError{Op: "open", Path: path, Err: unix.ENOTDIR}
	default:
		return directory{f}, "", nil
	}
	return directory{}, "", errors.Join(err, f.Close())
}

// passes returns an error if other users could replace a part of the path.
func passes(f *os.File, s unix.Stat_t) error {
	shown := words.Shell(f.Name())
	if owner.Alone() {
		return nil
	}
	if !owner.Trusted(s.Uid) {
		return fmt.Errorf("%s is %s, who could replace what this program makes there: choose a place that nobody but %s can change, or take that user's rights away: chown %d %s", f.Name(), found(s), us(), os.Geteuid(), shown)
	}
	if s.Mode&unix.S_IFMT != unix.S_IFDIR || s.Mode&unix.S_ISVTX != 0 {
		return nil
	}
	if writers := othersWho(s, f); writers != "" {
		return fmt.Errorf("%s is %s, in which %s can replace what this program makes: choose another place, or run: chmod go-w %s (or chmod +t, if they are to write there)", f.Name(), found(s), writers, shown)
	}
	return nil
}

// us are the users who may change what is on the way, in words.
func us() string {
	if os.Geteuid() == 0 {
		return "root"
	}
	return fmt.Sprintf("root and uid %d", os.Geteuid())
}

// othersWho names the users besides the owner who can write to a directory. Entries of
// access control lists show in the bits of its group (acl(5)).
func othersWho(s unix.Stat_t, dir *os.File) string {
	switch {
	case owner.Alone():
	case s.Mode&unix.S_IWOTH != 0:
		return "every user"
	case s.Mode&unix.S_IWGRP != 0 && hasList(dir):
		return "who its access control list names"
	case s.Mode&unix.S_IWGRP != 0 && !private(s.Gid):
		return fmt.Sprintf("the group with gid %d", s.Gid)
	}
	return ""
}

func hasList(dir *os.File) bool {
	_, err := unix.Getxattr(fmt.Sprintf("/proc/self/fd/%d", dir.Fd()), "system.posix_acl_access", nil)
	return err == nil
}

// private reports whether all members of a group are trusted anyway, as in root's group,
// and in the group that many systems make for each user, with nobody else in it.
func private(gid uint32) bool {
	if gid == 0 {
		return true
	}
	known, names := false, []string{}
	for _, user := range lines("/etc/passwd", 4) {
		uid, err := strconv.ParseUint(user[2], 10, 32)
		switch {
		case err == nil && owner.Trusted(uint32(uid)):
			names = append(names, user[0])
			known = known || user[3] == fmt.Sprint(gid)
		case user[3] == fmt.Sprint(gid):
			return false
		}
	}
	for _, group := range lines("/etc/group", 4) {
		if group[2] != fmt.Sprint(gid) {
			continue
		}
		for _, member := range strings.FieldsFunc(group[3], func(r rune) bool { return r == ',' }) {
			known = known && slices.Contains(names, member)
		}
	}
	return known
}

// lines returns the lines of a table of users or groups that have enough fields.
func lines(path string, fields int) (all [][]string) {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		if line := strings.Split(in.Text(), ":"); len(line) >= fields {
			all = append(all, line)
		}
	}
	return all
}
