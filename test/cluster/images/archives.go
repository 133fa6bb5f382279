package images

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"plimsoll/internal/platform/kubernetes/image"
)

// Archive gives the image as an archive in a directory, which keeps it for as long
// as the files that it is made of stay as they are.
func (i Image) Archive(dir string) (string, error) {
	key, err := i.key()
	if err != nil {
		return "", fmt.Errorf("image %s: %w", i.Reference, err)
	}
	file := filepath.Join(dir, i.Name+"-"+key+".tar")
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	made, err := image.Build(i.spec)
	if err != nil {
		return "", fmt.Errorf("image %s: %w", i.Reference, err)
	}
	outdated, _ := filepath.Glob(filepath.Join(dir, i.Name+"-????????????????.tar")) // the pattern is well-formed
	if err := image.WriteArchive(file, i.Reference, made); err != nil {
		return "", err
	}
	for _, old := range outdated {
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("remove an outdated image: %w", err)
		}
	}
	return file, nil
}

// key changes with the files: their names, sizes and times.
func (i Image) key() (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, i.Reference, i.spec.Entrypoint, i.spec.Env, i.spec.User)
	for _, layer := range i.spec.Layers {
		for _, f := range layer {
			fmt.Fprintf(h, "%q %q %q %v %q", f.Path, f.Source, f.Link, f.Mode, f.Content)
			if f.Source == "" {
				continue
			}
			info, err := os.Stat(f.Source)
			if err != nil {
				return "", err
			}
			fmt.Fprintln(h, info.Size(), info.ModTime().UnixNano())
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}
