package report

import (
	"testing"

	"plimsoll/internal/analysis/loadline"
)

// What was not measured is not said to carry nothing, and what does not keep its objectives is.
func TestALineThatWasNotMeasuredInATable(t *testing.T) {
	if got := lineText(loadline.LoadLine{Next: 1, Unmeasured: true}); got != "not measured" {
		t.Errorf("not measured: %q", got)
	}
	if got := lineText(loadline.LoadLine{Next: 1}); got != "carries none" {
		t.Errorf("the smallest rung misses: %q", got)
	}
}
