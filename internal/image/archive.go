package image

import (
	"archive/tar"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// WriteArchive writes an image as an OCI archive. The reference is the name that
// it has after an import.
func WriteArchive(file, reference string, image v1.Image) error {
	if err := writeArchive(file, reference, image); err != nil {
		return fmt.Errorf("write the image %s: %w", reference, err)
	}
	return nil
}

func writeArchive(file, reference string, image v1.Image) (err error) {
	dir, err := os.MkdirTemp(filepath.Dir(file), ".image-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	place, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	// containerd reads the first, others the second.
	names := map[string]string{"io.containerd.image.name": reference, "org.opencontainers.image.ref.name": reference}
	if err := place.AppendImage(image, layout.WithAnnotations(names)); err != nil {
		return err
	}
	return pack(dir, file)
}

// pack writes the archive under another name first: one that is there is whole.
func pack(dir, file string) error {
	out, err := os.CreateTemp(filepath.Dir(file), ".archive-*")
	if err != nil {
		return err
	}
	w := tar.NewWriter(out)
	err = errors.Join(w.AddFS(os.DirFS(dir)), w.Close(), out.Chmod(0o644), out.Close())
	if err == nil {
		err = os.Rename(out.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(out.Name()))
	}
	return nil
}
