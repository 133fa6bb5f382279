package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"plimsoll/bench/stand"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/result"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/driver"
	"plimsoll/internal/workload/files"
)

// Sizes of the large files that both use, in bytes.
const (
	largeFile  = 256 << 20
	largeBlock = 1 << 20
)

// sequence is one way to use large files, in both languages.
type sequence struct {
	name      string
	operation string   // of workload files
	options   []string // of fio
	io        string
	flush     bool
	workers   int
	verified  bool
}

// sequences are without stamps and checks on either side, except those that say so.
func sequences() []sequence {
	var all []sequence
	for _, workers := range []int{1, 4} {
		for _, io := range []string{"buffered", "direct"} {
			for _, s := range []sequence{
				{name: "rewrite", operation: "rewrite", options: []string{"--rw=write", "--overwrite=1", "--invalidate=0"}},
				{name: "rewrite, flushed", operation: "rewrite", options: []string{"--rw=write", "--overwrite=1", "--invalidate=0"}, flush: true},
				{name: "new files, flushed", operation: "write", options: []string{"--rw=write", "--create_on_open=1", "--unlink_each_loop=1", "--loops=1000000"}, flush: true},
				{name: "read again", operation: "reread", options: []string{"--rw=read", "--invalidate=0"}},
			} {
				s.name, s.io, s.workers = fmt.Sprintf("fio, large files, %s, %s, %d workers", io, s.name, workers), io, workers
				all = append(all, s)
			}
		}
	}
	return append(all, sequence{
		name: "fio, large files, direct, read again, 1 worker, verified (crc32c)", operation: "reread", io: "direct", workers: 1, verified: true,
		options: []string{"--rw=read", "--verify=crc32c", "--verify_fatal=1"},
	})
}

// runLarge compares workload files with fio on large files of the same sizes.
func runLarge(ctx context.Context, s settings, t *table) (err error) {
	wanted := slices.DeleteFunc(sequences(), func(q sequence) bool { return !t.wants(q.name) })
	if len(wanted) == 0 {
		return nil
	}
	dir, remove, err := s.scratch()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	for i, q := range wanted {
		b := largeBench{sequence: q, dir: filepath.Join(dir, fmt.Sprint(i)), length: s.time}
		if err := b.prepare(ctx); err != nil {
			return err
		}
		// Where files are in memory, the time slices of the workers decide about the slowest blocks.
		if err := t.compare(ctx, comparison{name: q.name, bound: 0.03, rateOnly: true, own: b.own, peer: b.fio}); err != nil {
			return err
		}
		if err := os.RemoveAll(b.dir); err != nil {
			return err
		}
	}
	return nil
}

// largeBench is a directory with files. Both use the same ones where they can: how fast a
// file is copied depends on which memory it got. New files are everybody's own, and those
// with stamps.
type largeBench struct {
	sequence
	dir    string
	length time.Duration
}

func (b largeBench) target() workload.Target {
	return workload.Target{Users: b.workers, Endpoints: []endpoint.Endpoint{endpoint.OfDirectory("volume", filepath.Join(b.dir, "own"))}}
}

func (b largeBench) parameters() *files.Parameters {
	own := files.Workload{}.Defaults().(*files.Parameters)
	own.Operation, own.FileSize, own.BlockSize, own.IO = b.operation, largeFile, largeBlock, b.io
	own.Flush, own.Verify = b.flush, b.verified
	return own
}

// prepare writes the files.
func (b largeBench) prepare(ctx context.Context) error {
	for _, name := range []string{"own", "fio"} {
		if err := os.MkdirAll(filepath.Join(b.dir, name), 0o700); err != nil {
			return err
		}
	}
	err := files.Workload{}.Prepare(ctx, b.target(), b.parameters(), 1, func(float64) {})
	if err != nil || b.shared() {
		return err
	}
	first := b
	first.options = []string{"--rw=write", "--end_fsync=1"}
	if b.verified {
		first.options = append(first.options, "--verify=crc32c", "--do_verify=0")
	}
	_, err = first.runFio(ctx)
	return err
}

func (b largeBench) shared() bool { return b.operation != "write" && !b.verified }

// names tells fio where its files are: job n of it uses the first file of worker n.
func (b largeBench) names() []string {
	if b.shared() {
		return []string{"--directory=" + filepath.Join(b.dir, "own", "files"), "--filename_format=$jobnum/0"}
	}
	return []string{"--directory=" + filepath.Join(b.dir, "fio"), "--filename_format=file.$jobnum"}
}

// own runs one turn of workload files; CPU and blocks cover the whole process.
func (b largeBench) own(ctx context.Context) (s sample, err error) {
	parameters, err := json.Marshal(b.parameters())
	if err != nil {
		return s, err
	}
	done := int64(0)
	job := driver.Job{
		Workload: files.Name, Parameters: parameters, Targets: []workload.Target{b.target()}, Users: b.workers,
		Warmup: unit.Duration(warmup), Measure: unit.Duration(b.length),
	}
	cpu, err := stand.Drive(ctx, job, func(r result.Record) error {
		switch {
		case r.Kind == result.KindInstance:
			return s.times(r.Instance, b.length)
		case r.Kind == result.KindOperation && (r.Operation == "block" || r.Operation == "first-read"):
			done += r.Count
		}
		return nil
	})
	s.cpu = cpu.Seconds() / float64(done)
	return s, err
}

// fio runs one turn of fio.
func (b largeBench) fio(ctx context.Context) (sample, error) {
	switch {
	case b.flush && b.operation == "rewrite": // with time_based, fio does not close files between passes
		b.options = append(slices.Clone(b.options), fmt.Sprintf("--fsync=%d", largeFile/largeBlock))
	case b.flush:
		b.options = append(slices.Clone(b.options), "--fsync_on_close=1")
	}
	b.options = append(slices.Clone(b.options), fmt.Sprintf("--runtime=%.0f", b.length.Seconds()))
	if b.operation != "write" { // with it, fio does not remove files
		b.options = append(b.options, "--time_based")
	}
	return b.runFio(ctx)
}

func (b largeBench) runFio(ctx context.Context) (sample, error) {
	direct := map[string]string{"direct": "1", "buffered": "0"}[b.io]
	options := append(slices.Concat(b.options, b.names()), "--name=parity", fmt.Sprintf("--numjobs=%d", b.workers), "--group_reporting", fmt.Sprintf("--size=%d", largeFile),
		fmt.Sprintf("--bs=%d,%d,%d", largeBlock, largeBlock, 2*hugePage), // block sizes of reads, writes and trims: nothing is trimmed, but its block size enlarges the buffer
		"--thread", // its processes would each be a group of their own to the scheduler (setsid), with the share of all of ours
		"--ioengine=psync", "--scramble_buffers=0", "--direct="+direct, "--fallocate=none", "--fadvise_hint=0", "--output-format=json",
		"--unified_rw_reporting=1", "--clat_percentiles=0", "--lat_percentiles=1", "--percentile_list=50:95:99")
	return fio(ctx, options...)
}
