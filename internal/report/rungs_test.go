package report

import (
	"math"
	"testing"

	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/stats"
)

// The mark in the table says what the sentences say: the bracket, also of a line that the
// repetitions leave open.
func TestTheMarkIsTheBracket(t *testing.T) {
	open := stats.Interval{Value: 9, Low: 0, High: math.Inf(1), Confidence: stats.Confidence}
	for want, line := range map[string]loadline.LoadLine{
		"load line 9":              {Rung: 9, Next: 10, Count: open},
		"load line 8–15":           {Rung: 8, Next: 16, Count: open},
		"load line 8–15, unstable": {Rung: 8, Next: 16, Count: open, Unstable: true},
		"load line < 4":            {Next: 4, Count: open},
		"load line ≥ 9":            {Rung: 9, Open: true, Count: open},
		"load line ≥ 16":           {Rung: 16, Open: true, Count: stats.Exactly(16)},
		"load line < 8":            {Next: 8},
		"carries none":             {Next: 1},
	} {
		if got := lineText(line); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
