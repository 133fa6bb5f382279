// Command growth prints how what Plimsoll itself takes grows with the size of a trial: of
// 10 to 1,000 nodes, 100 to 10,000 instances and 1,000 to 100,000 users, for half an hour.
// The campaign, its records and the reports are real; nodes, servers, volumes and drivers
// are only said to be there, and drivers record as fast as the campaign takes it. It asserts
// nothing.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"time"

	"plimsoll/bench/process"
	"plimsoll/internal/result"
)

// settings are the flags.
type settings struct {
	size
	plimsoll, dir, svg, do, only, profile string
	starts                                int
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var s settings
	flag.StringVar(&s.plimsoll, "plimsoll", "bin/plimsoll", "the program that makes the reports")
	flag.StringVar(&s.dir, "dir", "", "where the runs are made and kept; default: a directory that is removed")
	flag.StringVar(&s.svg, "svg", "", "draw the curves into this file, too")
	flag.StringVar(&s.only, "only", "", "measure one size, `NODES/INSTANCES`, instead of three")
	flag.IntVar(&s.seconds, "seconds", 1800, "length of the measured phase")
	flag.IntVar(&s.users, "users", 10, "users of an instance")
	flag.IntVar(&s.rungs, "rungs", 1, "rungs of a ladder up to the instances, with a trial of each variant at each")
	flag.IntVar(&s.variants, "variants", 1, "variants of the ladder")
	flag.IntVar(&s.perDriver, "per-driver", 100, "instances that a driver plays")
	flag.StringVar(&s.do, "do", "", "a part, by the program itself: collect, idle")
	flag.StringVar(&s.profile, "profile", "", "write a CPU profile of the part that -do names into this file")
	flag.IntVar(&s.starts, "starts", 0, "print how long so many servers take to start on made-up clusters, and nothing else")
	flag.Parse()
	if s.starts > 0 {
		printStarts(os.Stdout, s.starts)
		return
	}
	if err := s.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench growth:", err)
		os.Exit(1)
	}
}

func (s settings) run(ctx context.Context) error {
	sizes := []size{{nodes: 10, instances: 100}, {nodes: 100, instances: 1000}, {nodes: 1000, instances: 10000}}
	if s.only != "" {
		sizes = sizes[:1]
		if _, err := fmt.Sscanf(s.only, "%d/%d", &sizes[0].nodes, &sizes[0].instances); err != nil {
			return fmt.Errorf("-only %s: %w", s.only, err)
		}
	}
	for n := range sizes {
		sizes[n].users, sizes[n].perDriver, sizes[n].seconds = s.users, s.perDriver, s.seconds
		sizes[n].rungs, sizes[n].variants = s.rungs, s.variants
	}
	if s.profile != "" {
		f, err := os.Create(s.profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	switch s.do {
	case "collect":
		return sizes[0].collect(ctx, s.dir, os.Stdout)
	case "idle":
		return sizes[0].idle(ctx)
	}
	return s.benchmark(ctx, sizes)
}

func (s settings) benchmark(ctx context.Context, sizes []size) (err error) {
	if s.dir == "" {
		if s.dir, err = os.MkdirTemp("", "plimsoll-bench-growth"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(s.dir)) }()
	}
	var all []taken
	for _, one := range sizes {
		t, failed := s.measure(ctx, one)
		if failed != nil {
			err = fmt.Errorf("%d instances: %w", one.instances, failed)
			break
		}
		all = append(all, t)
	}
	print(os.Stdout, all)
	if s.svg == "" || err != nil {
		return err
	}
	return os.WriteFile(s.svg, []byte(drawn(all)), 0o644)
}

// taken is what one size takes.
type taken struct {
	size
	collected
	collect            process.Used // of the campaign, its drivers included
	drivers            process.Used // of the drivers alone
	journal, run, page int64        // bytes
	text, html         process.Used
}

// runName is the directory of the run.
const runName = "run"

// measure measures one size, each part in a process of its own.
func (s settings) measure(ctx context.Context, of size) (t taken, err error) {
	t.size = of
	self, err := os.Executable()
	if err != nil {
		return t, err
	}
	dir := filepath.Join(s.dir, fmt.Sprint(of.instances))
	same := []string{"-only", fmt.Sprintf("%d/%d", of.nodes, of.instances), "-dir", dir,
		"-seconds", fmt.Sprint(of.seconds), "-users", fmt.Sprint(of.users), "-per-driver", fmt.Sprint(of.perDriver),
		"-rungs", fmt.Sprint(of.rungs), "-variants", fmt.Sprint(of.variants)}
	var said []byte
	if t.collect, said, err = process.Run(ctx, self, append(same, "-do", "collect")...); err != nil {
		return t, err
	}
	if err := json.Unmarshal(said, &t.collected); err != nil {
		return t, err
	}
	if t.Failure != "" {
		return t, fmt.Errorf("the trial failed: %s", t.Failure)
	}
	if t.drivers, _, err = process.Run(ctx, self, append(same, "-do", "idle")...); err != nil {
		return t, err
	}
	run, page := filepath.Join(dir, runName), filepath.Join(dir, "page.html")
	if t.text, _, err = process.Run(ctx, s.plimsoll, "report", run); err != nil {
		return t, err
	}
	if t.html, _, err = process.Run(ctx, s.plimsoll, "report", run, "--format", "html", "-o", page); err != nil {
		return t, err
	}
	t.journal, t.page = bytesOf(filepath.Join(run, result.JournalFile)), bytesOf(page)
	t.run, err = below(run)
	return t, err
}

// bytesOf is the size of a file; 0 of one that is not there.
func bytesOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// below is the size of all files below a directory.
func below(dir string) (sum int64, err error) {
	return sum, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			sum += bytesOf(path)
		}
		return err
	})
}

// cpu is the campaign's processor time less its drivers' time.
func (t taken) cpu() time.Duration { return max(0, t.collect.CPU-t.drivers.CPU) }
