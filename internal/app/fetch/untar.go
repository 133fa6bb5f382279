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

	"plimsoll/internal/host/safefile"
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
	in, limit := tar.NewReader(plain), newLimit()
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = unpack(root, h, in, limit)
		}
		if err != nil {
			return fmt.Errorf("unpack: %w", err)
		}
	}
}

func unpack(root *os.Root, h *tar.Header, in io.Reader, limit *limit) error {
	name := filepath.Clean(h.Name)
	if h.Typeflag == tar.TypeDir {
		return errors.Join(limit.entry(), safefile.MakeAll(root, name, 0o755))
	}
	if err := safefile.MakeAll(root, filepath.Dir(name), 0o755); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeReg:
		return writeNew(root, name, os.FileMode(h.Mode).Perm()&^0o022, in, limit)
	case tar.TypeSymlink:
		if !filepath.IsLocal(filepath.Join(filepath.Dir(name), h.Linkname)) || filepath.IsAbs(h.Linkname) {
			return fmt.Errorf("%q leads to %q, outside the directory", h.Name, h.Linkname)
		}
		return errors.Join(limit.entry(), root.Symlink(h.Linkname, name))
	case tar.TypeLink:
		return errors.Join(limit.entry(), root.Link(filepath.Clean(h.Linkname), name))
	}
	return fmt.Errorf("%q is neither a file, a directory nor a link", h.Name)
}
