package result

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// driverFile writes the records of a driver: an order of so many milliseconds in each second,
// with the seconds in which its users begin nothing.
func driverFile(t *testing.T, dir, name string, seconds int, off map[int]bool, ms func(second int) float64) string {
	t.Helper()
	path := filepath.Join(dir, name+".jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := json.NewEncoder(f)
	for second := range seconds {
		phase := Measure
		if second == 0 {
			phase = Warmup
		}
		h := NewHistogram()
		RecordTimes(h, ms(second)/1000, 1)
		text, err := EncodeHistogram(h)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []Record{
			{Kind: KindOperation, Driver: name, Second: second, Phase: phase, Operation: "order", Count: 1, Histogram: text},
			{Kind: KindDriver, Driver: name, Second: second, Phase: phase, Off: off[second]},
		} {
			if err := out.Encode(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	return path
}

// A second is on when all bursty drivers are. Work is summed by the second in which it
// ended, for drivers without bursts, too. The warm-up counts as neither.
func TestSecondsOnAndOffBurst(t *testing.T) {
	dir := t.TempDir()
	slowAt := func(second int) float64 {
		if second < 3 {
			return 80
		}
		return 10
	}
	steady := driverFile(t, dir, "steady-driver-0", 6, nil, slowAt)
	one := driverFile(t, dir, "one-driver-0", 6, map[int]bool{4: true, 5: true}, slowAt)
	two := driverFile(t, dir, "two-driver-0", 6, map[int]bool{3: true, 4: true}, slowAt)
	seconds, err := burstSeconds([]string{one, two})
	if err != nil || len(seconds) != 5 || !seconds[1] || !seconds[2] || seconds[3] || seconds[4] || seconds[5] {
		t.Fatalf("seconds %v: %v", seconds, err)
	}
	sum, err := collect([]string{steady}, time.Now(), "order", seconds, nil)
	if err != nil || len(sum.Problems) != 0 || sum.Bursts == nil {
		t.Fatalf("%v, problems %v, bursts %v", err, sum.Problems, sum.Bursts)
	}
	b := sum.Bursts
	if b.On.Seconds != 2 || b.Off.Seconds != 3 || b.On.Whole.Count != 2 || b.Off.Whole.Count != 3 {
		t.Errorf("%+v", b)
	}
	if on, off := b.On.Whole.P95, b.Off.Whole.P95; on < 0.079 || on > 0.081 || off < 0.009 || off > 0.011 {
		t.Errorf("p95 on %g s, off %g s", on, off)
	}
	if lean := (&Trial{Part: Part{Bursts: b}}).Shed().Bursts; lean.On.Whole.Histogram != "" || lean.On.Whole.P95 != b.On.Whole.P95 || b.On.Whole.Histogram == "" {
		t.Error("a lean trial keeps histograms of bursts, or the whole one has lost them")
	}
	if none, err := collect([]string{steady}, time.Now(), "order", nil, nil); err != nil || none.Bursts != nil {
		t.Errorf("without bursts: %+v, %v", none.Bursts, err)
	}
}
