package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"plimsoll/bench/stand"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/result"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/blockio"
	"plimsoll/internal/workload/driver"
	"plimsoll/internal/workload/mix"
)

// fileSize is the size in bytes of the file that both generators use.
const fileSize = 1 << 30

// pattern is one way to use the file, in both languages.
type pattern struct {
	name     string
	read     float64 // percent
	access   string
	block    int64
	depth    int
	verified bool // each block that is read is checked
}

// patterns are without stamps and checks on either side, except those that say so.
func patterns() []pattern {
	var all []pattern
	for _, depth := range []int{1, 16, 64} {
		for _, x := range []struct {
			name string
			read float64
		}{{"read", 100}, {"write", 0}, {"70/30", 70}} {
			all = append(all, pattern{fmt.Sprintf("fio, 4 KiB random %s, %d outstanding", x.name, depth), x.read, "random", 4096, depth, false})
		}
	}
	return append(all,
		pattern{"fio, 1 MiB sequential read, 8 outstanding", 100, "sequential", 1 << 20, 8, false},
		pattern{"fio, 1 MiB sequential write, 8 outstanding", 0, "sequential", 1 << 20, 8, false},
		pattern{"fio, 4 KiB random read, 16 outstanding, verified (crc32c)", 100, "random", 4096, 16, true},
	)
}

// runFio compares blockio with fio on one file.
func runFio(ctx context.Context, s settings, t *table) (err error) {
	wanted := slices.DeleteFunc(patterns(), func(p pattern) bool { return !t.wants(p.name) })
	if len(wanted) == 0 {
		return nil
	}
	dir, remove, err := s.scratch()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	f := fileBench{dir: dir, length: s.time}
	for _, p := range wanted {
		if err := f.prepare(ctx, p); err != nil {
			return err
		}
		err := t.compare(ctx, comparison{
			name: p.name, bound: 0.03,
			own:  func(ctx context.Context) (sample, error) { return f.own(ctx, p) },
			peer: func(ctx context.Context) (sample, error) { return f.fio(ctx, p) },
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fileBench is a directory with the file of blockio, which fio uses, too; where
// blocks are verified each has a file of its own.
type fileBench struct {
	dir    string
	length time.Duration
}

func (b fileBench) target() workload.Target {
	return workload.Target{Endpoints: []endpoint.Endpoint{endpoint.OfDirectory("volume", b.dir)}}
}

// prepare writes the files anew: every pattern finds the same.
func (b fileBench) prepare(ctx context.Context, p pattern) error {
	inside, err := os.ReadDir(b.dir)
	if err != nil {
		return err
	}
	for _, old := range inside {
		if err := os.RemoveAll(filepath.Join(b.dir, old.Name())); err != nil {
			return err
		}
	}
	if err := (blockio.Workload{}).Prepare(ctx, b.target(), b.parameters(p), 1, func(float64) {}); err != nil {
		return err
	}
	if !p.verified {
		return nil
	}
	written := p
	written.read, written.access, written.block = 0, "sequential", 4096
	_, err = b.runFio(ctx, written, "--do_verify=0")
	return err
}

func (b fileBench) parameters(p pattern) *blockio.Parameters {
	own := blockio.Workload{}.Defaults().(*blockio.Parameters)
	own.Size, own.Read, own.Access, own.Outstanding, own.Verify = fileSize, p.read, p.access, p.depth, p.verified
	own.Block = mix.Sizes{{Bytes: p.block, Weight: 1}}
	return own
}

// own runs one turn of blockio; CPU and I/Os cover the whole process.
func (b fileBench) own(ctx context.Context, p pattern) (s sample, err error) {
	parameters, err := json.Marshal(b.parameters(p))
	if err != nil {
		return s, err
	}
	done := int64(0)
	job := driver.Job{Workload: blockio.Name, Parameters: parameters, Targets: []workload.Target{b.target()}, Users: 1, Measure: unit.Duration(b.length)}
	cpu, err := stand.Drive(ctx, job, func(r result.Record) error {
		switch {
		case r.Kind == result.KindInstance:
			return s.times(r.Instance, b.length)
		case r.Kind == result.KindOperation && r.Operation == "I/O":
			done += r.Count
		}
		return nil
	})
	s.cpu = cpu.Seconds() / float64(done)
	return s, err
}

// fio runs one turn of fio.
func (b fileBench) fio(ctx context.Context, p pattern) (sample, error) {
	return b.runFio(ctx, p, "--time_based", fmt.Sprintf("--runtime=%.0f", b.length.Seconds()))
}

func (b fileBench) runFio(ctx context.Context, p pattern, options ...string) (sample, error) {
	file, mode := "blockio.data", map[string]string{"random": "rand", "sequential": ""}[p.access]+"rw"
	switch p.read {
	case 100:
		mode = mode[:len(mode)-2] + "read"
	case 0:
		mode = mode[:len(mode)-2] + "write"
	}
	if p.verified {
		file = "fio.data"
		options = append(options, "--verify=crc32c", "--verify_fatal=1")
	}
	options = append(options, "--name=parity", "--filename="+filepath.Join(b.dir, file), fmt.Sprintf("--size=%d", fileSize), "--direct=1",
		"--ioengine=io_uring", "--rw="+mode, fmt.Sprintf("--rwmixread=%g", p.read), fmt.Sprintf("--bs=%d", p.block), fmt.Sprintf("--iodepth=%d", p.depth),
		"--norandommap", "--random_generator=tausworthe64", "--fallocate=none", "--output-format=json",
		"--unified_rw_reporting=1", "--clat_percentiles=0", "--lat_percentiles=1", "--percentile_list=50:95:99")
	return fio(ctx, options...)
}

// hugePage is the size of one, in bytes.
const hugePage = 2 << 20

// fio runs fio with buffers that begin at a huge page and, if they are large, consist of huge
// pages, as ours do. In small pages a block of 1 MiB is 256 places in memory for direct I/O. That
// is more than one request to a virtual disk may have, so the block becomes several requests: fio
// then reads half as much at three times the CPU. malloc uses huge pages for 2 MiB or more, and
// only whole ones. fio saves no verification state, which would go to the working directory.
func fio(ctx context.Context, options ...string) (sample, error) {
	c := exec.CommandContext(ctx, "fio", append(options, fmt.Sprintf("--iomem_align=%d", hugePage), "--verify_state_save=0")...)
	c.Env = append(os.Environ(), "GLIBC_TUNABLES=glibc.malloc.hugetlb=1")
	out, err := c.Output()
	if err != nil {
		return sample{}, fmt.Errorf("fio (apt-get install fio): %w: %s", err, out)
	}
	return readFio(out, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
}

// readFio reads fio's report of one job.
func readFio(out []byte, cpu time.Duration) (sample, error) {
	var report struct {
		Jobs []struct {
			Mixed struct {
				IOPS    float64 `json:"iops"`
				Total   float64 `json:"total_ios"`
				Latency struct {
					Percentile map[string]float64 `json:"percentile"` // ns
				} `json:"lat_ns"`
			} `json:"mixed"`
		} `json:"jobs"`
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return sample{}, fmt.Errorf("what fio reports: %w", err)
	}
	if len(report.Jobs) != 1 || report.Jobs[0].Mixed.Total == 0 {
		return sample{}, fmt.Errorf("fio reports no I/Os: %s", out)
	}
	m := report.Jobs[0].Mixed
	at := func(key string) float64 { return m.Latency.Percentile[key] / 1e9 }
	return sample{throughput: m.IOPS, p50: at("50.000000"), p95: at("95.000000"), p99: at("99.000000"), cpu: cpu.Seconds() / m.Total}, nil
}
