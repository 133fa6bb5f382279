package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/storage/medium"
)

// startLimit is how long a medium may take to come up on a busy machine.
const startLimit = 60 * time.Second

// process is the medium's process, "plimsoll medium --config FILE".
type process struct {
	pid    int
	client *medium.Client
	stdin  io.Closer
	log    string
	ended  chan struct{}
}

// startMedium starts the process and waits until its block file is there. It
// does not end with ctx: Down ends it.
func startMedium(ctx context.Context, executable, config, log string, marker string) (*process, *exec.Cmd, error) {
	out, err := safefile.Replace(log, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("start the medium: %w", err)
	}
	defer out.Close()
	cmd := exec.Command(executable, "medium", "--config", config)
	cmd.Env = append(os.Environ(), marker)
	cmd.Dir = filepath.Dir(config)
	cmd.Stderr = out
	// A session of its own: Ctrl-C on the terminal is not for it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	p, err := launch(cmd, log)
	if err != nil {
		return nil, nil, fmt.Errorf("start the medium: %w", err)
	}
	if err := p.ready(ctx); err != nil {
		_ = cmd.Process.Kill() // it is of no use any more
		<-p.ended
		return nil, nil, p.explain(err)
	}
	return p, cmd, nil
}

func launch(cmd *exec.Cmd, log string) (*process, error) {
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, answers, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout = answers
	err = cmd.Start()
	if closeErr := answers.Close(); err != nil || closeErr != nil {
		return nil, errors.Join(err, closeErr, stdout.Close())
	}
	p := &process{pid: cmd.Process.Pid, client: medium.NewClient(stdin, stdout), stdin: stdin, log: log, ended: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how it ended is in its log
		close(p.ended)
		_ = stdout.Close()
	}()
	return p, nil
}

func (p *process) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	ready := make(chan error, 1)
	go func() { ready <- p.client.Ready() }()
	select {
	case err := <-ready:
		return err
	case <-ctx.Done():
		return fmt.Errorf("wait for the medium: %w", ctx.Err())
	}
}

// explain adds the end of the process's log to an error.
func (p *process) explain(err error) error {
	if err == nil {
		return nil
	}
	text, _ := os.ReadFile(p.log)
	if tail := strings.TrimSpace(string(text[max(0, len(text)-2000):])); tail != "" {
		return fmt.Errorf("%w; its log ends with: %s", err, tail)
	}
	return err
}

// alive is an error when the process has ended.
func (p *process) alive() error {
	select {
	case <-p.ended:
		return p.explain(errors.New("the process of the simulated medium has ended, its volumes are lost"))
	default:
		return nil
	}
}

// unthrottled takes the simulated times off, and keeps them off, while
// something is prepared.
func (p *process) unthrottled(do func() error) error {
	if err := p.send(medium.Pause); err != nil {
		return err
	}
	err := do()
	return errors.Join(p.alive(), err)
}

// throttle makes the simulated times run.
func (p *process) throttle() (medium.Status, error) {
	if err := p.send(medium.Resume); err != nil {
		return medium.Status{}, err
	}
	return p.status()
}

func (p *process) send(command string) error {
	if err := p.alive(); err != nil {
		return err
	}
	_, err := p.client.Do(command)
	if err == nil {
		return nil
	}
	// A process that was killed closes its ends before it is waited for.
	select {
	case <-p.ended:
		return p.alive()
	case <-time.After(time.Second):
		return p.explain(err)
	}
}

func (p *process) status() (medium.Status, error) { return p.client.Do(medium.Report) }

// processObject is how the journal knows the process.
func (c *class) processObject(pid int) journal.Object {
	o := journal.Object{Kind: journal.Process, Name: "medium-" + c.name}
	if pid > 0 {
		o.PID, o.StartTime = pid, journal.StartTime(pid)
	}
	return o
}
