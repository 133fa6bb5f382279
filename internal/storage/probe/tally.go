package probe

import (
	"runtime"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/prometheus/procfs"
)

// tally counts the requests of one generator.
type tally struct {
	block     int64
	began     time.Time
	histogram *hdrhistogram.Histogram // nanoseconds
	rates     []float64
}

func newTally(block int64, began time.Time) *tally {
	return &tally{block: block, began: began, histogram: newHistogram()}
}

func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(100, int64(10*time.Minute), 3)
}

func (t *tally) count(now time.Time, took time.Duration) {
	_ = t.histogram.RecordValue(int64(took)) // longer than ten minutes cannot occur
	i := int(now.Sub(t.began) / slice)
	for len(t.rates) <= i {
		t.rates = append(t.rates, 0)
	}
	t.rates[i] += float64(t.block) / slice.Seconds()
}

// collect adds the generators of a pattern up.
func collect(p pattern, generators []*generator, took time.Duration) (outcome, error) {
	all := newHistogram()
	var o outcome
	var cpu time.Duration
	for _, g := range generators {
		if g.err != nil {
			return outcome{}, g.err
		}
		all.Merge(g.tally.histogram)
		cpu += g.cpu
		for i, r := range g.tally.rates {
			if i >= len(o.rates) {
				o.rates = append(o.rates, 0)
			}
			o.rates[i] += r
		}
	}
	ns := func(v int64) float64 { return float64(v) / 1e9 }
	o.Measure = Measure{
		Name: p.name, Text: p.text, BlockSize: p.block, Depth: p.depth, Engine: generators[0].engine,
		Operations: all.TotalCount(), Seconds: took.Seconds(),
		PerSecond: float64(all.TotalCount()) / took.Seconds(),
		Rate:      float64(all.TotalCount()*p.block) / took.Seconds(),
		Mean:      all.Mean() / 1e9, Max: ns(all.Max()),
		P50: ns(all.ValueAtQuantile(50)), P95: ns(all.ValueAtQuantile(95)), P99: ns(all.ValueAtQuantile(99)),
		CPU: cpu.Seconds() / took.Seconds(), Threads: len(generators),
	}
	return o, nil
}

// cpuTimes are the machine's CPU times since boot, in seconds.
type cpuTimes struct{ busy, all float64 }

func machineTimes() cpuTimes {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return cpuTimes{}
	}
	stat, err := fs.Stat()
	if err != nil {
		return cpuTimes{}
	}
	c := stat.CPUTotal
	busy := c.User + c.Nice + c.System + c.IRQ + c.SoftIRQ + c.Steal
	return cpuTimes{busy, busy + c.Idle + c.Iowait}
}

// busySince is the share of all processors that was busy, 0 when unknown.
func (c cpuTimes) busySince(before cpuTimes) float64 {
	if c.all <= before.all {
		return 0
	}
	return (c.busy - before.busy) / (c.all - before.all)
}

// limitsItself reports whether the processors, rather than the medium, may
// have set the rate of a pattern: the probe's threads were busy, or all
// processors were and the probe needed a tenth of one. A pattern that needs
// less than that waits for the medium whatever else the machine does.
func (m Measure) limitsItself() bool {
	threads := float64(min(m.Threads, runtime.NumCPU()))
	return m.CPU > 0.85*threads || m.MachineBusy > 0.92 && m.CPU > 0.1*threads
}
