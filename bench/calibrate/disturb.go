package main

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// disturbance is something known that is wrong with a run.
type disturbance struct {
	called string
	// set are settings of the study, for each of the workloads, PATH=VALUE; empty for none.
	set map[string]string
	// beside goes on until the context ends, while the run with the process does.
	beside func(ctx context.Context, run int, work string)
	// thinned reports that telemetry is taken from a quiet run.
	thinned bool
}

// disturbances are what each workload is measured with.
func disturbances() []disturbance {
	neighbour := func(share float64) func(context.Context, int, string) {
		return func(ctx context.Context, _ int, _ string) {
			c := exec.CommandContext(ctx, os.Args[0], "-burn", strconv.FormatFloat(share, 'g', -1, 64))
			_ = c.Run() // ends with the context
		}
	}
	return []disturbance{
		{called: "a neighbour of 10 % of a core", beside: neighbour(0.1)},
		{called: "a neighbour of 25 % of a core", beside: neighbour(0.25)},
		{called: "a neighbour of 50 % of a core", beside: neighbour(0.5)},
		{called: "a neighbour of a whole core", beside: neighbour(1)},
		{called: "a medium that others read a fifth of the time", beside: readBeside(0.2)},
		{called: "a medium that others read half of the time", beside: readBeside(0.5)},
		{called: "caches the other way", set: map[string]string{"database": "phases.warmup=0s", "files": "workload.parameters.operation=reread", "block": "workload.parameters.mode=buffered"}},
		{called: "a phase a tenth as long", set: map[string]string{"database": "phases.measure=1s", "files": "phases.measure=1s", "block": "phases.measure=1s"}},
		{called: "every fifth second of telemetry removed", thinned: true},
		{called: "a stop of 2 s in every 6 s", beside: stops},
	}
}

// burn keeps a core busy for a share of every window.
func burn(share float64) {
	const window = 50 * time.Millisecond
	for {
		begun := time.Now()
		for time.Since(begun) < time.Duration(share*float64(window)) {
		}
		time.Sleep(window - time.Since(begun))
	}
}

// readBeside reads at random from the simulated medium of the run, with four requests at a time, for a share
// of every tenth of a second.
func readBeside(share float64) func(context.Context, int, string) {
	return func(ctx context.Context, _ int, work string) {
		path := ""
		for path == "" && wait(ctx, 100*time.Millisecond) {
			path = mediumOf(work)
		}
		for range 3 {
			go readAtRandom(ctx, path, share)
		}
		readAtRandom(ctx, path, share)
	}
}

func readAtRandom(ctx context.Context, path string, share float64) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECT, 0)
	if err != nil {
		return
	}
	defer f.Close()
	const block, window = 8 << 10, 100 * time.Millisecond
	buffer := aligned(block)
	for ctx.Err() == nil {
		begun := time.Now()
		for time.Since(begun) < time.Duration(share*float64(window)) {
			if _, err := f.ReadAt(buffer, rand.Int64N(8<<10)*block); err != nil {
				return
			}
		}
		wait(ctx, window-time.Since(begun))
	}
}

// mediumOf is the file that a simulated medium below the working directory is; empty before there is one.
func mediumOf(work string) string {
	found, err := filepath.Glob(filepath.Join(work, "*", "s", "*", "*", "medium", "disk"))
	if err != nil || len(found) == 0 {
		return ""
	}
	return found[0]
}

// stops stops what drives the load, or the servers, for 2 s in every 6.
func stops(ctx context.Context, run int, _ string) {
	for wait(ctx, 4*time.Second) {
		halted := descendants(run)
		for _, pid := range halted {
			_ = syscall.Kill(pid, syscall.SIGSTOP) // it may have ended
		}
		wait(ctx, 2*time.Second)
		for _, pid := range halted {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	}
}

// descendants are the servers and drivers below a process.
func descendants(of int) (all []int) {
	found, _ := filepath.Glob("/proc/" + strconv.Itoa(of) + "/task/*/children")
	for _, path := range found {
		text, _ := os.ReadFile(path) // the thread may have ended
		for _, field := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil {
				all = append(append(all, pid), descendants(pid)...)
			}
		}
	}
	return all
}

// wait reports whether the time passed before the context ended.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
