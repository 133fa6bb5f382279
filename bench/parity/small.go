package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"plimsoll/bench/stand"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/result"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/driver"
	"plimsoll/internal/workload/smallfiles"
)

// small is one operation on many files, each once, in one directory for all users.
type small struct {
	operation string
	engine    string // of fio; empty is the loop
	size      unit.Bytes
	users     int
	files     int64 // of all users
	verified  bool
}

func (s small) name() string {
	peer := "loop"
	if s.engine != "" {
		peer = "fio " + s.engine
	}
	name := fmt.Sprintf("%s, %s %d files of %s, %d users", peer, s.operation, s.files, s.size, s.users)
	if s.verified {
		name += ", ours verified"
	}
	return name
}

// smalls are fio's engines for files without content, and a loop of system calls, such as
// smallfile makes, for those with content.
func smalls() (all []small) {
	for _, users := range []int{1, 8} {
		for _, e := range []struct{ operation, engine string }{{"create", "filecreate"}, {"stat", "filestat"}, {"delete", "filedelete"}} {
			all = append(all, small{e.operation, e.engine, 0, users, 640_000, false}) // a second and more: fio counts from each thread's own start, ours from the common one
		}
		for _, operation := range []string{"create", "read", "append"} {
			all = append(all, small{operation, "", 32 << 10, users, 20_000, false})
		}
		for _, operation := range []string{"stat", "rename", "delete"} {
			all = append(all, small{operation, "", 0, users, 80_000, false})
		}
		for _, operation := range []string{"create", "read"} {
			all = append(all, small{operation, "", 4 << 20, users, 400, false}, small{operation, "", 32 << 10, users, 20_000, true})
		}
	}
	return all
}

// runSmall compares smallfiles with fio's engines for files and with the loop.
func runSmall(ctx context.Context, s settings, t *table) (err error) {
	s.dir = cmp.Or(s.dir, inMemory)
	dir, remove, err := s.scratch()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	for _, x := range smalls() {
		if !t.wants(x.name()) {
			continue
		}
		b := smallBench{x, filepath.Join(dir, "files")}
		c := comparison{name: x.name(), own: b.own, peer: b.fio}
		if x.engine == "" {
			c.peer, c.bound, c.cpu, c.rateOnly = b.loop, 0.03, loopCPU, true
		}
		if x.verified {
			c.bound, c.cpu = verifiedShare, verifiedShare
		}
		if err := t.compare(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// loopCPU is how much more CPU a file may take than in the loop, as a share. The loop keeps no
// receipts.
const loopCPU = 0.15

// verifiedShare is how much lower files/s, and how much higher CPU, may be than the loop's, as a
// share. The loop neither stamps nor checks anything.
const verifiedShare = 0.3

// smallBench is a directory that is made anew for each turn.
type smallBench struct {
	small
	dir string
}

func (b smallBench) anew() error {
	return errors.Join(os.RemoveAll(b.dir), os.MkdirAll(b.dir, 0o700))
}

func (b smallBench) parameters() *smallfiles.Parameters {
	p := smallfiles.Workload{}.Defaults().(*smallfiles.Parameters)
	p.Operation, p.FileSize, p.Files, p.Verify = b.operation, b.size, b.files/int64(b.users), b.verified
	p.FanOut, p.Depth, p.Shared = b.files, 1, true
	return p
}

// own runs one turn of smallfiles. Files/s are counted from the common start until the last user
// has finished; CPU and files cover the whole process.
func (b smallBench) own(ctx context.Context) (s sample, err error) {
	p := b.parameters()
	target := workload.Target{Users: b.users, Endpoints: []endpoint.Endpoint{endpoint.OfDirectory("volume", b.dir)}}
	if err := errors.Join(b.anew(), smallfiles.Workload{}.Prepare(ctx, target, p, 1, func(float64) {})); err != nil {
		return s, err
	}
	parameters, err := json.Marshal(p)
	if err != nil {
		return s, err
	}
	job := driver.Job{Workload: smallfiles.Name, Parameters: parameters, Targets: []workload.Target{target}, Users: b.users,
		Start: time.Now().Add(time.Second), Measure: unit.Duration(time.Hour)}
	done, last := int64(0), job.Start
	cpu, err := stand.Drive(ctx, job, func(r result.Record) error {
		switch {
		case r.Kind == result.KindOperation && r.Operation == "file" && len(r.Errors) > 0:
			return fmt.Errorf("operations failed: %v", r.Errors)
		case r.Kind == result.KindOperation && r.Operation == "file":
			done += r.Count
		case r.Kind == result.KindInstance:
			return s.times(r.Instance, time.Hour)
		case r.Kind == result.KindFinished && r.At.After(last):
			last = r.At
		}
		return nil
	})
	s.throughput, s.cpu = float64(done)/last.Sub(job.Start).Seconds(), cpu.Seconds()/float64(done)
	return s, err
}

// fio runs one turn of an engine of fio for files.
func (b smallBench) fio(ctx context.Context) (sample, error) {
	return b.afterCreation(ctx, "filecreate", b.engine, b.runFio)
}

// loop runs one turn of the loop.
func (b smallBench) loop(ctx context.Context) (sample, error) {
	return b.afterCreation(ctx, "create", b.operation, b.runLoop)
}

// rest is how long a peer pauses before the measurement, as our users do until their common
// start. Otherwise only the peer would find the last files it created in the processor's cache,
// and only for the peer would the memory of just removed files not yet be back at the machine's
// host.
const rest = time.Second

// afterCreation runs a measurement after the same generator has made the files that it needs.
func (b smallBench) afterCreation(ctx context.Context, creates, measured string, run func(context.Context, string) (sample, error)) (s sample, err error) {
	if err = b.anew(); err == nil && measured != creates {
		_, err = run(ctx, creates)
	}
	if err != nil {
		return s, err
	}
	time.Sleep(rest)
	return run(ctx, measured)
}

func (b smallBench) runFio(ctx context.Context, engine string) (sample, error) {
	c := exec.CommandContext(ctx, "fio", "--name=parity", "--directory="+b.dir, "--ioengine="+engine, "--thread",
		fmt.Sprintf("--numjobs=%d", b.users), fmt.Sprintf("--nrfiles=%d", b.files/int64(b.users)), "--filesize=4k", "--bs=4k",
		"--create_on_open=1", "--fallocate=none", map[bool]string{true: "--rw=write", false: "--rw=read"}[engine == "filecreate"],
		"--file_service_type=sequential", "--openfiles=100", // which are the fastest
		"--group_reporting", "--unified_rw_reporting=1", "--output-format=json", "--clat_percentiles=0", "--lat_percentiles=1", "--percentile_list=50:95:99")
	out, err := c.Output()
	if err != nil {
		return sample{}, fmt.Errorf("fio (apt-get install fio): %w: %s", err, out)
	}
	cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	s, err := readFio(out, cpu)
	none := math.NaN() // its times are of one call
	return sample{throughput: s.throughput, p50: none, p95: none, p99: none, cpu: cpu.Seconds() / float64(b.files)}, err
}

// runLoop runs the loop in a process of its own.
func (b smallBench) runLoop(ctx context.Context, operation string) (s sample, err error) {
	self, err := os.Executable()
	if err != nil {
		return s, err
	}
	job, err := json.Marshal(loopJob{operation, b.dir, b.users, b.files / int64(b.users), int64(b.size)})
	if err != nil {
		return s, err
	}
	c := exec.CommandContext(ctx, self, loopArgument, string(job))
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return s, fmt.Errorf("loop: %w", err)
	}
	var done loopDone
	if err := json.Unmarshal(out, &done); err != nil {
		return s, fmt.Errorf("loop: %w: %s", err, out)
	}
	cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	return sample{throughput: float64(b.files) / done.Seconds, p50: done.P50, p95: done.P95, p99: done.P99, cpu: cpu.Seconds() / float64(b.files)}, nil
}
