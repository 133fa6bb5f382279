package machine

import (
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

// program is one that a run may use, and how it is asked for its version.
type program struct {
	name  string
	paths []string // patterns; a bare name is looked up in PATH and the sbin directories
	args  []string
}

// knownPrograms lists what results may depend on.
func knownPrograms() []program {
	version := []string{"--version"}
	return []program{
		{"postgres", []string{"postgres", "/usr/lib/postgresql/*/bin/postgres", "/usr/pgsql-*/bin/postgres", "/usr/local/pgsql/bin/postgres"}, version},
		{"mariadbd", []string{"mariadbd"}, version},
		{"fio", []string{"fio"}, version},
		{"sysbench", []string{"sysbench"}, version},
		{"glusterd", []string{"glusterd"}, version},
		{"ganesha.nfsd", []string{"ganesha.nfsd"}, []string{"-v"}},
		{"mkfs.xfs", []string{"mkfs.xfs"}, []string{"-V"}},
		{"mkfs.ext4", []string{"mkfs.ext4"}, []string{"-V"}},
		{"losetup", []string{"losetup"}, version},
		{"fusermount3", []string{"fusermount3"}, version},
		{"ip", []string{"ip"}, []string{"-V"}},
	}
}

// programTimeout is how long a program may take to tell its version.
const programTimeout = 3 * time.Second

// programs finds the versions of the installed programs, several at a time.
func programs(ctx context.Context) map[string]string {
	found := map[string]string{}
	var mu sync.Mutex
	var group sync.WaitGroup
	for _, p := range knownPrograms() {
		group.Go(func() {
			if v := p.versions(ctx); v != "" {
				mu.Lock()
				defer mu.Unlock()
				found[p.name] = v
			}
		})
	}
	group.Wait()
	return found
}

// versions asks each installation and joins the answers.
func (p program) versions(ctx context.Context) string {
	var all []string
	for _, path := range p.installations() {
		v := versionOf(ctx, path, p.args)
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return strings.Join(all, ", ")
}

// installations finds the program's files, each once.
func (p program) installations() []string {
	var all []string
	for _, pattern := range p.paths {
		for _, path := range filesLike(pattern) {
			if real, err := filepath.EvalSymlinks(path); err == nil && !slices.Contains(all, real) {
				all = append(all, real)
			}
		}
	}
	return all
}

func filesLike(pattern string) []string {
	if !strings.Contains(pattern, "/") {
		if path := lookup(pattern); path != "" {
			return []string{path}
		}
		return nil
	}
	files, _ := filepath.Glob(pattern) // the patterns are ours and well-formed
	return files
}

// lookup finds a program in PATH and where system programs are, which the
// PATH of a plain user often lacks.
func lookup(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	for _, dir := range []string{"/usr/sbin", "/sbin", "/usr/local/sbin"} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}

// versionOf runs a program and picks the version out of what it prints. A
// program that does not answer is still there: its version is "unknown".
func versionOf(ctx context.Context, path string, args []string) string {
	ctx, cancel := context.WithTimeout(ctx, programTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = time.Second // a child may hold the pipe open
	// A script that hangs is ended with what it started.
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
