package pod

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Server describes to `pod serve` the server that it starts.
type Server struct {
	Command []string `json:"command"`
	Env     []string `json:"env,omitempty"`
	Files   []File   `json:"files,omitempty"`
	// Lock is a file of a server that was killed, which is removed: the process that it
	// names is another by now.
	Lock string `json:"lock,omitempty"`
	// Runtime is its private directory, which is made; it works there.
	Runtime string `json:"runtime"`
	// Stop is the signal that stops it cleanly, as TERM, and StopTimeout how long
	// that may take.
	Stop        string        `json:"stop"`
	StopTimeout time.Duration `json:"stop_timeout"`
}

// File is written before the start, with its directories.
type File struct {
	Path    string      `json:"path"`
	Content string      `json:"content"`
	Mode    fs.FileMode `json:"mode"`
}

// End is how a server ended: the termination message of its container.
type End struct {
	// Never is why it was not started.
	Never string `json:"never,omitempty"`
	// How is how it ended, as in "exit status 1"; empty without an error.
	How string `json:"how,omitempty"`
	// Stopped reports whether it was asked to end, and Overdue whether it then had to be
	// killed.
	Stopped bool `json:"stopped,omitempty"`
	Overdue bool `json:"overdue,omitempty"`
	// Killed reports whether SIGKILL came from outside.
	Killed bool `json:"killed,omitempty"`
	// OutOfMemory is how many of its processes the kernel killed at the memory limit.
	OutOfMemory int64  `json:"out_of_memory,omitempty"`
	Tail        string `json:"tail,omitempty"` // the last lines of its log
}

// messageLimit is what of a termination message Kubernetes keeps.
const messageLimit = 4096

// message is the termination message; of a tail that is too long the end counts.
func (e End) message() []byte {
	for {
		text, err := json.Marshal(e)
		if err != nil || len(text) <= messageLimit || e.Tail == "" {
			return text
		}
		over := min(len(text)-messageLimit, len(e.Tail))
		e.Tail = strings.ToValidUTF8(e.Tail[over:], "")
	}
}

// Serve starts the server that a file describes, passes signals on to it as its
// description says, and waits for its end, which it writes to the file for the
// termination message. It is the first process of its container: what the server
// leaves behind ends with it.
func Serve(ctx context.Context, description, termination string, log io.Writer) error {
	end := serve(ctx, description, log)
	if err := os.WriteFile(termination, end.message(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "plimsoll:", err) // the log is the next best place
	}
	if end.Never != "" || end.How != "" {
		return ErrEnded
	}
	return nil
}

// ErrEnded reports that a server did not start or did not end well; its End has the
// details.
var ErrEnded = errors.New("the server did not end well")

func serve(ctx context.Context, description string, log io.Writer) End {
	text, err := os.ReadFile(description)
	if err != nil {
		return End{Never: err.Error()}
	}
	var s Server
	if err := json.Unmarshal(text, &s); err != nil {
		return End{Never: "its description cannot be read: " + err.Error()}
	}
	if err := s.furnish(); err != nil {
		return End{Never: err.Error()}
	}
	r, err := s.start(log)
	if err != nil {
		return End{Never: err.Error()}
	}
	return r.wait(ctx)
}

// furnish makes the private directory and the files.
func (s Server) furnish() error {
	if len(s.Command) == 0 {
		return errors.New("it has no command")
	}
	if err := os.MkdirAll(s.Runtime, 0o700); err != nil {
		return err
	}
	if s.Lock != "" {
		if err := os.Remove(s.Lock); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, f := range s.Files {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
			return err
		}
		if err := os.Remove(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.WriteFile(f.Path, []byte(f.Content), f.Mode.Perm()); err != nil {
			return err
		}
	}
	return nil
}

// served is a server that runs.
type served struct {
	Server
	pid          int
	log          *tail
	logged       chan struct{} // closed when all of its log was passed on
	killedBefore int64
	stopped      atomic.Bool
	overdue      atomic.Bool
}

// start starts the server as the leader of a session of its own.
func (s Server) start(log io.Writer) (*served, error) {
	program, err := s.program()
	if err != nil {
		return nil, err
	}
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer to.Close() // the server has its own
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	r := &served{Server: s, log: &tail{to: log}, logged: make(chan struct{}), killedBefore: outOfMemoryKills()}
	skipNumbers()
	process, err := os.StartProcess(program, s.Command, &os.ProcAttr{
		Dir: s.Runtime, Env: s.Env, Files: []*os.File{null, to, to}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return nil, errors.Join(err, from.Close())
	}
	r.pid = process.Pid
	go func() {
		_, _ = io.Copy(r.log, from) // what could be read is its log
		close(r.logged)
	}()
	return r, nil
}

// skipped is more than this program ever has threads.
const skipped = 64

// skipNumbers uses up process numbers, so that a server gets one far from the numbers of
// this program's threads. PostgreSQL finds in its directory the number that it had before a
// crash, and does not start if the kernel knows it as a process or as a thread.
func skipNumbers() {
	for range skipped {
		_, _ = syscall.ForkExec("/nonexistent", nil, nil) // a process that ends at once
	}
}

// program finds the server's program as its PATH says.
func (s Server) program() (string, error) {
	name := s.Command[0]
	if strings.Contains(name, "/") {
		_, err := os.Stat(name)
		return name, err
	}
	for _, variable := range s.Env {
		path, found := strings.CutPrefix(variable, "PATH=")
		for _, dir := range filepath.SplitList(path) {
			file := filepath.Join(dir, name)
			if info, err := os.Stat(file); found && err == nil && info.Mode()&0o111 != 0 {
				return file, nil
			}
		}
	}
	return "", fmt.Errorf("there is no program %s in this image", name)
}

// wait waits for the server's end, and stops it when ctx is done.
func (r *served) wait(ctx context.Context) End {
	ended := make(chan struct{})
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		select {
		case <-ctx.Done():
			r.stop(ended)
		case <-ended:
		}
	}()
	status := r.reap()
	close(ended)
	<-asked
	_ = unix.Kill(-r.pid, unix.SIGKILL) // its session; the rest goes with the container
	select {
	case <-r.logged:
	case <-time.After(logDelay): // something of it lives on
	}
	return r.judge(status)
}

// reap waits for the server, and for every process that has nobody else to.
func (r *served) reap() (status unix.WaitStatus) {
	for {
		pid, err := unix.Wait4(-1, &status, 0, nil)
		if pid == r.pid || err != nil && !errors.Is(err, unix.EINTR) {
			return status
		}
	}
}

// stop asks the server to end, and kills it when it does not in time.
func (r *served) stop(ended <-chan struct{}) {
	r.stopped.Store(true)
	signal := unix.SignalNum("SIG" + r.Stop)
	if signal == 0 {
		signal = unix.SIGTERM
	}
	_ = unix.Kill(r.pid, signal) // it may have ended
	limit := r.StopTimeout
	if limit <= 0 {
		limit = 10 * time.Second
	}
	select {
	case <-ended:
	case <-time.After(limit):
		r.overdue.Store(true)
		_ = unix.Kill(-r.pid, unix.SIGKILL)
	}
}

// judge puts the end into words.
func (r *served) judge(status unix.WaitStatus) End {
	e := End{Stopped: r.stopped.Load(), Overdue: r.overdue.Load(), OutOfMemory: outOfMemoryKills() - r.killedBefore, Tail: r.log.String()}
	switch {
	case status.Signaled():
		e.How = "signal: " + status.Signal().String()
		e.Killed = status.Signal() == unix.SIGKILL && !e.Overdue
	case status.ExitStatus() != 0:
		e.How = fmt.Sprintf("exit status %d", status.ExitStatus())
	}
	return e
}

// killAll kills every process of the container but the first, which tells how the
// server ended. Anywhere else it would be the end of much more.
func killAll() error {
	first, err := os.ReadFile("/proc/1/cmdline")
	if err != nil || !strings.HasSuffix(string(first), "\x00pod\x00serve\x00") || os.Getpid() == 1 {
		return errors.Join(errors.New("pod kill is for a container whose first process is plimsoll pod serve"), err)
	}
	if err := unix.Kill(-1, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("kill the server: %w", err)
	}
	return nil
}
