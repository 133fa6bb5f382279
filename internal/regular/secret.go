package regular

import (
	"fmt"
	"os"
)

// Secret reads a file that a user has named and that nobody but its owner may read. It
// follows links, as those of mounted secrets are; an empty file is refused.
func Secret(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return "", fmt.Errorf("others can read %s (mode %o); chmod 600 %s", path, mode, path)
	}
	return Filled(path)
}

// Filled reads a file that must not be empty.
func Filled(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err == nil && len(text) == 0 {
		err = fmt.Errorf("%s is empty", path)
	}
	return string(text), err
}
