package cli

import (
	"os/exec"
	"path/filepath"
	"syscall"
)

// opener is the program of desktops that opens a file with what the user chose for it.
const opener = "xdg-open"

// openPage opens a page in the desktop's browser. Where there is no desktop, it says where the
// page is.
func (s *State) openPage(path string) {
	path = absolute(path)
	why := s.cannotOpen()
	if why == "" {
		cmd := exec.Command(opener, path)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // a browser outlives this program
		if err := cmd.Start(); err != nil {
			why = err.Error()
		} else if err := cmd.Process.Release(); err != nil {
			why = err.Error()
		}
	}
	if why != "" {
		s.complain("%s; open this file in a browser: %s", why, path)
	}
}

// cannotOpen says why no browser can be started; empty where one can.
func (s *State) cannotOpen() string {
	if s.Getenv("DISPLAY") == "" && s.Getenv("WAYLAND_DISPLAY") == "" {
		return "there is no display here"
	}
	if found, err := exec.LookPath(opener); err != nil || !filepath.IsAbs(found) {
		return opener + " is not installed (package xdg-utils)"
	}
	return ""
}
