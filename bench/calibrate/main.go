// Command calibrate holds the bounds of answers against runs with a known disturbance. It measures a database,
// files and a block device on a simulated drive, quiet and disturbed in turns, and writes how often the
// quiet figure is within the disturbed run's bound, and how sharp the bounds are: the median of the
// bound on the side of the true deviation over that, where less than 5 % counts as 5 %.
package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
)

//go:embed studies
var studies embed.FS

// workloads are the studies, by their files' names.
var workloads = []string{"database", "files", "block"}

// settings are the flags.
type settings struct {
	plimsoll string
	output   string
	dir      string
	rounds   int
	only     string
	again    bool
	known    map[string]judged // runs, by their names
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s := settings{known: map[string]judged{}}
	share := flag.Float64("burn", 0, "only keep a core busy for this share of the time")
	flag.StringVar(&s.plimsoll, "plimsoll", "bin/plimsoll", "the program")
	flag.StringVar(&s.output, "o", "", "file to write the table to")
	flag.StringVar(&s.dir, "dir", "", "directory for runs (default a temporary one)")
	flag.IntVar(&s.rounds, "rounds", 2, "how often each workload is measured with each disturbance")
	flag.StringVar(&s.only, "only", "", "only disturbances whose names match this regular expression")
	flag.BoolVar(&s.again, "again", false, "grade the runs of -dir again instead of measuring")
	flag.Parse()
	if *share > 0 {
		burn(*share)
	}
	if err := run(ctx, s); err != nil {
		fmt.Fprintln(os.Stderr, "bench calibrate:", err)
		os.Exit(1)
	}
}

// measured names the runs of a pair: a disturbed one, and the quiet ones before and after it. An empty
// Disturbed is the quiet one before it with telemetry removed.
type measured struct {
	Workload, Disturbance    string
	Before, Disturbed, After string
}

// pair is a disturbed run beside quiet ones, on a machine.
type pair struct {
	measured
	machine          *result.Machine
	quiet, disturbed float64
	bound            *analysis.AnswerBound
	grade            string
}

// within reports whether the quiet figure is within the bound of the disturbed run. An open bound is
// no hit.
func (p pair) within() bool {
	return p.bound != nil && !p.bound.Open && p.quiet >= p.bound.Low && p.quiet <= p.bound.High
}

// deviation is how far the disturbed figure is off.
func (p pair) deviation() float64 { return p.quiet/p.disturbed - 1 }

// leastDeviation counts for all that are smaller.
const leastDeviation = 0.05

func (p pair) sharpness() float64 {
	if p.bound == nil || p.bound.Open {
		return math.Inf(1)
	}
	return p.bound.Towards(p.deviation()) / max(leastDeviation, math.Abs(p.deviation()))
}

func run(ctx context.Context, s settings) (err error) {
	if s.dir == "" {
		if s.dir, err = os.MkdirTemp("/var/tmp", "plimsoll-calibrate-"); err != nil {
			return err
		}
		defer os.RemoveAll(s.dir)
		if err := os.Chmod(s.dir, 0o711); err != nil { // servers run as users of their own
			return err
		}
	}
	pairs, err := s.pairs(ctx)
	if err != nil {
		return err
	}
	if s.output != "" {
		if err := os.WriteFile(s.output, []byte(document(pairs)), 0o644); err != nil {
			return err
		}
	}
	fmt.Print(table(pairs))
	fmt.Println(total(pairs))
	return nil
}

// list is the file that names the pairs of a directory of runs, as JSON, one a line.
const list = "pairs.jsonl"

// pairs measures all workloads, or reads what was measured.
func (s settings) pairs(ctx context.Context) (pairs []pair, err error) {
	if s.again {
		return s.readAgain()
	}
	f, err := os.OpenFile(filepath.Join(s.dir, list), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for range s.rounds {
		for _, w := range workloads {
			some, err := s.measureAll(ctx, w, json.NewEncoder(f))
			if pairs = append(pairs, some...); err != nil {
				return pairs, err
			}
		}
	}
	return pairs, nil
}

// readAgain grades the runs of a directory again.
func (s settings) readAgain() (pairs []pair, err error) {
	text, err := os.ReadFile(filepath.Join(s.dir, list))
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var m measured
		if err := d.Decode(&m); err != nil {
			return nil, err
		}
		p, err := s.pairOf(m)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}

// pairOf reads the runs of a pair.
func (s settings) pairOf(m measured) (p pair, err error) {
	p.measured = m
	before, err := s.judged(m.Before)
	if err != nil {
		return p, err
	}
	after, err := s.judged(m.After)
	if err != nil {
		return p, err
	}
	p.quiet, p.machine = math.Sqrt(before.bound.Figure*after.bound.Figure), after.run.Machine
	if m.Disturbed == "" {
		err = thinned(before.run, func(run *result.Run) error { p.bound, p.grade, err = boundOf(run); return err })
	} else {
		var disturbed judged
		disturbed, err = s.judged(m.Disturbed)
		p.bound, p.grade = disturbed.bound, disturbed.grade
	}
	if err != nil {
		return p, err
	}
	p.disturbed = p.bound.Figure
	fmt.Fprintf(os.Stderr, "%-9s %-45s quiet %8.4g  disturbed %8.4g (%+5.1f %%)  %s %v  %s\n",
		p.Workload, p.Disturbance, p.quiet, p.disturbed, 100*p.deviation(), p.grade, p.within(), p.bound.Text)
	return p, nil
}

// measureAll measures a workload with each disturbance, with a quiet run before the first and after every third: the
// quiet figure of a pair is the geometric mean of the two around it.
func (s settings) measureAll(ctx context.Context, workload string, kept *json.Encoder) (pairs []pair, err error) {
	only, err := regexp.Compile(s.only)
	if err != nil {
		return nil, err
	}
	quiet := disturbance{called: "quiet"}
	before, err := s.measure(ctx, workload, quiet)
	if err != nil {
		return nil, err
	}
	for some := range slices.Chunk(slices.DeleteFunc(disturbances(), func(d disturbance) bool { return !only.MatchString(d.called) }), 3) {
		var now []measured
		for _, d := range some {
			m := measured{Workload: workload, Disturbance: d.called, Before: before}
			if !d.thinned {
				if m.Disturbed, err = s.measure(ctx, workload, d); err != nil {
					return pairs, err
				}
			}
			now = append(now, m)
		}
		after, err := s.measure(ctx, workload, quiet)
		if err != nil {
			return pairs, err
		}
		for _, m := range now {
			m.After = after
			p, err := s.pairOf(m)
			if err = errors.Join(err, kept.Encode(m)); err != nil {
				return pairs, err
			}
			pairs = append(pairs, p)
		}
		before = after
	}
	return pairs, nil
}

// judged is a run with its bound.
type judged struct {
	run   *result.Run
	bound *analysis.AnswerBound
	grade string
}

// judged analyses a run by its name, once: a quiet one is in several pairs.
func (s settings) judged(name string) (j judged, err error) {
	if j, has := s.known[name]; has {
		return j, nil
	}
	if j.run, err = result.Open(filepath.Join(s.dir, name)); err != nil {
		return j, err
	}
	if j.bound, j.grade, err = boundOf(j.run); err != nil {
		return j, err
	}
	s.known[name] = j
	return j, nil
}

// measure runs the study of a workload with a disturbance, and gives the name of the run.
func (s settings) measure(ctx context.Context, workload string, d disturbance) (name string, err error) {
	text, err := studies.ReadFile("studies/" + workload + ".yaml")
	if err != nil {
		return "", err
	}
	file := filepath.Join(s.dir, workload+".yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return "", err
	}
	name = fmt.Sprintf("%s-%d", workload, time.Now().UnixNano())
	args := []string{"run", file, "--retries", "0", "--name", name, "--runs", s.dir, "--work", s.dir, "--min-grade", "F"}
	if set := d.set[workload]; set != "" {
		args = append(args, "--set", set)
	}
	c := exec.CommandContext(ctx, s.plimsoll, args...)
	var out strings.Builder
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		return "", err
	}
	beside, end := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if d.beside != nil {
			d.beside(beside, c.Process.Pid, s.dir)
		}
	}()
	err = c.Wait()
	end()
	<-ended
	if err != nil {
		return "", fmt.Errorf("%s, %s: %w\n%s", workload, d.called, err, out.String())
	}
	return name, nil
}

// boundOf is how far a run says that it may be off.
func boundOf(run *result.Run) (*analysis.AnswerBound, string, error) {
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil {
		return nil, "", err
	}
	if a.Bound == nil {
		return nil, "", errors.New("nothing was measured in " + run.Dir)
	}
	return a.Bound, a.Grade, nil
}

// thinned does something with a run that has lost every fifth second of its telemetry.
func thinned(run *result.Run, do func(*result.Run) error) (err error) {
	series := func(t *result.Trial) (all []result.Series) {
		for s := range run.EachSeries(t) {
			kept := s
			kept.Times, kept.Values = nil, nil
			for i, at := range s.Times {
				if at/1000%5 != 0 || slices.Contains([]string{"operation", "driver"}, s.Kind) {
					kept.Times, kept.Values = append(kept.Times, at), append(kept.Values, s.Values[i])
				}
			}
			all = append(all, kept)
		}
		return all
	}
	failed := analysistest.InFiles(run, series, func(filed *result.Run) { err = do(filed) })
	return errors.Join(failed, err)
}

// introduction heads the document.
const introduction = `# How far bounds hold

%s calibrate%s measures a database, files and a block device on a simulated drive in pairs: quiet, and with a known
disturbance. It writes this page. Two figures count:

- **within**: the quiet figure is within the bound of the disturbed run. One without a bound (F) is no hit.
- **sharpness**: the bound on the side of the true deviation, over that, the median of the pairs; deviations below 5 %% count
  as 5 %%. 1 would be a bound that knows the deviation.

A quiet figure is the geometric mean of a run before the disturbed one and a run after it. Each run has three trials
of 10 s: phases that an answer should rest on are longer.

Measured on %s, on %s with %d cores, %s.

`

// document is the page with the table.
func document(pairs []pair) string {
	m := pairs[0].machine
	return fmt.Sprintf(introduction, "`make", "`", time.Now().Format(time.DateOnly), m.CPUModel, m.Cores, m.OS) + table(pairs) + "\n" + total(pairs) + ".\n"
}

// table has a row for each workload and disturbance.
func table(pairs []pair) string {
	var b strings.Builder
	b.WriteString("| workload | disturbance | deviation | bound | within | sharpness |\n|---|---|---|---|---|---|\n")
	for _, w := range workloads {
		for _, d := range disturbances() {
			var some []pair
			for _, p := range pairs {
				if p.Workload == w && p.Disturbance == d.called {
					some = append(some, p)
				}
			}
			if len(some) == 0 {
				continue
			}
			off := make([]string, len(some))
			bounds := make([]string, len(some))
			for i, p := range some {
				off[i] = fmt.Sprintf("%+.0f %%", 100*p.deviation())
				bounds[i] = fmt.Sprintf("−%.0f to +%.0f %%", 100*p.bound.TooHigh, 100*p.bound.TooLow)
			}
			hits, sharp := sums(some)
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %d of %d | %.1f |\n", w, d.called, strings.Join(off, ", "), strings.Join(bounds, ", "), hits, len(some), sharp)
		}
	}
	return b.String()
}

// total is the last line.
func total(pairs []pair) string {
	hits, sharp := sums(pairs)
	return fmt.Sprintf("within %d of %d, sharpness %.1f", hits, len(pairs), sharp)
}

func sums(pairs []pair) (hits int, sharpness float64) {
	var all []float64
	for _, p := range pairs {
		if p.within() {
			hits++
		}
		all = append(all, p.sharpness())
	}
	slices.Sort(all)
	return hits, stats.Median(all)
}
