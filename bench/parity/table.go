package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// sample is what one turn of a generator gave.
type sample struct {
	throughput    float64 // units a second
	p50, p95, p99 float64 // response time in seconds
	cpu           float64 // CPU seconds of the generator, user and system, for each statement or I/O
}

// comparison is one setting in which both generators take turns.
type comparison struct {
	name string // "postgres, read_write, 8 users"
	own  func(ctx context.Context) (sample, error)
	peer func(ctx context.Context) (sample, error)
	// bound is by what share throughput may be lower and percentiles higher than
	// the peer's: 0.05.
	bound float64
	// cpu is how much higher CPU may be, as a share; 0 for most comparisons.
	cpu float64
	// cpuOnly means that only CPU has a bound, and rateOnly that percentiles have none.
	cpuOnly, rateOnly bool
}

// measure is one column of ratios.
type measure struct {
	name   string
	of     func(sample) float64
	higher bool // is better
	cpu    bool // it has a bound of its own
}

func measures() []measure {
	return []measure{
		{name: "throughput", of: func(s sample) float64 { return s.throughput }, higher: true},
		{name: "p50", of: func(s sample) float64 { return s.p50 }},
		{name: "p95", of: func(s sample) float64 { return s.p95 }},
		{name: "p99", of: func(s sample) float64 { return s.p99 }},
		{name: "CPU", of: func(s sample) float64 { return s.cpu }, cpu: true},
	}
}

// ratio is own to peer: the geometric mean over the pairs and its 95 %
// interval, by Student's t of the pairs' log ratios.
type ratio struct{ mean, low, high float64 }

// String has the interval, and nothing where one side knows no figure.
func (r ratio) String() string {
	if math.IsNaN(r.mean) {
		return "–"
	}
	return fmt.Sprintf("%.2f (%.2f–%.2f)", r.mean, r.low, r.high)
}

func ratioOf(own, peer []float64) ratio {
	logs := make([]float64, len(own))
	for i := range own {
		logs[i] = math.Log(own[i] / peer[i])
	}
	mean, deviation := stat.MeanStdDev(logs, nil)
	n := float64(len(logs))
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * deviation / math.Sqrt(n)
	return ratio{math.Exp(mean), math.Exp(mean - half), math.Exp(mean + half)}
}

// boundOf returns the bound of a measure; ok is false if it has none.
func (c comparison) boundOf(m measure) (bound float64, ok bool) {
	if m.cpu {
		return c.cpu, true
	}
	return c.bound, !c.cpuOnly && (m.higher || !c.rateOnly)
}

// verdict returns whether a ratio keeps its bound: "" yes, "?" only within the
// interval, "!" clearly not.
func (m measure) verdict(r ratio, bound float64) string {
	worst, mean, best := r.high, r.mean, r.low
	if m.higher {
		worst, mean, best = 1/r.low, 1/r.mean, 1/r.high
	}
	limit := 1 + bound
	if m.higher {
		limit = 1 / (1 - bound)
	}
	switch {
	case mean <= limit || math.IsNaN(worst):
		return ""
	case best <= limit:
		return "?"
	}
	return "!"
}

// table prints a row for each comparison as it ends.
type table struct {
	settings settings
	out      io.Writer
	progress io.Writer
	rows     [][]string
	wrong    []string
}

func newTable(out, progress io.Writer, s settings) *table {
	head := []string{"", "own/s", "peer/s", "own p95 ms", "peer p95 ms", "own µs CPU", "peer µs CPU"}
	for _, m := range measures() {
		head = append(head, m.name)
	}
	return &table{settings: s, out: out, progress: progress, rows: [][]string{head}}
}

// say tells of the progress.
func (t *table) say(format string, args ...any) { fmt.Fprintf(t.progress, format+"\n", args...) }

// wants reports whether the comparison of that name is asked for.
func (t *table) wants(name string) bool { return strings.Contains(name, t.settings.match) }

// compare has both generators take turns, and adds a row. A ratio clearly out of its bound is
// measured once more and counts only if it is out again: some of the hundred and more ratios of a
// whole table are out by chance.
func (t *table) compare(ctx context.Context, c comparison) error {
	first, err := t.measured(ctx, c)
	if err != nil || len(first) == 0 {
		return err
	}
	c.name += ", again"
	second, err := t.measured(ctx, c)
	for _, m := range measures() {
		if again, found := second[m.name]; found && first[m.name] != "" {
			t.wrong = append(t.wrong, again)
		}
	}
	return err
}

// measured adds a row, and returns the ratios that are clearly out of bounds, by measure. Each
// side goes first in every other pair.
func (t *table) measured(ctx context.Context, c comparison) (out map[string]string, err error) {
	var own, peer []sample
	for pair := range t.settings.pairs {
		fmt.Fprintf(t.progress, "%s: pair %d of %d\n", c.name, pair+1, t.settings.pairs)
		a, b, err := c.turns(ctx, pair%2 == 1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		own, peer = append(own, a), append(peer, b)
	}
	return t.add(c, own, peer), nil
}

func (c comparison) turns(ctx context.Context, peerFirst bool) (own, peer sample, err error) {
	if peerFirst {
		if peer, err = c.peer(ctx); err != nil {
			return own, peer, err
		}
		own, err = c.own(ctx)
		return own, peer, err
	}
	if own, err = c.own(ctx); err != nil {
		return own, peer, err
	}
	peer, err = c.peer(ctx)
	return own, peer, err
}

func (t *table) add(c comparison, own, peer []sample) (out map[string]string) {
	out = map[string]string{}
	mean := func(all []sample, of func(sample) float64) float64 { return stat.Mean(values(all, of), nil) }
	each := measures()
	throughput, p95, cpu := each[0].of, each[2].of, each[4].of
	row := []string{c.name,
		fmt.Sprintf("%.0f", mean(own, throughput)), fmt.Sprintf("%.0f", mean(peer, throughput)),
		milliseconds(mean(own, p95)), milliseconds(mean(peer, p95)),
		fmt.Sprintf("%.2f", 1e6*mean(own, cpu)), fmt.Sprintf("%.2f", 1e6*mean(peer, cpu))}
	for _, m := range each {
		r := ratioOf(values(own, m.of), values(peer, m.of))
		verdict := ""
		if bound, ok := c.boundOf(m); ok {
			verdict = m.verdict(r, bound)
		}
		if verdict == "!" {
			out[m.name] = fmt.Sprintf("%s: %s is %.2f (%.2f to %.2f) of the peer's", c.name, m.name, r.mean, r.low, r.high)
		}
		row = append(row, r.String()+verdict)
	}
	t.rows = append(t.rows, row)
	fmt.Fprintln(t.progress, strings.Join(row, "  "))
	return out
}

// milliseconds writes a time, and nothing where there is none.
func milliseconds(seconds float64) string {
	if math.IsNaN(seconds) {
		return "–"
	}
	return fmt.Sprintf("%.3f", 1e3*seconds)
}

func values(all []sample, of func(sample) float64) []float64 {
	v := make([]float64, len(all))
	for i, s := range all {
		v[i] = of(s)
	}
	return v
}

// end prints the table and names the ratios that are out of bounds.
func (t *table) end() error {
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	for _, row := range t.rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	fmt.Fprintf(w, "Ratios are own to peer: geometric mean of %d interleaved pairs of %v and its 95 %% interval; ? out of the bound within the interval, ! clearly; what is clearly out again counts.\n",
		t.settings.pairs, t.settings.time)
	if t.settings.servers != t.settings.generators {
		fmt.Fprintf(w, "Servers had %d of %d processors for themselves, generators the rest.\n", t.settings.servers.Count(), t.settings.all.Count())
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(t.wrong) > 0 {
		return errors.New("out of bounds: " + strings.Join(t.wrong, "; "))
	}
	return nil
}
