package doctor

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Program is one that a run may use, and how it is asked for its version.
type Program struct {
	Name string
	// Paths are patterns of further places to look, after PATH and the sbin directories.
	Paths []string
	// Version holds the program's arguments that print its version, one word or several;
	// --version when empty.
	Version string
}

// programTimeout is how long a program may take to tell its version: large ones
// that are read from a busy disk for the first time take seconds.
const programTimeout = 20 * time.Second

// Versions finds the versions of the installed programs, several at a time.
func Versions(ctx context.Context, all []Program) map[string]string {
	found := map[string]string{}
	var mu sync.Mutex
	var group sync.WaitGroup
	for _, p := range all {
		group.Go(func() {
			if v := p.Versions(ctx); v != "" {
				mu.Lock()
				defer mu.Unlock()
				found[p.Name] = v
			}
		})
	}
	group.Wait()
	return found
}

// Versions asks each installation and joins the answers; empty when there is
// none.
func (p Program) Versions(ctx context.Context) string {
	var all []string
	for _, path := range p.Files() {
		if v := p.VersionOf(ctx, path); !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return strings.Join(all, ", ")
}

// VersionOf asks one of its files: "8.2.36". A program that does not answer is
// still there: its version is "unknown".
func (p Program) VersionOf(ctx context.Context, path string) string {
	return versionOf(ctx, path, strings.Fields(cmp.Or(p.Version, "--version"))...)
}

// Files finds the program's files, each once.
func (p Program) Files() []string {
	var files []string
	if path := Lookup(p.Name); path != "" {
		files = append(files, path)
	}
	for _, pattern := range p.Paths {
		more, _ := filepath.Glob(pattern) // the patterns are ours and well-formed
		files = append(files, more...)
	}
	var all []string
	for _, path := range files {
		if real, err := filepath.EvalSymlinks(path); err == nil && isProgram(real) && !slices.Contains(all, real) {
			all = append(all, real)
		}
	}
	return all
}

// Lookup finds a program in PATH and where system programs are, which the
// PATH of a plain user often lacks.
func Lookup(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	for _, dir := range []string{"/usr/sbin", "/sbin", "/usr/local/sbin"} {
		if path := filepath.Join(dir, name); isProgram(path) {
			return path
		}
	}
	return ""
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// versionOf runs a program and extracts the version from its output.
func versionOf(ctx context.Context, path string, args ...string) string {
	ctx, cancel := context.WithTimeout(ctx, programTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = time.Second // a child may hold the pipe open
	// Kill a script that hangs together with its children.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endAll := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel = endAll
	text, _ := cmd.CombinedOutput() // some print it and exit with an error
	if cmd.Process != nil {
		_ = endAll() // nothing is left, as a rule
	}
	if v := versionPattern().FindString(string(text)); v != "" {
		return v
	}
	return "unknown"
}

// versionPattern is a number with at least one dot and what belongs to it.
func versionPattern() *regexp.Regexp {
	return regexp.MustCompile(`\d+(\.\d+)+(-[A-Za-z0-9.]+)?`)
}
