package words

import "testing"

// p99 is written where p95 does not show what the slow operations are like.
func TestResponseTimesNameAFarTail(t *testing.T) {
	for _, c := range []struct {
		mean, p95, p99 float64
		want           string
	}{
		{0.001, 0.002, 0.004, "mean 1 ms, p95 2 ms"},
		{0.001, 0.002, 0.04, "mean 1 ms, p95 2 ms, p99 40 ms, 40 × the mean"},
		{0.003, 0.002, 0.01, "mean 3 ms (above p95), p95 2 ms, p99 10 ms"},
		{0, 0, 0, "mean 0, p95 0"},
	} {
		if got := ResponseTimes(c.mean, c.p95, c.p99); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
