package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/internal/analysis"
	"plimsoll/internal/result"
)

// line makes a series of one value a second.
func line(kind, name string, values ...float64) result.Series {
	s := result.Series{Kind: kind, Name: name, Metric: "m", Unit: "1"}
	for i := range values {
		s.Times = append(s.Times, int64(i+1)*1000)
	}
	s.Values = values
	return s
}

// pack packs what can be read.
func pack(id string, series []result.Series) packedTrial {
	packed, err := packTrial(id, given(series, nil))
	if err != nil {
		panic(err)
	}
	return packed
}

func TestPackKeepsShortSeries(t *testing.T) {
	packed := pack("a/1/1", []result.Series{line("cpu", "", 1, 2, math.NaN(), 4)})
	want := packedTrial{ID: "a/1/1", Begin: 1000, Step: 1000, Series: []packedSeries{{
		Kind: "cpu", Metric: "m", Unit: "1", Mean: floats{1, 2, math.NaN(), 4},
	}}}
	if diff := cmp.Diff(want, packed, equateNaN); diff != "" {
		t.Error(diff)
	}
}

// equateNaN lets NaN equal NaN.
var equateNaN = cmp.Comparer(func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })

// Samples come a little early or late: none may fall into the bucket of
// another.
func TestPackForgivesJitter(t *testing.T) {
	s := result.Series{Kind: "cpu", Times: []int64{-998, 4, 1003, 2003, 3001, 4004, 5000, 6004, 7003}, Values: []float64{0, 1, 2, 3, 4, 5, 6, 7, 8}}
	packed := pack("a/1/1", []result.Series{s})
	if diff := cmp.Diff(floats{0, 1, 2, 3, 4, 5, 6, 7, 8}, packed.Series[0].Mean); diff != "" || packed.Begin != -1000 || packed.Series[0].Min != nil {
		t.Errorf("from %d ms: %s", packed.Begin, diff)
	}
}

// A kubelet samples every ten seconds or so, the sampler every second. On the sampler's
// grid the kubelet's values are joined, not isolated points.
func TestPackSpreadsSparseSeries(t *testing.T) {
	dense := line("cpu", "", slices.Repeat([]float64{1}, 40)...)
	sparse := result.Series{Kind: "instance", Name: "db-000", Metric: "cpu", Times: []int64{2000, 7000, 12000, 17000, 22000, 40000}, Values: []float64{1, 1, 2, 2, 3, 4}}
	got := pack("a/1/1", []result.Series{dense, sparse}).Series[1].Mean
	fill := func(v float64, n int) floats { return slices.Repeat(floats{v}, n) }
	want := slices.Concat(fill(math.NaN(), 1), fill(1, 6), fill(2, 10), fill(3, 5), fill(math.NaN(), 6), fill(4, 12))
	if diff := cmp.Diff(want, got, equateNaN); diff != "" { // 18 s are no usual distance
		t.Error(diff)
	}
}

func TestPackJoinsLongSeries(t *testing.T) {
	values := make([]float64, 600)
	for i := range values {
		values[i] = float64(i % 3)
	}
	packed := pack("a/1/1", []result.Series{line("cpu", "", values...)})
	s := packed.Series[0]
	if packed.Step != 3000 || len(s.Mean) != maxBuckets {
		t.Fatalf("%d points of %d ms", len(s.Mean), packed.Step)
	}
	if s.Mean[7] != 1 || s.Min[7] != 0 || s.Max[7] != 2 {
		t.Errorf("a bucket holds %g (%g to %g), want 1 (0 to 2)", s.Mean[7], s.Min[7], s.Max[7])
	}
}

func TestPackJoinsManyInstances(t *testing.T) {
	var series []result.Series
	for i := range 32 {
		series = append(series, line("instance", fmt.Sprint(i), float64(i)))
	}
	packed := pack("a/1/1", series)
	want := []packedSeries{{Kind: "instance", Metric: "m", Unit: "1", Of: 32, Mean: floats{15.5}, Min: floats{0}, Max: floats{31}}}
	if diff := cmp.Diff(want, packed.Series); diff != "" {
		t.Error(diff)
	}
}

func TestPackKeepsTheBusiestDevices(t *testing.T) {
	var series []result.Series
	for i := range 32 {
		series = append(series, line("device", fmt.Sprintf("loop%d", i), float64(i)))
	}
	var names []string
	for _, s := range pack("a/1/1", series).Series {
		names = append(names, s.Name)
	}
	if diff := cmp.Diff([]string{"", "loop31", "loop30", "loop29"}, names); diff != "" {
		t.Error(diff)
	}
}

// Whatever the samples, there are few points, each between the smallest and
// the largest sample of its bucket, and none is lost or invented.
func TestPackProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e9, 1e9), 1, 1500).Draw(t, "values")
		begin := rapid.Int64Range(-60_000, 60_000).Draw(t, "begin")
		interval := rapid.SampledFrom([]int64{100, 250, 1000, 10_000}).Draw(t, "interval")
		s := result.Series{Kind: "cpu", Values: values}
		low, high := math.Inf(1), math.Inf(-1)
		for i, v := range values {
			s.Times = append(s.Times, begin+int64(i)*interval)
			low, high = min(low, v), max(high, v)
		}
		packed := pack("x", []result.Series{s}).Series[0]
		if len(packed.Mean) > maxBuckets+1 {
			t.Fatalf("%d points", len(packed.Mean))
		}
		least, most := packed.Mean, packed.Mean
		if packed.Min != nil {
			least, most = packed.Min, packed.Max
		}
		gotLow, gotHigh := math.Inf(1), math.Inf(-1)
		for i, mean := range packed.Mean {
			slack := 1e-6 + 1e-9*math.Abs(mean)
			if mean < least[i]-slack || mean > most[i]+slack {
				t.Fatalf("point %d: %g is not within %g to %g", i, mean, least[i], most[i])
			}
			if !math.IsNaN(mean) {
				gotLow, gotHigh = min(gotLow, least[i]), max(gotHigh, most[i])
			}
		}
		if gotLow != low || gotHigh != high {
			t.Fatalf("from %g to %g became from %g to %g", low, high, gotLow, gotHigh)
		}
	})
}

// Damaged telemetry has columns of different length or times out of order.
func TestPackDamagedSeries(t *testing.T) {
	short := line("cpu", "", 1, 2, 3)
	short.Values = short.Values[:1]
	backwards := line("cpu", "b", 1, 2, 3)
	backwards.Times = []int64{3000, 2000, 1000}
	far := line("cpu", "f", 1, 2)
	far.Times = []int64{math.MinInt64, math.MaxInt64}
	for _, series := range [][]result.Series{{far}, {far, backwards}, {short}, {backwards}, {{Kind: "cpu"}}, {}, {short, backwards, {}}} {
		if _, err := json.Marshal(pack("x", series)); err != nil {
			t.Error(err)
		}
	}
}

func TestFloats(t *testing.T) {
	data, err := json.Marshal(floats{0, 1, 1234.5678, 0.00012345, math.NaN(), math.Inf(1), 22_400_000, -3})
	if err != nil {
		t.Fatal(err)
	}
	if want := "[0,1,1235,0.0001234,null,null,2.24e+07,-3]"; string(data) != want && string(data) != "[0,1,1235,0.0001235,null,null,2.24e+07,-3]" {
		t.Errorf("%s, want %s", data, want)
	}
}

func TestReadTrialSaysWhatIsMissing(t *testing.T) {
	broken := readTrial("x", func(string) iter.Seq2[result.Series, error] {
		return given(nil, errors.New("telemetry.parquet is damaged"))
	})
	if broken.Problem != "The time series could not be read: telemetry.parquet is damaged" {
		t.Error(broken.Problem)
	}
	if none := readTrial("x", func(string) iter.Seq2[result.Series, error] { return given(nil, nil) }); none.Problem == "" {
		t.Error("a trial without series says nothing")
	}
}

func TestDrawnTrials(t *testing.T) {
	a := liveFixture()
	if got := len(drawnTrials(a, 0)); got != len(a.Trials) {
		t.Errorf("%d of %d trials are drawn although all fit", got, len(a.Trials))
	}
	few := drawnTrials(a, 8)
	if len(few) != 8 {
		t.Fatalf("%d trials are drawn, want 8", len(few))
	}
	var rungs []string
	failed := 0
	for i, trial := range few {
		if i > 0 && few[i-1].Position > trial.Position {
			t.Error("not in the order of the campaign")
		}
		if trial.Status == "failed" {
			failed++
			continue
		}
		if trial.Repetition != 2 {
			t.Errorf("%s is not the median", trial.ID)
		}
		rungs = append(rungs, fmt.Sprintf("%s/%d", trial.Variant, trial.Rung))
	}
	if failed != 1 {
		t.Errorf("%d failed trials are drawn, want 1", failed)
	}
	// hdd's line lies between 8 and 16, ssd's between 32 and 48.
	for _, want := range []string{"hdd/8", "hdd/16", "ssd/32", "ssd/48"} {
		if !slices.Contains(rungs, want) {
			t.Errorf("%s is left out of %v", want, rungs)
		}
	}
}

// A member alone has no median among the trials of a rung.
func TestDrawnTrialsOfARungHaveNoMemberAlone(t *testing.T) {
	a := tilesFixture(t)
	for _, one := range medianTrials(a) {
		if one.Alone {
			t.Errorf("%s stands for a rung", one.ID)
		}
	}
}

func TestDrawnTrialsAllFailed(t *testing.T) {
	a := &analysis.Analysis{}
	for i := range 100 {
		a.Trials = append(a.Trials, analysis.TrialInfo{ID: fmt.Sprint(i), Status: "failed", Position: i})
	}
	if got := len(drawnTrials(a, 10)); got != 10 {
		t.Errorf("%d trials are drawn, want 10", got)
	}
}

// Two machines may have a device of one name each; one machine's is not named
// after it.
func TestSeriesOfSeveralMachinesAreToldApart(t *testing.T) {
	at := func(machine string, s result.Series) result.Series {
		s.Machine = machine
		return s
	}
	packed := pack("a/1/1", []result.Series{
		at("node-1", line("device", "vda", 1)), at("node-2", line("device", "vda", 2)), at("node-2", line("device", "vdb", 3)),
		at("node-1", line("cpu", "", 1)), at("node-2", line("cpu", "", 2)), at("node-1", line("instance", "db-0", 4)), line("operation", "purchase", 5),
	})
	var names []string
	for _, s := range packed.Series {
		names = append(names, s.Name)
	}
	want := []string{"node-1/vda", "node-2/vda", "vdb", "node-1", "node-2", "db-0", "purchase"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

// The second in which a trial ends is only a part of one: what was done in it looks
// like a fall to nothing.
func TestPackLeavesOutThePartialLastSecond(t *testing.T) {
	done, cpu := line("operation", "order", 10, 10, 1), line("cpu", "", 0.5, 0.5, 0.5)
	done.Metric = "count"
	for _, s := range pack("x", []result.Series{done, cpu}).Series {
		want := map[string]float64{"operation": math.NaN(), "cpu": 0.5}[s.Kind]
		if got := s.Mean[2]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s ends at %g, want %g", s.Kind, got, want)
		}
	}
}
