package campaign

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"plimsoll/internal/journal"
	"plimsoll/internal/load"
	"plimsoll/internal/study"
	"plimsoll/internal/telemetry"
	"plimsoll/internal/workload"
)

// driver is one driver process of a trial.
type driver struct {
	name    string
	job     load.Job
	dir     string // holds its records and receipts
	log     string
	process *exec.Cmd
	object  journal.Object
	done    chan struct{}
	err     error
}

// startDelay is the time between the start of the drivers and the common
// start: enough for all to begin on a busy machine, and for telemetry to see
// twice what the machine does before the load, if it samples often enough.
func startDelay(drivers int, interval time.Duration) time.Duration {
	const (
		first, further = time.Second, 50 * time.Millisecond // for drivers to begin
		longest        = 1500 * time.Millisecond            // to wait for a sample
	)
	return first + time.Duration(drivers-1)*further + 2*min(interval, longest)
}

func (t *trial) instancesPerDriver() int {
	if per := t.variant.Load.InstancesPerDriver; per > 0 {
		return per
	}
	return len(t.instances)
}

// newDrivers shares the instances out among drivers.
func (t *trial) newDrivers(start time.Time) ([]*driver, error) {
	params, err := json.Marshal(t.variant.Workload.Parameters)
	if err != nil {
		return nil, fmt.Errorf("write down the parameters of the workload: %w", err)
	}
	per := t.instancesPerDriver()
	var all []*driver
	for first := 0; first < len(t.instances); first += per {
		d := &driver{name: fmt.Sprintf("driver-%d", len(all)), done: make(chan struct{})}
		d.dir = filepath.Join(t.c.o.Scratch, "drivers", fmt.Sprintf("t%d-%s", t.plan.Position, d.name))
		d.log = filepath.Join(t.files.Logs(), d.name+".log")
		d.job = t.job(start, params, d)
		for _, i := range t.instances[first:min(first+per, len(t.instances))] {
			d.job.Targets = append(d.job.Targets, i.target())
		}
		all = append(all, d)
	}
	ramp := longestRamp(all)
	for _, d := range all {
		d.job.Ramp = ramp
	}
	return all, nil
}

func (t *trial) job(start time.Time, params json.RawMessage, d *driver) load.Job {
	phases, l := t.c.o.Plan.Study.Phases, t.variant.Load
	var linger study.Duration
	if phases.End == study.CutPower {
		linger = study.Duration(lingering)
	}
	return load.Job{
		Name: d.name, Workload: t.variant.Workload.Name, Parameters: params,
		Users: l.Users, ThinkTime: l.ThinkTime, Rate: l.Rate, Arrivals: l.Arrivals, RampRate: phases.RampRate,
		Start: start, Warmup: phases.Warmup, Measure: phases.Measure, Linger: linger,
		Seed: t.plan.Seed, ErrorLimit: t.c.o.ErrorLimit,
		Records: filepath.Join(d.dir, d.name+".jsonl"), Receipts: filepath.Join(d.dir, "receipts"),
	}
}

// start starts the process. The job holds passwords, so it goes through a pipe
// and lies in no file.
func (d *driver) start(c *Campaign) error {
	if err := os.MkdirAll(d.job.Receipts, 0o700); err != nil {
		return err
	}
	text, err := json.Marshal(d.job)
	if err != nil {
		return err
	}
	log, err := os.Create(d.log)
	if err != nil {
		return err
	}
	defer log.Close()
	d.process = exec.Command(c.o.Executable, "drive", "--job", "-")
	d.process.Stdin = bytes.NewReader(text)
	d.process.Stdout, d.process.Stderr = log, log
	d.object = journal.Object{Kind: journal.Process, Name: filepath.Base(d.dir)}
	d.process.Env = append(os.Environ(), c.journal.Marker(d.object.Name))
	d.process.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C is ours to pass on
	return d.launch(c)
}

func (d *driver) launch(c *Campaign) error {
	if err := c.journal.Making(d.object); err != nil {
		return err
	}
	if err := d.process.Start(); err != nil {
		return fmt.Errorf("start %s: %w", d.name, err)
	}
	go func() {
		d.err = d.process.Wait()
		close(d.done)
	}()
	d.object.PID = d.process.Process.Pid
	d.object.StartTime = journal.StartTime(d.object.PID)
	return c.journal.Made(d.object)
}

// kill ends the process if it still runs, and waits for its end.
func (d *driver) kill() {
	if d.process == nil || d.process.Process == nil {
		return
	}
	_ = d.process.Process.Kill()
	<-d.done
}

// stop asks the driver to end its streams properly, and insists after a while.
func (d *driver) stop() {
	if d.process == nil || d.process.Process == nil {
		return
	}
	_ = d.process.Process.Signal(syscall.SIGTERM)
	select {
	case <-d.done:
	case <-time.After(20 * time.Second):
		d.kill()
	}
}

// failure says why the driver ended badly, with the tail of its log.
func (d *driver) failure() error {
	if d.err == nil {
		return nil
	}
	text, _ := os.ReadFile(d.log)
	tail := strings.TrimSpace(string(text))
	if lines := strings.Split(tail, "\n"); len(lines) > 8 {
		tail = strings.Join(lines[len(lines)-8:], "\n")
	}
	tail = strings.TrimPrefix(tail, "plimsoll: ") // the driver is plimsoll, too
	if tail == "" {
		tail = d.err.Error()
	}
	return fmt.Errorf("%s ended early: %s", d.name, tail)
}

func (d *driver) watched() telemetry.Watched {
	return telemetry.Watched{Name: d.name, PIDs: func() []int { return []int{d.process.Process.Pid} }}
}

// receipts reads what the driver kept of one instance.
func (d *driver) receipts(instance int) workload.Receipts {
	return load.ReadReceipts(load.ReceiptPath(d.job.Receipts, instance))
}

// follower reads the records that were added since the last call.
type follower struct {
	path   string
	offset int64
	rest   []byte
}

func (f *follower) lines() [][]byte {
	file, err := os.Open(f.path)
	if err != nil {
		return nil
	}
	defer file.Close()
	added, err := io.ReadAll(io.NewSectionReader(file, f.offset, 1<<30))
	if err != nil {
		return nil
	}
	f.offset += int64(len(added))
	text := append(f.rest, added...)
	cut := bytes.LastIndexByte(text, '\n') + 1
	f.rest = bytes.Clone(text[cut:])
	return bytes.Split(text[:cut], []byte{'\n'})
}

// removeDrivers takes the drivers' directories away.
func (t *trial) removeDrivers() error {
	var errs []error
	for _, d := range t.drivers {
		errs = append(errs, os.RemoveAll(d.dir), t.c.journal.Removed(d.object))
	}
	return errors.Join(errs...)
}

func sleepUntil(ctx context.Context, at time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(at)):
		return nil
	}
}
