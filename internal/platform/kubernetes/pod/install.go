package pod

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// InstallDirectory is what Install fills in pods: with this program, and with
// Accounts, which may stand for /etc/passwd.
const (
	InstallDirectory = "/installed"
	Installed        = InstallDirectory + "/plimsoll"
	Accounts         = "passwd"
)

// Install copies this program to a directory that a container with another image
// shares with this one, and names the user of both there: programs such as initdb
// want to know it.
func Install(directory string) error {
	names := fmt.Sprintf("root:x:0:0:root:/root:/bin/sh\nplimsoll:x:%d:%d::/tmp:/bin/sh\n", os.Geteuid(), os.Getegid())
	if err := os.WriteFile(filepath.Join(directory, Accounts), []byte(names), 0o644); err != nil {
		return fmt.Errorf("name the user: %w", err)
	}
	return copyProgram(directory)
}

func copyProgram(directory string) error {
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
