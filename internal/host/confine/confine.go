// Package confine runs a product's program on text that a study brought, or that was
// fetched: to its end, as a user without rights, and bounded in time, memory and output.
//
// For root the program gets a root directory of its own: the machine's programs, libraries
// and configuration, read only, and one empty directory in memory for its files. It gets
// its own namespaces for mounts, processes, networks and System V IPC. Where root may not
// make namespaces, as in a container without that capability, the program runs as nobody
// among other processes. A plain user's program has that user's rights and view of the
// machine.
package confine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/namespace"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/host/thread"
)

// Program is what to run.
type Program struct {
	Path string // absolute
	// Args and the contents of Files may name ${RUNTIME}, the directory of Files: the only
	// one that the program can write to.
	Args  []string
	Env   []string          // in addition to PATH and LC_ALL
	Files map[string]string // by name
}

// Output is a program's standard output and error.
type Output struct {
	Text string
	OK   bool // it ended with 0
}

// Bounds of a run.
const (
	longest     = 30 * time.Second
	outputLimit = 4 << 20
	// addressSpace bounds memory in KiB, and fileSize a file in blocks of 512 bytes, the
	// units of the shell.
	addressSpace = 2 << 20
	fileSize     = 64 << 11
)

// nobody is the kernel's own identifier for users without one.
const nobody = 65534

// variable stands for the directory of the files.
const variable = "${RUNTIME}"

// Run runs a program. It fails when the program cannot be run at all, or does not end in
// time. The program's verdict on its files is in its output.
func Run(ctx context.Context, p Program) (Output, error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	var out Output
	var err error
	switch {
	case os.Geteuid() != 0:
		out, err = runShared(ctx, p, -1)
	case Apart():
		out, err = runIsolated(ctx, p)
	default:
		out, err = runShared(ctx, p, nobody)
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("it did not end within %s: %w", longest, context.Cause(ctx))
	}
	if err != nil {
		return out, fmt.Errorf("run %s on untrusted input: %w", p.Path, err)
	}
	return out, nil
}

// Isolation says in a clause how programs are run here.
func Isolation() string {
	switch {
	case os.Geteuid() != 0:
		return "as this user, who can read his own files"
	case Apart():
		return "as nobody, without a network and with nothing but this machine's programs"
	}
	return "as nobody, among other programs: root may not make namespaces here"
}

// Apart tries once whether root may make the namespaces that isolate a program.
var Apart = sync.OnceValue(func() bool {
	return thread.Spare(func() error {
		if err := leave(); err != nil {
			return err
		}
		fd, err := unix.OpenTree(unix.AT_FDCWD, "/etc", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &readOnly)
	}) == nil
})

// leave takes the thread out of the namespaces that others are in.
func leave() error {
	if err := unix.Unshare(unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS); err != nil {
		return fmt.Errorf("make namespaces: %w", err)
	}
	return namespace.OwnMounts()
}

// runShared runs the program among the others, in a directory of its own. It runs as another
// user unless uid is negative.
func runShared(ctx context.Context, p Program, uid int) (Output, error) {
	dir, err := os.MkdirTemp("", "plimsoll-check-")
	if err != nil {
		return Output{}, err
	}
	defer os.RemoveAll(dir)
	if err := p.furnish(dir, dir, uid); err != nil {
		return Output{}, err
	}
	cmd := p.command(ctx, dir)
	cmd.SysProcAttr.Setpgid = true
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if uid >= 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
	}
	return run(cmd, nil)
}

// runIsolated runs the program in a root directory and in namespaces of its own.
func runIsolated(ctx context.Context, p Program) (Output, error) {
	at, err := os.MkdirTemp("", "plimsoll-check-")
	if err != nil {
		return Output{}, err
	}
	defer os.RemoveAll(at)
	if p.Path, err = filepath.EvalSymlinks(p.Path); err != nil {
		return Output{}, err
	}
	cmd := p.command(ctx, runtimeDir)
	// Without /proc the loader does not find libraries relative to the program ($ORIGIN).
	cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+filepath.Join(home(p.Path), "lib"))
	cmd.SysProcAttr.Chroot = at
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWPID // with the first process all others end
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	return run(cmd, func() error {
		if err := leave(); err != nil {
			return err
		}
		return makeRoot(at, p)
	})
}

// command starts the program by a shell that bounds it, in the directory of its files.
func (p Program) command(ctx context.Context, dir string) *exec.Cmd {
	limits := fmt.Sprintf("ulimit -c 0 && ulimit -f %d && ulimit -v %d && exec \"$@\"", fileSize, addressSpace)
	args := []string{"-c", limits, "sh", p.Path}
	for _, a := range p.Args {
		args = append(args, strings.ReplaceAll(a, variable, dir))
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", args...)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", "HOME=" + dir, "TMPDIR=" + dir}, p.Env...)
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// run runs a command to its end, on a thread that prepare has changed. Neither it nor a
// program that it starts gets rights by a file's mode.
func run(cmd *exec.Cmd, prepare func() error) (Output, error) {
	var text limitedBuffer
	cmd.Stdout, cmd.Stderr = &text, &text
	err := thread.Spare(func() error {
		if prepare != nil {
			if err := prepare(); err != nil {
				return err
			}
		}
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return err
		}
		return cmd.Run()
	})
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return Output{Text: text.kept.String()}, nil
	}
	return Output{Text: text.kept.String(), OK: err == nil}, err
}

// furnish writes the program's files to a directory that it knows under another name.
func (p Program) furnish(dir, known string, uid int) error {
	for name, content := range p.Files {
		content = strings.ReplaceAll(content, variable, known)
		if err := safefile.WriteIn(dir, name, []byte(content), 0o600, uid, uid); err != nil {
			return err
		}
	}
	return safefile.GiveTree(dir, uid, uid)
}

// limitedBuffer is a writer that keeps only the beginning of its input.
type limitedBuffer struct{ kept bytes.Buffer }

func (l *limitedBuffer) Write(p []byte) (int, error) {
	_, _ = l.kept.Write(p[:min(len(p), outputLimit-l.kept.Len())]) // it never fails
	return len(p), nil
}
