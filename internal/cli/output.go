package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"plimsoll/internal/mounts"
)

// toFile writes an output that the user named. A regular file is replaced
// whole or not at all and keeps its mode and owner; links are followed to
// where they lead; a device, pipe or socket is written to and stays what it is.
func toFile(path string, write func(io.Writer) error) error {
	var text bytes.Buffer
	err := write(&text)
	if err == nil {
		err = writeOutput(path, text.Bytes())
	}
	var named *fs.PathError
	if errors.As(err, &named) && named.Path == path {
		err = named.Err // the message has the path already
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, mounts.NameFull(err, path))
	}
	return nil
}

func writeOutput(path string, text []byte) error {
	_, before := os.Lstat(path)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		_, err := f.Write(text)
		return err
	}
	err = replaceOutput(f, path, info, text)
	if err != nil && errors.Is(before, fs.ErrNotExist) {
		err = errors.Join(err, os.Remove(f.Name())) // it was made by this attempt
	}
	return err
}

// replaceOutput puts a new file in the place of an old one. Where that is not
// permitted, the old one is written to as it is.
func replaceOutput(old *os.File, path string, info fs.FileInfo, text []byte) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return overwrite(old, text) // /dev/stdout of a file that was removed
	}
	err = replaceFile(real, info, text)
	if errors.Is(err, fs.ErrPermission) {
		return overwrite(old, text)
	}
	return err
}

func replaceFile(path string, like fs.FileInfo, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".plimsoll-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err := errors.Join(err, sameOwner(f, like), f.Chmod(like.Mode().Perm()), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// sameOwner gives a file to the owner of the one that it replaces.
func sameOwner(f *os.File, like fs.FileInfo) error {
	owner, ok := like.Sys().(*syscall.Stat_t)
	if !ok || int(owner.Uid) == os.Geteuid() && int(owner.Gid) == os.Getegid() {
		return nil
	}
	return f.Chown(int(owner.Uid), int(owner.Gid))
}

func overwrite(f *os.File, text []byte) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.Write(text)
	return err
}
