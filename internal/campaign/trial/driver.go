package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"plimsoll/internal/campaign/instance"
	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/text/words"
	"plimsoll/internal/workload/driver"
)

// driver is one driver of a trial.
type instanceDriver struct {
	name   string
	job    driver.Job
	member *member
	// instances are those that it plays. It is lost when it ended early and they were set
	// aside.
	instances []*instance.Instance
	lost      bool
	running   platform.Running
	volumes   []storage.Volume // that its users reach by path
	records   *result.DriverRecords
	offset    time.Duration // by which its machine's clock was ahead when it began

	forget context.CancelFunc // ends the following of its stream
	done   chan struct{}      // its stream has been followed to its end
	err    error
}

// startDelay is the time between the start of the drivers and the common
// start: enough for all, whose places are reserved, to begin on a busy machine, and for telemetry to see
// twice what the machine does before the load, if it samples often enough.
func startDelay(drivers int, interval time.Duration) time.Duration {
	const (
		first, further = time.Second, 50 * time.Millisecond // for drivers to begin
		longest        = 1500 * time.Millisecond            // to wait for a sample
	)
	return first + time.Duration(drivers-1)*further + 2*min(interval, longest)
}

// ceilingTime is how long drivers measure what they do by themselves.
const ceilingTime = 2 * time.Second

// newDrivers returns the drivers of all members.
func (t *trial) newDrivers() (all []*instanceDriver, err error) {
	for _, m := range t.members {
		some, err := m.newDrivers()
		if err != nil {
			return nil, m.blame(err)
		}
		all = append(all, some...)
	}
	ramp := longestRamp(all)
	for _, d := range all {
		d.job.Ramp = ramp
	}
	return all, nil
}

// task is the job that the platform gets.
func (d *instanceDriver) task() (platform.Task, error) {
	described, err := task.NewJob(driver.TaskKind, d.name, d.job)
	return platform.Task{Name: d.member.t.prefix() + d.name, Job: described, Deployment: d.member.Variant.Deployment, Volumes: d.volumes}, err
}

// start starts the task and follows its output. It keeps following when ctx is cancelled: records
// written until then count.
func (d *instanceDriver) start(ctx context.Context) error {
	about, err := d.task()
	if err != nil {
		return err
	}
	if d.records, err = d.member.t.files.Records(d.name); err != nil {
		return err
	}
	if d.running, err = d.member.t.Platform.Task(ctx, about); err != nil {
		return errors.Join(err, d.records.Close())
	}
	ctx, d.forget = context.WithCancel(context.WithoutCancel(ctx))
	go d.follow(ctx)
	return nil
}

// follow takes the driver's stream to its end.
func (d *instanceDriver) follow(ctx context.Context) {
	defer close(d.done)
	err := (&task.Follower{Source: d.running}).Run(ctx, d.take)
	endErr := platform.AwaitEnd(err, d.running)
	d.err = errors.Join(platform.WhyEnded(err, d.running), endErr, d.records.Close())
}

// take takes one frame.
func (d *instanceDriver) take(f task.Frame) error {
	switch f.Kind {
	case task.HelloFrame:
		hello, err := f.Hello()
		d.offset = hello.Offset
		return err
	case task.RecordFrame:
		line := inOurTime(f.Payload, d.ahead())
		d.member.t.live.take(line)
		return d.records.Add(line)
	case task.ReceiptsFrame:
		instance, packed, err := f.Receipts()
		if err != nil {
			return err
		}
		return d.member.receipts.add(instance, packed)
	}
	return nil
}

// ahead is by how much its machine's clock is ahead now.
func (d *instanceDriver) ahead() time.Duration {
	if c, is := d.running.(platform.Clocked); is {
		return c.Ahead()
	}
	return d.offset
}

// clockMoved is by how much a machine's clock may move against this one's before that is noted.
const clockMoved = 500 * time.Millisecond

// noteClock notes that its machine's clock was another at the end than when it began. The
// seconds that it counts follow its own.
func (d *instanceDriver) noteClock() {
	if moved := d.ahead() - d.offset; moved.Abs() >= clockMoved {
		d.member.t.note(fmt.Sprintf("%s: the clock of its machine moved by %s against this one's while it ran; moments are corrected for it, the seconds that it counted are not: have both follow one time server",
			d.name, words.Span(moved.Abs())))
	}
}

// inOurTime translates the moment of a record from a clock that is ahead. A
// record that cannot be read stays as it is: it is evidence.
func inOurTime(line []byte, ahead time.Duration) []byte {
	var r result.Record
	if ahead == 0 || json.Unmarshal(line, &r) != nil || r.At.IsZero() {
		return line
	}
	r.At = r.At.Add(-ahead)
	translated, err := json.Marshal(r)
	if err != nil {
		return line
	}
	return translated
}

// kill ends the driver and the following of its stream.
func (d *instanceDriver) kill() error {
	err := d.running.Kill()
	d.forget()
	<-d.done
	return err
}

// stop asks the driver to end its stream properly.
func (d *instanceDriver) stop(ctx context.Context) error {
	err := d.running.Stop(ctx)
	<-d.done
	return err
}

// failure says why the driver ended badly.
func (d *instanceDriver) failure() error {
	if d.err == nil {
		return nil
	}
	return d.member.blame(fmt.Errorf("%s ended early: %w", d.name, d.err))
}

// keepLog keeps its log with the trial.
func (d *instanceDriver) keepLog(ctx context.Context) error {
	return instance.KeepLog(ctx, d.running.Log, filepath.Join(d.member.t.files.Logs(), d.name+".log"))
}

// removeDrivers removes what drivers left, although ctx may be cancelled.
func (t *trial) removeDrivers(ctx context.Context) error {
	var errs []error
	for _, d := range t.drivers {
		errs = append(errs, d.kill(), d.running.Remove(ctx))
	}
	if t.release != nil {
		errs = append(errs, t.release(ctx))
	}
	return errors.Join(append(errs, t.removeReceipts())...)
}

func sleepUntil(ctx context.Context, at time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(at)):
		return nil
	}
}
