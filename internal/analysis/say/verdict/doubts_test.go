package verdict

import (
	"testing"

	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
)

// The text about the bracketing rungs says why the line is less certain than they are.
func TestALineSaysWhatIsOpen(t *testing.T) {
	v := &model.Variant{Rungs: []rung.Rung{{Instances: 8, Repetitions: 3}, {Instances: 16, Repetitions: 1}},
		LoadLine: loadline.LoadLine{Rung: 8, Next: 16, Count: stats.Interval{Value: 8, Low: 4, High: 20, Confidence: stats.Confidence}}}
	want := "8 met it in 3 trials, which differ so much that another could miss it. 16 missed it once, so near the limit that another trial could meet it."
	if text := doubts(v); text != want {
		t.Error(text)
	}
	v.LoadLine.Count = stats.Interval{Value: 8, Low: 8, High: 15, Confidence: stats.Confidence}
	if text := doubts(v); text != "" {
		t.Error(text)
	}
}
