package fetch

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/xi2/xz"
)

// UntarXZ unpacks a tar that was compressed with xz into a directory. Nothing is written
// outside, also through links of the archive.
func UntarXZ(archive io.Reader, into string) error {
	plain, err := xz.NewReader(archive, 0)
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	return untar(plain, into)
}

// UntarGZ is UntarXZ for a tar that was compressed with gzip.
func UntarGZ(archive io.Reader, into string) error {
	plain, err := gzip.NewReader(archive)
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	return untar(plain, into)
}

func untar(plain io.Reader, into string) error {
	root, err := os.OpenRoot(into)
	if err != nil {
		return err
	}
	defer root.Close()
	in := tar.NewReader(plain)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = unpack(root, h, in)
		}
		if err != nil {
			return fmt.Errorf("unpack: %w", err)
		}
	}
}

func unpack(root *os.Root, h *tar.Header, in io.Reader) (err error) {
	name := filepath.Clean(h.Name)
	if h.Typeflag == tar.TypeDir {
		return root.MkdirAll(name, 0o755)
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeReg:
		to, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, os.FileMode(h.Mode).Perm()&^0o022)
		if err != nil {
			return err
		}
		_, err = io.Copy(to, in)
		return errors.Join(err, to.Close())
	case tar.TypeSymlink:
		if !filepath.IsLocal(filepath.Join(filepath.Dir(name), h.Linkname)) || filepath.IsAbs(h.Linkname) {
			return fmt.Errorf("%q leads to %q, outside the directory", h.Name, h.Linkname)
		}
		return root.Symlink(h.Linkname, name)
	case tar.TypeLink:
		return root.Link(filepath.Clean(h.Linkname), name)
	}
	return fmt.Errorf("%q is neither a file, a directory nor a link", h.Name)
}
