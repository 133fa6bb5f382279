package report

import (
	"fmt"
	"io"
	"iter"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/result"
)

// largeRun is an analysis of 500 trials and the telemetry of one of them: ten
// minutes at one sample a second of 64 instances.
func largeRun() (*analysis.Analysis, SeriesSource) {
	a := liveFixture()
	a.Trials = nil
	for i := range 500 {
		a.Trials = append(a.Trials, analysis.TrialInfo{
			ID: fmt.Sprintf("v%d/%d/%d", i%10, 1<<(i/10%8), i/80+1), Position: i + 1, Variant: fmt.Sprintf("v%d", i%10), Rung: 1 << (i / 10 % 8),
			Repetition: i/80 + 1, Status: "passed", Grade: "A", Throughput: float64(10000 + i), Mean: 0.05, P95: 0.1, P99: 0.2, WarmupEnd: 60, End: 600,
		})
	}
	variants := a.Variants
	a.Variants = nil
	for i := range 10 {
		v := variants[0]
		v.Name, v.Label = fmt.Sprintf("v%d", i), fmt.Sprintf("variant %d", i)
		v.Rungs = nil
		for rung := range 8 {
			r := variants[0].Rungs[rung%len(variants[0].Rungs)]
			r.Instances = 1 << rung
			v.Rungs = append(v.Rungs, r)
		}
		a.Variants = append(a.Variants, v)
	}
	series := seriesOf(analysis.TrialInfo{Rung: 64, Throughput: 30000, Mean: 0.05, P95: 0.1, P99: 0.2, Position: 1}, 600)
	instances := len(series) - 64
	for _, metric := range []string{"cpu", "memory", "rss", "read_bytes", "write_bytes", "throttled", "processes"} {
		for _, s := range series[instances : instances+64] {
			s.Metric = metric
			series = append(series, s)
		}
	}
	return a, func(string) iter.Seq2[result.Series, error] { return given(series, nil) }
}

func BenchmarkHTML500(b *testing.B) {
	a, series := largeRun()
	b.ReportAllocs()
	for b.Loop() {
		counter := &counter{}
		if err := HTML(counter, a, series, Options{}); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(counter.n)/1e6, "MB/file")
	}
}

// counter counts the bytes written.
type counter struct{ n int }

func (c *counter) Write(p []byte) (int, error) {
	c.n += len(p)
	return len(p), nil
}

var _ io.Writer = (*counter)(nil)
