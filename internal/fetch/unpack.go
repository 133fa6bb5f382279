package fetch

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Unzip unpacks what lies below prefix in an archive into a directory.
// Archives made elsewhere often carry no modes: executable says which files
// (named without the prefix) are programs; nil is none.
func Unzip(archive, prefix, into string, executable func(name string) bool) error {
	r, err := zip.OpenReader(archive)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", archive, err)
	}
	defer r.Close()
	found := false
	for _, f := range r.File {
		name, ok := strings.CutPrefix(f.Name, prefix)
		if !ok || strings.HasSuffix(name, "/") || name == "" {
			continue
		}
		if !filepath.IsLocal(name) {
			return fmt.Errorf("unpack %s: %q would lie outside the directory", archive, f.Name)
		}
		found = true
		if err := unzipFile(f, filepath.Join(into, name), modeOf(name, executable)); err != nil {
			return fmt.Errorf("unpack %s: %w", archive, err)
		}
	}
	if !found {
		return fmt.Errorf("unpack %s: nothing lies below %s in it", archive, prefix)
	}
	return nil
}

func modeOf(name string, executable func(string) bool) os.FileMode {
	if executable != nil && executable(name) {
		return 0o755
	}
	return 0o644
}

func unzipFile(f *zip.File, path string, mode os.FileMode) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	from, err := f.Open()
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	_, err = io.Copy(to, from)
	return err
}
