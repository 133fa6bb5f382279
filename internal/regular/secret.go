package regular

import (
	"fmt"
	"io/fs"
)

// Secret reads a file that a user has named and that nobody but its owner may read. It
// follows links, as those of mounted secrets are; an empty file is refused.
func Secret(path string) (string, error) {
	return filled(path, func(info fs.FileInfo) error {
		if mode := info.Mode().Perm(); mode&0o077 != 0 {
			return fmt.Errorf("others can read %s (mode %o); chmod 600 %s", path, mode, path)
		}
		return nil
	})
}

// Filled reads a file that must not be empty.
func Filled(path string) (string, error) {
	return filled(path, func(fs.FileInfo) error { return nil })
}

// filled reads a file that must not be empty, if what it opened is accepted.
func filled(path string, accept func(fs.FileInfo) error) (string, error) {
	f, err := Named(path, MostInput)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = accept(info)
	}
	if err != nil {
		return "", err
	}
	text, err := whole(f, MostInput)
	if err == nil && len(text) == 0 {
		err = fmt.Errorf("%s is empty", path)
	}
	return string(text), err
}
