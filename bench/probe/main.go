// Command probe compares the probe's measurements with fio's, made with the same patterns in the
// same directory, in turns, and prints the ratios. It asserts nothing.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"text/tabwriter"
	"time"

	"plimsoll/internal/storage/probe"
)

// settings are the flags.
type settings struct {
	dir   string
	pairs int
	span  time.Duration
	size  int64
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var s settings
	flag.StringVar(&s.dir, "dir", ".", "directory on the storage to measure")
	flag.IntVar(&s.pairs, "pairs", 5, "how often the probe and fio take turns")
	flag.DurationVar(&s.span, "time", 20*time.Second, "length of a probe")
	flag.Int64Var(&s.size, "size", 512<<20, "size of the test file in bytes")
	flag.Parse()
	if err := run(ctx, s); err != nil {
		fmt.Fprintln(os.Stderr, "bench probe:", err)
		os.Exit(1)
	}
}

// pair is one pattern measured by both, in one turn.
type pair struct{ own, peer sample }

// sample is what either says of a pattern: requests a second, seconds, and the
// CPU of the generator in cores.
type sample struct{ perSecond, mean, p50, p99, cpu float64 }

func run(ctx context.Context, s settings) error {
	pairs := map[string][]pair{}
	for turn := range s.pairs {
		fmt.Fprintf(os.Stderr, "pair %d of %d\n", turn+1, s.pairs)
		own, err := probe.Probe(ctx, s.dir, probe.Options{Duration: s.span, Size: s.size, Seed: uint64(turn + 1)}, nil)
		if err != nil {
			return err
		}
		peers, err := fio(ctx, s, own.FileSize)
		if err != nil {
			return err
		}
		for _, m := range own.Measures {
			if peer, ok := peers[m.Name]; ok {
				pairs[m.Name] = append(pairs[m.Name], pair{sample{m.PerSecond, m.Mean, m.P50, m.P99, m.CPU}, peer})
			}
		}
	}
	return show(pairs)
}

func show(pairs map[string][]pair) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "pattern\tprobe/s\tfio/s\tratio\tleast\tmost\tprobe p50 µs\tfio p50 µs\tprobe p99 µs\tfio p99 µs\tprobe cores\tfio cores\t")
	for _, x := range patterns() {
		all := pairs[x.name]
		if len(all) == 0 {
			continue
		}
		median := func(f func(pair) float64) float64 { return sorted(all, f)[len(all)/2] }
		ratio := sorted(all, func(p pair) float64 { return p.own.perSecond / p.peer.perSecond })
		fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%.2f\t%.2f\t%.2f\t%.0f\t%.0f\t%.0f\t%.0f\t%.2f\t%.2f\t\n", x.name,
			median(func(p pair) float64 { return p.own.perSecond }), median(func(p pair) float64 { return p.peer.perSecond }),
			ratio[len(ratio)/2], ratio[0], ratio[len(ratio)-1],
			1e6*median(func(p pair) float64 { return p.own.p50 }), 1e6*median(func(p pair) float64 { return p.peer.p50 }),
			1e6*median(func(p pair) float64 { return p.own.p99 }), 1e6*median(func(p pair) float64 { return p.peer.p99 }),
			median(func(p pair) float64 { return p.own.cpu }), median(func(p pair) float64 { return p.peer.cpu }))
	}
	return w.Flush()
}

func sorted(all []pair, f func(pair) float64) []float64 {
	values := make([]float64, len(all))
	for i, p := range all {
		values[i] = f(p)
	}
	slices.Sort(values)
	return values
}
