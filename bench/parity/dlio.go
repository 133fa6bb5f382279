package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"plimsoll/bench/stand"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/result"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/driver"
	"plimsoll/internal/workload/training"
)

// Samples are a hundredth of the size of 3D U-Net's, in batches on which an accelerator computes
// for the published time of an H100. Four readers load them.
const (
	sampleMean      = 1_466_006 // bytes
	sampleDeviation = 683_418   // bytes
	sampleResized   = 20_971    // bytes, of what DLIO hands on to its accelerator
	batchSamples    = 7
	batchReaders    = 4
	computing       = 323 * time.Millisecond
)

// startSteps is how many steps the shortest turn of DLIO has. Its CPU time stands for the cost of
// starting: each accelerator of DLIO is a process that imports a framework.
const startSteps = 8

// runDLIO compares the accelerators of workload training with DLIO's, which read samples of the
// same sizes in the same directory (-dir) as fast as it lets them. The CPU time is per sample.
// The number in -accelerators should be the load line of the directory, and one more should
// exceed it.
func runDLIO(ctx context.Context, s settings, t *table) (err error) {
	for _, program := range []string{"dlio_benchmark", "mpiexec"} {
		if _, err := exec.LookPath(program); err != nil {
			fmt.Fprintf(t.progress, "dlio: skipped, %s is not in the path: it comes from PyPI (docs/ai.md)\n", program)
			return nil
		}
	}
	dir, remove, err := s.scratch()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	b := dlioBench{dir: dir, length: s.time, most: s.accelerators + 1, progress: t.say}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	for n := max(1, s.accelerators); n <= b.most; n++ {
		name := fmt.Sprintf("dlio, samples as of 3D U-Net at a hundredth, %d accelerators", n)
		if !t.wants(name) {
			continue
		}
		start, err := b.dlio(ctx, n, startSteps)
		if err != nil {
			return err
		}
		c := comparison{name: name, bound: 0.1, rateOnly: true, cpu: -0.5,
			own: func(ctx context.Context) (sample, error) { return b.own(ctx, n) },
			peer: func(ctx context.Context) (sample, error) {
				turn, err := b.dlio(ctx, n, b.steps())
				return turn.since(start).sample(), err
			}}
		if err := t.compare(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// dlioBench is a directory with samples of both.
type dlioBench struct {
	dir      string
	length   time.Duration
	most     int // accelerators
	progress func(format string, args ...any)
}

// steps is how many batches each accelerator computes on, if it never waits, in a turn.
func (b dlioBench) steps() int { return int(b.length/computing) + startSteps }

// samples are enough for a turn of all accelerators: none is read twice.
func (b dlioBench) samples() int { return b.steps() * batchSamples * b.most }

func (b dlioBench) target() workload.Target {
	return workload.Target{Endpoints: []endpoint.Endpoint{endpoint.OfDirectory("volume", filepath.Join(b.dir, "own"))}}
}

func (b dlioBench) parameters() *training.Parameters {
	own := training.Workload{}.Defaults().(*training.Parameters)
	own.Samples, own.SampleSize = b.samples(), sampleMean
	return own
}

// prepare writes the samples of both.
func (b dlioBench) prepare(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Join(b.dir, "own"), 0o700); err != nil {
		return err
	}
	if err := (training.Workload{}).Prepare(ctx, b.target(), b.parameters(), 1, func(float64) {}); err != nil {
		return err
	}
	_, err := b.mpi(ctx, 1, "generate_data=True", "train=False")
	return err
}

// own runs one turn of workload training.
func (b dlioBench) own(ctx context.Context, accelerators int) (s sample, err error) {
	parameters, err := json.Marshal(b.parameters())
	if err != nil {
		return s, err
	}
	target, read := b.target(), int64(0)
	target.Users = accelerators
	job := driver.Job{
		Workload: training.Name, Parameters: parameters, Targets: []workload.Target{target}, Users: accelerators,
		Warmup: unit.Duration(warmup), Measure: unit.Duration(b.length),
	}
	batches := int64(0)
	cpu, err := stand.Drive(ctx, job, func(r result.Record) error {
		switch {
		case r.Kind == result.KindInstance:
			batches = r.Instance.Count
		case r.Kind == result.KindOperation && r.Operation == "read":
			read += r.Count
		}
		return nil
	})
	b.progress("own: au %.1f %%", 100*float64(batches)*computing.Seconds()/(float64(accelerators)*b.length.Seconds()))
	s.p50, s.p95, s.p99 = math.NaN(), math.NaN(), math.NaN()
	s.throughput, s.cpu = float64(batches)*batchSamples/b.length.Seconds(), cpu.Seconds()/float64(read)
	return s, err
}

// dlioTurn is what DLIO did in one.
type dlioTurn struct {
	samples, cpu, throughput float64 // cpu in s, throughput in samples/s
}

func (t dlioTurn) since(start dlioTurn) dlioTurn {
	return dlioTurn{t.samples - start.samples, t.cpu - start.cpu, t.throughput}
}

func (t dlioTurn) sample() sample {
	return sample{throughput: t.throughput, cpu: t.cpu / t.samples, p50: math.NaN(), p95: math.NaN(), p99: math.NaN()}
}

// dlio runs DLIO for so many steps of each accelerator, without what an earlier turn left in the
// page cache.
func (b dlioBench) dlio(ctx context.Context, accelerators, steps int) (t dlioTurn, err error) {
	if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0); err != nil {
		return t, fmt.Errorf("drop caches, which takes root: %w", err)
	}
	cpu, err := b.mpi(ctx, accelerators, "generate_data=False", "train=True", fmt.Sprintf("total_training_steps=%d", steps))
	if err != nil {
		return t, err
	}
	text, err := os.ReadFile(filepath.Join(b.dir, "out", "summary.json"))
	if err != nil {
		return t, err
	}
	var summary struct {
		Metric struct {
			AU   float64 `json:"train_au_mean_percentage"`
			Rate float64 `json:"train_throughput_mean_samples_per_second"`
		} `json:"metric"`
	}
	if err := json.Unmarshal(text, &summary); err != nil {
		return t, fmt.Errorf("read what DLIO says: %w", err)
	}
	if steps > startSteps {
		b.progress("dlio: au %.1f %%", summary.Metric.AU)
	}
	return dlioTurn{float64(steps * accelerators * batchSamples), cpu, summary.Metric.Rate}, nil
}

// mpi starts DLIO with so many accelerators, and gives the CPU time of all its processes in s.
func (b dlioBench) mpi(ctx context.Context, accelerators int, settings ...string) (cpu float64, err error) {
	section := map[string]string{"generate_data": "workflow", "train": "workflow", "total_training_steps": "train"}
	args := []string{"-n", fmt.Sprint(accelerators), "dlio_benchmark", "workload=unet3d_h100", "++workload.workflow.checkpoint=False",
		"++hydra.run.dir=" + filepath.Join(b.dir, "out"), "++workload.output.folder=" + filepath.Join(b.dir, "out"),
		"++workload.dataset.data_folder=" + filepath.Join(b.dir, "dlio"), fmt.Sprintf("++workload.dataset.num_files_train=%d", b.samples()),
		fmt.Sprintf("++workload.dataset.record_length=%d", sampleMean), fmt.Sprintf("++workload.dataset.record_length_stdev=%d", sampleDeviation),
		fmt.Sprintf("++workload.dataset.record_length_resize=%d", sampleResized), fmt.Sprintf("++workload.reader.batch_size=%d", batchSamples),
		fmt.Sprintf("++workload.reader.read_threads=%d", batchReaders), fmt.Sprintf("++workload.train.computation_time=%g", computing.Seconds()),
		"++workload.train.epochs=1"}
	for _, set := range settings {
		name, _, _ := strings.Cut(set, "=")
		args = append(args, "++workload."+section[name]+"."+set)
	}
	c := exec.CommandContext(ctx, "mpiexec", args...)
	said, err := c.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("dlio_benchmark: %w: %s", err, said[max(0, len(said)-2000):])
	}
	return (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), nil
}
