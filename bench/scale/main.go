// Command scale prints the cost of reading a run of thousands of trials: time and peak memory of
// report, compare, show and the pages of serve. The run is made up, with result's own writer. The
// command asserts nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"text/tabwriter"

	"plimsoll/internal/result/resulttest"
)

// settings are the flags.
type settings struct {
	plimsoll        string
	trials, seconds int
	dir             string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var s settings
	flag.StringVar(&s.plimsoll, "plimsoll", "bin/plimsoll", "the program that is measured")
	flag.IntVar(&s.trials, "trials", 5000, "trials of the run: 10 rungs of 5 variants, and repetitions of these")
	flag.IntVar(&s.seconds, "seconds", 60, "length of a trial's measured phase")
	flag.StringVar(&s.dir, "dir", "", "where the run is made and kept; default: a directory that is removed")
	flag.Parse()
	if err := benchmark(ctx, s); err != nil {
		fmt.Fprintln(os.Stderr, "bench scale:", err)
		os.Exit(1)
	}
}

func benchmark(ctx context.Context, s settings) (err error) {
	if s.dir == "" {
		if s.dir, err = os.MkdirTemp("", "plimsoll-bench-scale"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(s.dir)) }()
	}
	if err := s.make(); err != nil {
		return err
	}
	results, err := s.commands(ctx)
	if err != nil {
		return err
	}
	pages, err := s.pages(ctx)
	if err != nil {
		return err
	}
	s.print(append(results, pages...))
	return nil
}

// name is the name of the run, and copied that of a copy of it, to compare it with.
const (
	name   = "large"
	copied = "again"
)

func (s settings) run() string  { return filepath.Join(s.dir, name) }
func (s settings) copy() string { return filepath.Join(s.dir, copied) }

// make makes the run and its copy, unless they were kept.
func (s settings) make() error {
	if _, err := os.Stat(s.copy()); err == nil {
		return nil
	}
	variants, rungs := []string{"one", "two", "three", "four", "five"}, []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32}
	if err := resulttest.Run(s.run(), variants, rungs, max(1, s.trials/len(variants)/len(rungs)), s.seconds); err != nil {
		return err
	}
	return os.CopyFS(s.copy(), os.DirFS(s.run()))
}

func (s settings) print(all []measured) {
	fmt.Printf("a run of %d trials of %d s:\n", s.trials, s.seconds)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight|tabwriter.Debug)
	fmt.Fprintln(w, "\ttime\tCPU\tpeak memory\t")
	for _, m := range all {
		fmt.Fprintf(w, "%s\t%.2f s\t%.2f s\t%.0f MB\t\n", m.name, m.Took.Seconds(), m.CPU.Seconds(), float64(m.Peak)/1e6)
	}
	_ = w.Flush() // to standard output
}
