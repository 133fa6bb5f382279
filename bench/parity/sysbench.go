package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"plimsoll/bench/stand"
	"plimsoll/internal/workload/oltp"
	"plimsoll/internal/workload/oltp/oltptest"
)

// warmup leaves connecting, preparing and cold caches of each of 64 connections
// out of both sides' times.
const warmup = 2 * time.Second

// The tables are large enough, and keys uniform, so that users seldom wait for each other: the
// comparison is about the generators.
const (
	tables    = 10
	tableSize = 10_000
)

// runSysbench compares oltp with sysbench on each engine with 1, 8 and 64 users.
func runSysbench(ctx context.Context, s settings, t *table) error {
	s.dir = cmp.Or(s.dir, inMemory)
	for _, engine := range stand.Engines() {
		if err := onEngine(ctx, s, t, engine); err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
	}
	return nil
}

func onEngine(ctx context.Context, s settings, t *table, engine string) (err error) {
	var all []comparison
	server := &stand.Stand{}
	for _, mode := range []string{"read_write", "point_select"} {
		for _, users := range []int{1, 8, 64} {
			name := fmt.Sprintf("%s, %s, %d users", engine, mode, users)
			if !t.wants(name) {
				continue
			}
			all = append(all, comparison{
				name:  name,
				own:   func(ctx context.Context) (sample, error) { return driven(ctx, server, parameters(mode), users, s.time) },
				peer:  func(ctx context.Context) (sample, error) { return sysbench(ctx, server, mode, users, s.time) },
				bound: 0.05,
			})
		}
	}
	if name := engine + ", point_select, 1 users, beside a bare loop"; t.wants(name) {
		all = append(all, comparison{
			name: name,
			own: func(ctx context.Context) (sample, error) {
				return driven(ctx, server, parameters("point_select"), 1, s.time)
			},
			peer:    func(ctx context.Context) (sample, error) { return bare(ctx, server, s.time) },
			cpuOnly: true, cpu: 1,
		})
	}
	if len(all) == 0 {
		return nil
	}
	err = s.serve(func() (err error) {
		server, err = stand.Start(ctx, s.dir, engine, 64, oltp.Workload{})
		return err
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close(ctx), s.join()) }()
	if err := server.Load(ctx, parameters("read_write")); err != nil {
		return err
	}
	for _, c := range all {
		if err := t.compare(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func parameters(mode string) *oltp.Parameters {
	p := oltp.Workload{}.Defaults().(*oltp.Parameters)
	p.Mode, p.Tables, p.TableSize, p.RandType = mode, tables, tableSize, "uniform"
	return p
}

// sysbench runs one turn. At the checkpoint it starts counting again; CPU and statements cover
// the whole process.
func sysbench(ctx context.Context, server *stand.Stand, mode string, users int, length time.Duration) (sample, error) {
	c := oltptest.Sysbench(ctx, server.Target.Endpoint("db"), "oltp_"+mode, fmt.Sprintf("--tables=%d", tables), fmt.Sprintf("--table-size=%d", tableSize),
		fmt.Sprintf("--threads=%d", users), fmt.Sprintf("--time=%.0f", (warmup+length).Seconds()), fmt.Sprintf("--report-checkpoints=%.0f", warmup.Seconds()),
		"--rand-type=uniform", "--histogram", "run")
	out, err := c.CombinedOutput()
	if err != nil {
		return sample{}, fmt.Errorf("sysbench (apt-get install sysbench): %w: %s", err, out)
	}
	statements := 0.0
	for _, found := range queriesLine.FindAllSubmatch(out, -1) { // before and after the checkpoint
		n, _ := strconv.ParseFloat(string(found[1]), 64)
		statements += n
	}
	_, measured, ok := bytes.Cut(out, []byte("Latency histogram"))
	rate := rateLine.FindSubmatch(measured)
	if !ok || rate == nil || statements == 0 {
		return sample{}, fmt.Errorf("sysbench reports no transactions: %s", out)
	}
	throughput, err := strconv.ParseFloat(string(rate[1]), 64)
	h := readHistogram(measured)
	cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	return sample{throughput: throughput, p50: h.quantile(0.5), p95: h.quantile(0.95), p99: h.quantile(0.99), cpu: cpu.Seconds() / statements}, err
}

var (
	queriesLine   = regexp.MustCompile(`\n    queries:\s+(\d+) `)
	rateLine      = regexp.MustCompile(`transactions:\s+\d+\s+\(([\d.]+) per sec`)
	histogramLine = regexp.MustCompile(`\n\s+([\d.]+) \|\**\s+(\d+)`)
)

// histogram is sysbench's: milliseconds and counts, in order.
type histogram struct {
	values, counts []float64
	total          float64
}

func readHistogram(text []byte) (h histogram) {
	for _, found := range histogramLine.FindAllSubmatch(text, -1) {
		value, _ := strconv.ParseFloat(string(found[1]), 64)
		count, _ := strconv.ParseFloat(string(found[2]), 64)
		h.values, h.counts, h.total = append(h.values, value), append(h.counts, count), h.total+count
	}
	return h
}

// quantile gives seconds.
func (h histogram) quantile(q float64) float64 {
	sum := 0.0
	for i, n := range h.counts {
		if sum += n; sum >= q*h.total {
			return h.values[i] / 1e3
		}
	}
	return 0
}
