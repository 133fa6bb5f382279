package say

import (
	"math"
	"plimsoll/internal/analysis/stats"
	"testing"
)

func TestBoundsThatAreTooWideAreNotWritten(t *testing.T) {
	wide := stats.RelativeChange(stats.Estimate{Value: math.Log(35.5), Error: 2, Freedom: 2}, stats.Confidence)
	if text := ChangeText("throughput", wide); text != "35.5 times as much" || wide.Confidence == 0 {
		t.Errorf("%q of %+v", text, wide)
	}
	for want, i := range map[string]stats.Interval{
		"+5.0 % (+3.0 to +7.0)":         {Value: 0.05, Low: 0.03, High: 0.07, Confidence: stats.Confidence},
		"12 times as much (10.5–14)":    {Value: 11, Low: 9.5, High: 13, Confidence: stats.Confidence},
		"more than 1,000 times as much": stats.Exactly(3e7),
	} {
		if got := ChangeText("throughput", i); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := Text(stats.Interval{Value: 12, Low: 11, High: 13, Extremes: true}); got != "12 (range 11–13)" {
		t.Error(got)
	}
}
