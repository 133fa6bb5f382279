// Package archive sends a directory over a stream that may break: a compressed tar,
// whose end cannot be mistaken.
package archive

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/safefile"
)

// Write writes a directory. Files may grow or vanish meanwhile: a file is sent with its
// size at the start of its turn. Sockets and devices are left out.
func Write(ctx context.Context, w io.Writer, dir string) error {
	zip, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	out := tar.NewWriter(zip)
	root := os.DirFS(dir)
	err = fs.WalkDir(root, ".", func(name string, _ fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist) && name != ".":
			return nil
		case err != nil:
			return err
		}
		return send(out, dir, name)
	})
	if err != nil {
		return fmt.Errorf("send %s: %w", dir, err)
	}
	return errors.Join(out.Close(), zip.Close())
}

func send(out *tar.Writer, dir, name string) error {
	path := filepath.Join(dir, name)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	switch info.Mode().Type() {
	case 0:
		return sendFile(out, path, name)
	case fs.ModeDir:
		return out.WriteHeader(header(info, name+"/"))
	case fs.ModeSymlink:
		h := header(info, name)
		if h.Linkname, err = os.Readlink(path); err != nil {
			return err
		}
		if filepath.IsAbs(h.Linkname) { // into the directory it leads there, too, where it arrives
			if inside, err := filepath.Rel(filepath.Dir(path), h.Linkname); err == nil && within(name, inside) {
				h.Linkname = inside
			}
		}
		return out.WriteHeader(h)
	}
	return nil
}

// within reports whether a relative link of that name stays inside the directory.
func within(name, link string) bool {
	return !filepath.IsAbs(link) && filepath.IsLocal(filepath.Join(filepath.Dir(name), link))
}

func header(info fs.FileInfo, name string) *tar.Header {
	h := &tar.Header{Name: name, Mode: int64(info.Mode().Perm()), ModTime: info.ModTime(), Format: tar.FormatPAX}
	switch info.Mode().Type() {
	case fs.ModeDir:
		h.Typeflag = tar.TypeDir
	case fs.ModeSymlink:
		h.Typeflag = tar.TypeSymlink
	default:
		h.Typeflag, h.Size = tar.TypeReg, info.Size()
	}
	return h
}

func sendFile(out *tar.Writer, path, name string) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := out.WriteHeader(header(info, name)); err != nil {
		return err
	}
	_, err = io.CopyN(out, file, info.Size())
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s became shorter while it was read", name)
	}
	return err
}

// mostEntries bounds the files, directories and links of a stream.
const mostEntries = 1 << 22

// Read makes a directory from a stream of Write. Whatever the stream contains, Read writes
// nothing outside of the directory, makes no link that leads out of it and no file with
// special bits, and does not let an endless stream fill the file system. When it breaks,
// nothing is left.
func Read(r io.Reader, to string) error {
	if err := safefile.Make(to, 0o755); err != nil {
		return err
	}
	err := read(r, to)
	if err != nil {
		return fmt.Errorf("receive %s: %w", to, errors.Join(err, os.RemoveAll(to)))
	}
	return nil
}

func read(r io.Reader, to string) error {
	zip, err := gzip.NewReader(r)
	if err != nil {
		return whole(err)
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer root.Close()
	room, err := roomIn(to)
	if err != nil {
		return err
	}
	var dirs []*tar.Header
	for in, entries := tar.NewReader(zip), 0; ; entries++ {
		h, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return whole(err)
		}
		if room -= h.Size; entries >= mostEntries || room < 0 {
			return fmt.Errorf("%s: the stream has more than %d entries, or than the file system has room for; free some space or choose another place", h.Name, mostEntries)
		}
		if err := receive(root, h, in); err != nil {
			return fmt.Errorf("%s: %w", h.Name, whole(err))
		}
		if h.Typeflag == tar.TypeDir {
			dirs = append(dirs, h)
		}
	}
	if _, err := io.Copy(io.Discard, zip); err != nil { // the checksum comes last
		return whole(err)
	}
	for _, h := range slices.Backward(dirs) { // some cannot be written to once they are as they were
		if err := errors.Join(root.Chmod(h.Name, mode(h)), root.Chtimes(h.Name, time.Time{}, h.ModTime)); err != nil {
			return err
		}
	}
	return nil
}

// whole explains an early end.
func whole(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the stream has broken off: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// roomIn is what may be written to the file system of a directory, in bytes: a twentieth
// stays free for others.
func roomIn(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	free := int64(s.Bavail) * s.Bsize //nolint:gosec // far below the limit
	return free - free/20, nil
}

func mode(h *tar.Header) fs.FileMode { return fs.FileMode(h.Mode).Perm() }

func receive(root *os.Root, h *tar.Header, in io.Reader) error {
	switch h.Typeflag {
	case tar.TypeDir:
		if filepath.Clean(h.Name) == "." {
			return nil
		}
		return root.Mkdir(h.Name, 0o700)
	case tar.TypeSymlink:
		if !within(h.Name, h.Linkname) {
			return fmt.Errorf("the link leads to %q, outside the directory", h.Linkname)
		}
		return root.Symlink(h.Linkname, h.Name)
	case tar.TypeReg:
		return receiveFile(root, h, in)
	}
	return fmt.Errorf("an entry of type %q is not expected", h.Typeflag)
}

func receiveFile(root *os.Root, h *tar.Header, in io.Reader) error {
	file, err := root.OpenFile(h.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, in)
	return errors.Join(err, file.Chmod(mode(h)), file.Close(), root.Chtimes(h.Name, time.Time{}, h.ModTime))
}
