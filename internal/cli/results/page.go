package results

import (
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"syscall"

	"plimsoll/internal/analysis"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/report"
	"plimsoll/internal/result"
)

// opener is the program of desktops that opens a file with what the user chose for it.
const opener = "xdg-open"

// OpenPage opens a page in the desktop's browser. Where there is no desktop, it says where the
// page is.
func OpenPage(s *command.State, path string) {
	path = command.Absolute(path)
	why := cannotOpen(s)
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
		s.Complain("%s; open this file in a browser: %s", why, path)
	}
}

// cannotOpen says why no browser can be started; empty where one can.
func cannotOpen(s *command.State) string {
	if s.Getenv("DISPLAY") == "" && s.Getenv("WAYLAND_DISPLAY") == "" {
		return "there is no display here"
	}
	if found, err := exec.LookPath(opener); err != nil || !filepath.IsAbs(found) {
		return opener + " is not installed (package xdg-utils)"
	}
	return ""
}

// reportFile is where a run's report belongs. A run that was received may have
// a link there, which must not lead to another file.
func reportFile(dir string) (string, error) {
	if err := untrusted.Inside(dir, result.ReportFile); err != nil {
		return "", fmt.Errorf("write the report into the run: %w; -o FILE writes it elsewhere", err)
	}
	return filepath.Join(dir, result.ReportFile), nil
}

// WritePage writes a run's report.html.
func WritePage(s *command.State, dir string, run *result.Run, a *analysis.Analysis) error {
	path, err := reportFile(dir)
	if err != nil {
		return err
	}
	return command.ToFile(path, func(w io.Writer) error { return report.HTML(w, a, SeriesOf(run), report.Options{}) })
}
