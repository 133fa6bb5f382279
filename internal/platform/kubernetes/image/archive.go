package image

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// CheckReference says why an image cannot have that name.
func CheckReference(reference string) error {
	_, err := name.NewTag(reference)
	return err
}

// WriteArchive writes an image as an archive that appears whole or not at all. The
// reference is the name that it has after an import.
func WriteArchive(file, reference string, image v1.Image) error {
	out, err := os.CreateTemp(filepath.Dir(file), ".archive-*")
	if err != nil {
		return fmt.Errorf("write the image %s: %w", reference, err)
	}
	err = errors.Join(archive(out, filepath.Dir(file), reference, image), out.Chmod(0o644), out.Close())
	if err == nil {
		err = os.Rename(out.Name(), file)
	}
	if err != nil {
		return fmt.Errorf("write the image %s: %w", reference, errors.Join(err, os.Remove(out.Name())))
	}
	return nil
}

// Archive writes an image as an OCI archive, which any version of Docker reads, too.
func Archive(w io.Writer, reference string, image v1.Image) error {
	if err := archive(w, os.TempDir(), reference, image); err != nil {
		return fmt.Errorf("write the image %s: %w", reference, err)
	}
	return nil
}

// archive lays the image out below a directory first, because a layer's place in
// the archive is its digest.
func archive(w io.Writer, below, reference string, image v1.Image) (err error) {
	tag, err := name.NewTag(reference)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(below, ".image-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	place, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	// containerd reads the first, others the second.
	names := map[string]string{"io.containerd.image.name": inFull(tag), "org.opencontainers.image.ref.name": reference}
	if err := errors.Join(place.AppendImage(image, layout.WithAnnotations(names)), forDocker(dir, tag, image)); err != nil {
		return err
	}
	out := tar.NewWriter(w)
	return errors.Join(addDirectory(out, dir), out.Close())
}

// addDirectory adds the contents of a directory, without this machine's times, owners and
// modes, so that the same image gives the same bytes.
func addDirectory(w *tar.Writer, dir string) error {
	return filepath.WalkDir(dir, func(source string, e fs.DirEntry, err error) error {
		if err != nil || source == dir {
			return err
		}
		f := File{Path: strings.TrimPrefix(source, dir), Source: source, Mode: 0o644}
		if e.IsDir() {
			f.Mode = fs.ModeDir | 0o755
		}
		return f.write(w)
	})
}

// inFull is a reference as the kubelet has containerd look for it: "postgres:17" is
// docker.io/library/postgres:17. The library names that registry by its old name.
func inFull(tag name.Tag) string {
	return strings.Replace(tag.Name(), name.DefaultRegistry+"/", "docker.io/", 1)
}

// forDocker writes the table of contents that Docker reads before version 25: the
// format of docker save.
func forDocker(dir string, tag name.Tag, image v1.Image) error {
	manifest, err := image.Manifest()
	if err != nil {
		return err
	}
	d := tarball.Descriptor{Config: blob(manifest.Config.Digest), RepoTags: []string{inFull(tag)}}
	for _, l := range manifest.Layers {
		d.Layers = append(d.Layers, blob(l.Digest))
	}
	text, err := json.Marshal(tarball.Manifest{d})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "manifest.json"), text, 0o644)
}

// blob is the path of a blob in a layout, by its digest.
func blob(digest v1.Hash) string { return "blobs/" + digest.Algorithm + "/" + digest.Hex }
