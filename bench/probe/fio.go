package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// peerPattern is fio's equivalent of one of the probe's patterns.
type peerPattern struct {
	name    string // of the probe's measure
	options []string
	write   bool
	flushes bool // the flush is timed with the write
}

// patterns come in an order in which the first one writes the file.
func patterns() []peerPattern {
	return []peerPattern{
		{name: "sequential write", options: []string{"--rw=write", "--bs=1M", "--iodepth=8"}, write: true},
		{name: "random read", options: []string{"--rw=randread", "--bs=4k", "--iodepth=1"}},
		{name: "random read, 32 at once", options: []string{"--rw=randread", "--bs=4k", "--iodepth=32"}},
		{name: "sequential read", options: []string{"--rw=read", "--bs=1M", "--iodepth=8"}},
		{name: "random write", options: []string{"--rw=randwrite", "--bs=4k", "--iodepth=1"}, write: true},
		{name: "random write, 16 at once", options: []string{"--rw=randwrite", "--bs=4k", "--iodepth=16"}, write: true},
		{name: "write and flush", options: []string{"--rw=randwrite", "--bs=8k", "--iodepth=1", "--fdatasync=1"}, write: true, flushes: true},
	}
}

// fio measures every pattern on a file of its own.
func fio(ctx context.Context, s settings, size int64) (samples map[string]sample, err error) {
	file := filepath.Join(s.dir, fmt.Sprintf(".bench-fio-%d", os.Getpid()))
	defer func() { err = errors.Join(err, os.Remove(file)) }()
	samples = map[string]sample{}
	for _, x := range patterns() {
		options := append([]string{"--name=x", "--filename=" + file, fmt.Sprintf("--size=%d", size), "--direct=1", "--ioengine=io_uring",
			"--fallocate=none", "--output-format=json", fmt.Sprintf("--runtime=%.0f", max(1, s.span.Seconds()/10))}, x.options...)
		if x.name != "sequential write" {
			options = append(options, "--time_based")
		}
		out, err := exec.CommandContext(ctx, "fio", options...).Output()
		if err != nil {
			return nil, fmt.Errorf("fio, %s: %w (fio comes by apt-get install fio)", x.name, err)
		}
		if samples[x.name], err = read(out, x); err != nil {
			return nil, fmt.Errorf("what fio says of %s: %w", x.name, err)
		}
	}
	return samples, nil
}

// latency is fio's, in nanoseconds.
type latency struct {
	Mean       float64            `json:"mean"`
	Percentile map[string]float64 `json:"percentile"`
}

type direction struct {
	IOPS    float64 `json:"iops"`
	Latency latency `json:"clat_ns"`
}

func read(out []byte, x peerPattern) (sample, error) {
	var report struct {
		Jobs []struct {
			Read  direction `json:"read"`
			Write direction `json:"write"`
			Sync  struct {
				Latency latency `json:"lat_ns"`
			} `json:"sync"`
			User   float64 `json:"usr_cpu"`
			System float64 `json:"sys_cpu"`
		} `json:"jobs"`
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return sample{}, err
	}
	if len(report.Jobs) != 1 {
		return sample{}, fmt.Errorf("%d jobs", len(report.Jobs))
	}
	job := report.Jobs[0]
	d := job.Read
	if x.write {
		d = job.Write
	}
	s := sample{d.IOPS, d.Latency.Mean / 1e9, d.Latency.Percentile["50.000000"] / 1e9, d.Latency.Percentile["99.000000"] / 1e9, (job.User + job.System) / 100}
	if x.flushes { // medians do not add up exactly; they are a guide here
		s.mean += job.Sync.Latency.Mean / 1e9
		s.p50 += job.Sync.Latency.Percentile["50.000000"] / 1e9
		s.p99 += job.Sync.Latency.Percentile["99.000000"] / 1e9
	}
	return s, nil
}
