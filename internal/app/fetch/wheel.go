package fetch

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
)

// ErrNoPip means that Python's package installer is missing.
var ErrNoPip = errors.New("the package installer of Python, pip, is not installed")

// Wheel gets one package of Python (name==version) with the user's own pip, its settings
// and mirrors, and returns the path of the archive in into, an empty directory. The archive
// is not installed. options are passed to `pip download`, such as --python-version=3.12.
func Wheel(ctx context.Context, requirement, into string, options ...string) (string, error) {
	pip, err := pipPath()
	if err != nil {
		return "", err
	}
	words := append([]string{"download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", into}, options...)
	cmd := exec.CommandContext(ctx, pip, append(words, requirement)...)
	cmd.Dir = into // away from any project of the user's
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("pip download %s: %w: %s", requirement, err, lastLine(string(out)))
	}
	return onlyFile(into, "pip", requirement)
}

// HasPip reports whether there is a pip.
func HasPip() bool {
	_, err := pipPath()
	return err == nil
}

func pipPath() (string, error) {
	for _, name := range []string{"pip3", "pip"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoPip
}
