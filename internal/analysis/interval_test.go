package analysis

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestSummarise(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		want   Interval
	}{
		{"nothing", nil, Interval{}},
		{"one", []float64{3}, Interval{Value: 3, Low: 3, High: 3}},
		{"two give their range", []float64{4, 2}, Interval{Value: 3, Low: 2, High: 4, Confidence: 0.5}},
		{"three", []float64{5, 1, 2}, Interval{Value: 2, Low: 1, High: 5, Confidence: 0.75}},
		{"not a number is left out", []float64{math.NaN(), 7, math.Inf(1)}, Interval{Value: 7, Low: 7, High: 7}},
	} {
		if got := summarise(c.values); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	if got := summarise([]float64{1, 2, 3, 4, 5, 6, 7, 8}); got.Confidence < 0.95 || got.Value != 4.5 || got.Low < 1 || got.High > 8 {
		t.Errorf("eight values: %+v", got)
	}
}

func TestSummariseHoldsItsValue(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e9, 1e9), 1, 30).Draw(r, "values")
		i := summarise(values)
		if i.Low > i.Value || i.High < i.Value || !isFinite(i.Low) || !isFinite(i.High) {
			r.Fatalf("%+v", i)
		}
	})
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		thousands(536220):             "536,220",
		thousands(-1234.4):            "-1,234",
		thousands(7):                  "7",
		figures(0.01234):              "0.0123",
		figures(99262.4):              "99,262",
		seconds(0.2):                  "200 ms",
		seconds(1.5):                  "1.5 s",
		seconds(0.0000045):            "4.5 µs",
		percent(0.96):                 "96 %",
		percent(0.004):                "0.4 %",
		count(1, "instance"):          "1 instance",
		count(12, "stream"):           "12 streams",
		join([]string{"a", "b", "c"}): "a, b and c",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
