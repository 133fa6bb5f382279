// Command parity compares Plimsoll's load generators with the field's own on the same server,
// file, site or link: oltp with sysbench; blockio and files with fio; smallfiles with fio's
// engines for files and a loop of system calls; network with iperf3; users of dvdstore's pages
// and of objects with wrk; accelerators of training with DLIO. The two generators take turns in
// interleaved pairs. One table has throughput, percentiles and the generator's CPU as ratios with
// intervals. Servers and generators have processors of their own. The command exits with 1 when a
// ratio is clearly out of its bound, twice.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"plimsoll/bench/stand"
	"plimsoll/internal/workload/blockio"
	"plimsoll/internal/workload/dvdstore"
	"plimsoll/internal/workload/files"
	"plimsoll/internal/workload/network"
	"plimsoll/internal/workload/objects"
	"plimsoll/internal/workload/oltp"
	"plimsoll/internal/workload/smallfiles"
	"plimsoll/internal/workload/training"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// settings are the flags.
type settings struct {
	only  string
	match string
	dir   string
	pairs int
	// accelerators is at how many of them, and at one more, DLIO is compared.
	accelerators int
	time         time.Duration
	processors
}

// scratch makes a directory for test files, and removes it with all that is in it.
func (s settings) scratch() (dir string, remove func() error, err error) {
	dir, err = os.MkdirTemp(s.dir, "plimsoll-parity-")
	return dir, func() error { return os.RemoveAll(dir) }, err
}

// inMemory is the default directory of small files and servers' data: on a disk,
// one turn does twice as much as the next.
const inMemory = "/dev/shm"

// part is one generator of the field. It starts the server or target and makes its comparisons.
type part struct {
	name string
	run  func(ctx context.Context, s settings, t *table) error
}

func parts() []part {
	return []part{{"dlio", runDLIO}, {"fio", runFio}, {"iperf3", runIperf3}, {"large", runLarge}, {"objects", runObjects}, {"small", runSmall}, {"sysbench", runSysbench}, {"wrk", runWrk}}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	defer stop()
	stand.DriverMain(ctx, oltp.Workload{}, blockio.Workload{}, dvdstore.Workload{}, files.Workload{}, network.Workload{}, objects.Workload{}, smallfiles.Workload{}, training.Workload{})
	loopMain()
	sinkMain(ctx)
	var s settings
	flag.StringVar(&s.only, "only", "", "parts to run, with commas between: dlio, fio, iperf3, large, objects, small, sysbench, wrk; all by default")
	flag.StringVar(&s.match, "match", "", "compare only where the name contains this")
	flag.StringVar(&s.dir, "dir", "", "directory for test files and servers' data (the system's temporary one; "+inMemory+" for small files and servers)")
	flag.IntVar(&s.pairs, "pairs", 5, "how often both take turns, at least 2")
	flag.IntVar(&s.accelerators, "accelerators", 4, "how many dlio's directory feeds (-dir, on a drive that is slow enough); it is compared there and at one more")
	flag.DurationVar(&s.time, "time", 3*time.Second, "length of each turn, in whole seconds")
	flag.Parse()
	exit(run(ctx, s))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench parity:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(ctx context.Context, s settings) error {
	if s.pairs < 2 {
		return fmt.Errorf("an interval needs at least 2 pairs, got %d", s.pairs)
	}
	var err error
	if s.processors, err = divided(); err != nil {
		return err
	}
	t := newTable(os.Stdout, os.Stderr, s)
	for _, p := range parts() {
		if s.only != "" && !slices.Contains(strings.Split(s.only, ","), p.name) {
			continue
		}
		if err := p.run(ctx, s, t); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return t.end()
}
