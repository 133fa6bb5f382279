package pod

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Installed is the directory that Install fills in pods, and this program in it.
const (
	InstallDirectory = "/plimsoll"
	Installed        = InstallDirectory + "/plimsoll"
)

// Install copies this program to a directory that a container with another image
// shares with this one.
func Install(directory string) (err error) {
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("install this program: %w", err)
	}
	defer from.Close()
	to, err := os.OpenFile(filepath.Join(directory, "plimsoll"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		return fmt.Errorf("install this program: %w", err)
	}
	_, err = io.Copy(to, from)
	if err := errors.Join(err, to.Close()); err != nil {
		return fmt.Errorf("install this program: %w", err)
	}
	return nil
}
