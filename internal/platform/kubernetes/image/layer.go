package image

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
)

// tar gives the layer as an archive: sorted and without times, so that the same
// files give the same bytes.
func (l Layer) tar() ([]byte, error) {
	files, err := l.withDirectories()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := files[name].write(w); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// withDirectories gives the files by path, with the directories on the way.
func (l Layer) withDirectories() (map[string]File, error) {
	all := map[string]File{}
	for _, f := range l {
		if !path.IsAbs(f.Path) || path.Clean(f.Path) != f.Path {
			return nil, fmt.Errorf("the path %q in the image is not an absolute path in its shortest form", f.Path)
		}
		if _, twice := all[f.Path]; twice {
			return nil, fmt.Errorf("the image has %s twice", f.Path)
		}
		all[f.Path] = f
	}
	for _, f := range l {
		for dir := path.Dir(f.Path); dir != "/"; dir = path.Dir(dir) {
			above, there := all[dir]
			if !there {
				all[dir] = File{Path: dir, Mode: fs.ModeDir | 0o755}
			} else if above.Link != "" || above.Mode&fs.ModeDir == 0 {
				return nil, fmt.Errorf("%s lies in %s, which is no directory", f.Path, dir)
			}
		}
	}
	return all, nil
}

// sticky is S_ISVTX as tar(5) has it.
const sticky = 0o1000

func (f File) write(w *tar.Writer) error {
	h := &tar.Header{Name: f.Path[1:], Mode: int64(f.Mode.Perm()), Format: tar.FormatPAX}
	if f.Mode&fs.ModeSticky != 0 {
		h.Mode |= sticky
	}
	switch {
	case f.Link != "":
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, f.Link, 0o777
		return w.WriteHeader(h)
	case f.Mode&fs.ModeDir != 0:
		h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
		return w.WriteHeader(h)
	case f.Source != "":
		return copyIn(w, h, f.Source)
	}
	h.Typeflag, h.Size = tar.TypeReg, int64(len(f.Content))
	if err := w.WriteHeader(h); err != nil {
		return err
	}
	_, err := w.Write(f.Content)
	return err
}

func copyIn(w *tar.Writer, h *tar.Header, source string) error {
	file, err := os.Open(source)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", source)
	}
	h.Typeflag, h.Size = tar.TypeReg, info.Size()
	if err := w.WriteHeader(h); err != nil {
		return err
	}
	_, err = io.Copy(w, file)
	return err
}
