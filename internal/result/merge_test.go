package result

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Lines are ordered by second, and within a second by driver. A line without a second goes
// with the one before it.
func TestRecordsOfManyDriversAreMergedInOrder(t *testing.T) {
	const drivers, seconds = 7, 5
	var files, want []string
	for d := range drivers {
		var text strings.Builder
		for second := range seconds {
			if (d+second)%3 != 0 {
				fmt.Fprintf(&text, `{"kind":"driver","driver":"d%d","second":%d,"users":1}`+"\n", d, second)
			}
			if d == 2 && second == 3 {
				text.WriteString("torn\n")
			}
		}
		path := filepath.Join(t.TempDir(), fmt.Sprintf("d%d.jsonl", d))
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	for second := range seconds {
		for d := range drivers {
			if (d+second)%3 != 0 {
				want = append(want, fmt.Sprintf(`{"kind":"driver","driver":"d%d","second":%d,"users":1}`, d, second))
			}
			if d == 2 && second == 3 {
				want = append(want, "torn")
			}
		}
	}
	var got bytes.Buffer
	if err := mergeRecordFiles(&got, files); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSpace(got.String()), "\n"); !slices.Equal(lines, want) {
		t.Errorf("merged:\n%s", got.String())
	}
}

// The second of a line is the value of its own field, wherever it is.
func TestSecondOfALine(t *testing.T) {
	for line, want := range map[string]int{
		`{"kind":"driver","driver":"d","second":12,"users":1}`:             12,
		`{"kind":"event","driver":"d","second":0,"event":"\"second\":9,"}`: 0,
		`{"driver":"` + strings.Repeat("d", 2*nearStart) + `","second":3}`: 3,
		`{"second":4}`: 4,
		`{"kind":"driver","driver":"\"second\":8,","second":5,"users":1}`: 5,
		`{"kind":"driver"}`: 77,
		`torn`:              77,
	} {
		if got := secondOf([]byte(line), 77); got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
}

// What an instance's response times come to does not depend on how they are held.
func TestInstancesHaveTheFiguresOfAWholeHistogram(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		h := NewHistogram()
		for range r.IntN(3000) + 1 {
			RecordTimes(h, math.Exp(r.NormFloat64()*2-4), 1+r.Int64N(3))
		}
		text, err := EncodeHistogram(h)
		if err != nil {
			t.Fatal(err)
		}
		var total instanceTotal
		if err := total.set(&InstanceRecord{Count: h.TotalCount(), Histogram: text}); err != nil {
			t.Fatal(err)
		}
		got := total.summary(1, false)
		var times []float64
		for _, share := range InstanceShares() {
			times = append(times, Quantile(h, share))
		}
		if got.Mean != Mean(h) || got.Deviation != seconds(math.Round(h.StdDev())) || got.Max != seconds(float64(h.Max())) || !slices.Equal(got.Times, times) {
			t.Errorf("%+v, want mean %v, deviation %v, times %v", got, Mean(h), h.StdDev(), times)
		}
		var sum Times
		for range 2 {
			if err := sum.Add(text); err != nil {
				t.Fatal(err)
			}
		}
		twice := NewHistogram()
		if sum.AddTo(twice); twice.TotalCount() != 2*h.TotalCount() || twice.Max() != h.Max() {
			t.Errorf("added twice: %d of %d", twice.TotalCount(), h.TotalCount())
		}
	}
}

// A large kind has several row groups, and series that were sampled together share their times.
func TestLargeKindsAreReadBack(t *testing.T) {
	const length, series = 1 << 16, 40
	times := make([]int64, length)
	for i := range times {
		times[i] = int64(i) * 1000
	}
	var all []Series
	for n := range series {
		values := make([]float64, length)
		for i := range values {
			values[i] = float64(n)
		}
		own := times
		if n%10 == 9 {
			own = times[:length/2]
		}
		all = append(all, Series{Kind: "instance", Name: InstanceName(n), Metric: "cpu", Unit: "cores", Times: own, Values: values[:len(own)]})
	}
	var file bytes.Buffer
	w := newSeriesWriter(&file)
	if err := errors.Join(w.write(all), w.close()); err != nil {
		t.Fatal(err)
	}
	got, err := gathered(eachSeries(bytes.NewReader(file.Bytes()), int64(file.Len()), "instance/cpu"))
	if err != nil || len(got) != series {
		t.Fatalf("%d series, %v", len(got), err)
	}
	for n, s := range got {
		if s.Name != all[n].Name || !slices.Equal(s.Times, all[n].Times) || !slices.Equal(s.Values, all[n].Values) {
			t.Errorf("series %d is not what was written", n)
		}
	}
	if &got[1].Times[0] != &got[2].Times[0] {
		t.Error("equal times are kept twice")
	}
}

// eachSeries iterates over a parquet file written by seriesWriter: as seriesIn does over
// its row groups.
func eachSeries(r io.ReaderAt, size int64, only ...string) iter.Seq2[Series, error] {
	return func(yield func(Series, error) bool) {
		groups, columns, err := openSeries(r, size)
		if err != nil {
			yield(Series{}, fmt.Errorf("read series: %w", err))
			return
		}
		seriesIn(groups, columns, only)(yield)
	}
}
