package data

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// usual are sysbench's defaults.
func usual(kind string) Shape {
	return Shape{Type: kind, Iterations: 12, SpecialPercent: 1, SpecialResult: 75, ParetoH: 0.2, ZipfianExponent: 0.8}
}

const draws = 1_000_000

func histogram(t *testing.T, s Shape, n int64) []float64 {
	t.Helper()
	d, err := NewDistribution(s, n)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	counts := make([]float64, n+1)
	for range draws {
		k := d.Draw(r)
		if k < 1 || k > n {
			t.Fatalf("%s drew %d of 1..%d", s.Type, k, n)
		}
		counts[k]++
	}
	return counts
}

// fits compares counts with the probability of keys up to k, by Pearson's
// chi-squared over ranges of at least 200 expected draws.
func fits(t *testing.T, name string, counts []float64, upTo func(k int64) float64) {
	t.Helper()
	chi, cells := 0.0, 0
	from, seen := int64(0), 0.0
	for k := int64(1); k < int64(len(counts)); k++ {
		seen += counts[k]
		expected := draws * (upTo(k) - upTo(from))
		if expected < 200 && k != int64(len(counts))-1 {
			continue
		}
		if expected > 0 {
			chi += (seen - expected) * (seen - expected) / expected
			cells++
		}
		from, seen = k, 0
	}
	// Chi-squared with m degrees of freedom has mean m and variance 2m.
	m := float64(cells - 1)
	if limit := m + 6*math.Sqrt(2*m); chi > limit {
		t.Errorf("%s: chi-squared is %.0f over %d ranges, at most %.0f is expected", name, chi, cells, limit)
	}
	t.Logf("%s: chi-squared %.0f over %d ranges", name, chi, cells)
}

func TestUniform(t *testing.T) {
	for _, n := range []int64{7, 1000, 54_321} {
		fits(t, fmt.Sprint("uniform of ", n), histogram(t, usual(Uniform), n), func(k int64) float64 { return float64(k) / float64(n) })
	}
}

func TestPareto(t *testing.T) {
	for _, h := range []float64{0.05, 0.2, 0.5} {
		s := usual(Pareto)
		s.ParetoH = h
		fits(t, fmt.Sprint("pareto of h=", h), histogram(t, s, 1000), func(k int64) float64 {
			return math.Pow(float64(k)/1000, math.Log(1-h)/math.Log(h))
		})
	}
}

func TestZipfian(t *testing.T) {
	for _, exponent := range []float64{0.3, 0.8, 1, 1.4} {
		const n = 1000
		sums := make([]float64, n+1)
		for i := 1; i <= n; i++ {
			sums[i] = sums[i-1] + math.Pow(float64(i), -exponent)
		}
		s := usual(Zipfian)
		s.ZipfianExponent = exponent
		fits(t, fmt.Sprint("zipfian of ", exponent), histogram(t, s, n), func(k int64) float64 { return sums[k] / sums[n] })
	}
}

// moments returns mean and standard deviation.
func moments(counts []float64) (mean, deviation float64) {
	for k, c := range counts {
		mean += float64(k) * c / draws
	}
	for k, c := range counts {
		deviation += (float64(k) - mean) * (float64(k) - mean) * c / draws
	}
	return mean, math.Sqrt(deviation)
}

// Bates' distribution has the mean (n+1)/2, half less when rounded down, and
// the standard deviation n/sqrt(12*iterations).
func TestGaussian(t *testing.T) {
	for _, iterations := range []int{1, 4, 12} {
		s := usual(Gaussian)
		s.Iterations = iterations
		mean, deviation := moments(histogram(t, s, 1000))
		wantMean := 500.5 - 0.5*(1-1/float64(iterations))
		wantDeviation := 1000 / math.Sqrt(12*float64(iterations))
		if math.Abs(mean-wantMean) > 6*wantDeviation/math.Sqrt(draws) || math.Abs(deviation/wantDeviation-1) > 0.01 {
			t.Errorf("%d iterations: mean %.2f ± %.2f, want %.2f ± %.2f", iterations, mean, deviation, wantMean, wantDeviation)
		}
	}
}

// TestSpecialAsSysbenchDraws holds the distribution against a million draws of
// sysbench 1.0.20's own function (sysbench.rand.special(1, n) in a script).
func TestSpecialAsSysbenchDraws(t *testing.T) {
	tests := []struct {
		n                    int64
		percent, result      int
		from, to             int64   // hot keys
		share, mean, deviate float64 // of draws in from..to; of all draws
	}{
		{1000, 1, 75, 498, 506, 0.7613, 501.41, 41.64},
		{100, 1, 75, 50, 51, 0.7735, 50.49, 4.16},
		{100_000, 1, 75, 49_751, 50_500, 0.7582, 50_098.6, 4163.1},
		{1000, 5, 50, 501, 526, 0.5599, 506.64, 59.52},
	}
	for _, tt := range tests {
		s := usual(Special)
		s.SpecialPercent, s.SpecialResult = tt.percent, tt.result
		counts := histogram(t, s, tt.n)
		share := 0.0
		for k := tt.from; k <= tt.to; k++ {
			share += counts[k] / draws
		}
		mean, deviation := moments(counts)
		if math.Abs(share-tt.share) > 0.003 || math.Abs(mean/tt.mean-1) > 0.002 || math.Abs(deviation/tt.deviate-1) > 0.015 {
			t.Errorf("%d keys, %d%% of %d%%: share %.4f, mean %.2f ± %.2f; sysbench: %.4f, %.2f ± %.2f",
				tt.n, tt.result, tt.percent, share, mean, deviation, tt.share, tt.mean, tt.deviate)
		}
	}
	// Keys at the edges of the hot range of 1,000 keys, as sysbench drew them.
	counts := histogram(t, usual(Special), 1000)
	for key, want := range map[int]float64{497: 1186, 498: 69_257, 499: 92_355, 505: 92_252, 506: 45_843, 507: 1171} {
		if got := counts[key]; math.Abs(got-want) > 6*math.Sqrt(2*want) {
			t.Errorf("key %d was drawn %.0f times, by sysbench %.0f times", key, got, want)
		}
	}
}

func TestUnknownDistribution(t *testing.T) {
	if _, err := NewDistribution(usual("normal"), 10); err == nil || !strings.Contains(err.Error(), "gaussian") {
		t.Errorf("error: %v", err)
	}
}

func generator(t testing.TB) *Generator {
	t.Helper()
	d, err := NewDistribution(usual(Special), 1000)
	if err != nil {
		t.Fatal(err)
	}
	return NewGenerator(42, d)
}

var rowForm = regexp.MustCompile(`^(\d+)\t(\d+)\t\d{11}(-\d{11}){9}\t\d{11}(-\d{11}){4}$`)

func TestRows(t *testing.T) {
	g := generator(t)
	text, err := io.ReadAll(iotestOneByte{g.Rows(3, 1000)})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) != 1000 {
		t.Fatalf("%d rows", len(lines))
	}
	seen := map[string]bool{}
	for i, line := range lines {
		id := int64(i + 1)
		k, texts := g.AppendRow(nil, 3, id, '\t')
		want := fmt.Sprintf("%d\t%d\t%s", id, k, texts)
		if line != want || !rowForm.MatchString(line) {
			t.Fatalf("row %d is %q; by itself %q", id, line, want)
		}
		seen[line[strings.LastIndex(line, "\t"):]] = true
	}
	if len(seen) != 1000 {
		t.Errorf("%d different pads", len(seen))
	}
	_, here := g.AppendRow(nil, 3, 7, 0)
	if _, there := g.AppendRow(nil, 4, 7, 0); bytes.Equal(here, there) {
		t.Error("tables are equal")
	}
}

// iotestOneByte reads in pieces that do not fit the rows.
type iotestOneByte struct{ io.Reader }

func (r iotestOneByte) Read(p []byte) (int, error) { return r.Reader.Read(p[:min(len(p), 7)]) }

func TestStamp(t *testing.T) {
	w := NewWriter()
	for _, s := range []Stamp{{}, {Instance: 3, User: 17, Number: 1_795_324_862_123_456}, {MaxInstance, MaxUser, 9_999_999_999_999_999}} {
		c, pad := w.AppendC(nil, s, 2, 77), w.AppendPad(nil, s, 2, 77)
		if len(c) != 119 || len(pad) != 59 {
			t.Errorf("texts of %d and %d characters", len(c), len(pad))
		}
		for _, text := range [][]byte{c, pad} {
			got, ok := ParseStamp(text)
			if !ok || got != s {
				t.Errorf("%+v is read as %+v, %v from %s", s, got, ok, text)
			}
		}
		if bytes.Equal(c, w.AppendC(nil, s, 2, 78)) || bytes.Equal(c, w.AppendC(nil, s, 1, 77)) {
			t.Error("another row has the same text")
		}
	}
	for _, text := range []string{"", "1-2-3", strings.Repeat("x", 119), strings.Repeat("1", 119)} {
		if s, ok := ParseStamp([]byte(text)); ok {
			t.Errorf("%q is read as %+v", text, s)
		}
	}
}

func BenchmarkRows(b *testing.B) {
	b.ReportAllocs()
	rows := generator(b).Rows(1, int64(b.N))
	buffer := make([]byte, 64<<10)
	for {
		if _, err := rows.Read(buffer); err != nil {
			return
		}
	}
}

func BenchmarkStamp(b *testing.B) {
	b.ReportAllocs()
	var room []byte
	w := NewWriter()
	for i := range b.N {
		room = w.AppendC(room[:0], Stamp{1, 2, int64(i)}, 1, int64(i))
	}
}
