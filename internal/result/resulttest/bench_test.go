package resulttest_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
)

// BenchmarkReading opens a run of many trials of ten minutes and reads the
// operations and devices of each trial, as an analysis with report would. The
// number of trials is PLIMSOLL_BENCH_TRIALS, 50 unless set; the figure of the
// design is for 500.
func BenchmarkReading(b *testing.B) {
	trials := 50
	if n, err := strconv.Atoi(os.Getenv("PLIMSOLL_BENCH_TRIALS")); err == nil {
		trials = n
	}
	dir := filepath.Join(b.TempDir(), "run")
	if err := resulttest.Run(dir, []string{"ssd", "hdd"}, []int{1, 2, 8, 32, 128}, max(trials/10, 1), 600); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		run, err := result.Open(dir)
		if err != nil || len(run.Problems) > 0 {
			b.Fatal(run.Problems, err)
		}
		for _, t := range run.Trials {
			if _, err := run.Series(t, "operation", "device", "cpu"); err != nil {
				b.Fatal(err)
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/(1<<20), "MiB-sys")
}
