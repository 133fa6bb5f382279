package analysis

import (
	"math"
	"strings"
	"testing"

	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/result"
)

// less has so many instances of a trial set aside.
func less(n int) func(*result.Trial) {
	return func(t *result.Trial) {
		for i := range n {
			t.SetAside = append(t.SetAside, result.Exclusion{Instance: i, Stage: "drive", Phase: result.Measure, Reason: "server db-000 ended"})
		}
	}
}

// A load line counts the instances that worked, and no sentence says more.
func TestALineCountsInstancesThatWorked(t *testing.T) {
	for _, c := range []struct {
		name    string
		samples []sample
		reach   loadline.Reach
		count   float64
		says    string
	}{
		{"open", []sample{{"a", 500, 100, 0.1, false, nil}, {"a", 1000, 200, 0.2, false, less(3)}},
			loadline.Reach{Extent: loadline.AtLeast, Low: 997}, 997, "carries at least 997 instances"},
		{"between", []sample{{"a", 500, 100, 0.4, false, less(5)}, {"a", 1000, 200, 2, false, less(3)}},
			loadline.Reach{Extent: loadline.Between, Low: 495, High: 999}, 737, "with 495 at work to the end"},
		{"all repetitions", []sample{{"a", 1000, 200, 0.2, false, less(1)}, {"a", 1000, 200, 0.2, false, less(4)}, {"a", 1000, 200, 0.2, false, nil}},
			loadline.Reach{Extent: loadline.AtLeast, Low: 996}, 996, "with 996 or more at work to the end"},
		{"none", []sample{{"a", 500, 100, 0.1, false, nil}, {"a", 1000, 200, 0.2, false, nil}},
			loadline.Reach{Extent: loadline.AtLeast, Low: 1000}, 1000, "carries at least 1,000 instances"},
	} {
		a := analyse(t, madeUp(meanBelow(1), c.samples...))
		l := a.Variants[0].LoadLine
		if l.Reach() != c.reach || math.Abs(l.Count.Value-c.count) > 1 {
			t.Errorf("%s: %+v, line %+v, want %+v and %g", c.name, l.Reach(), l, c.reach, c.count)
		}
		if l.Count.Low > float64(c.reach.Low) {
			t.Errorf("%s: the interval begins at %g", c.name, l.Count.Low)
		}
		if said := a.Verdict[0].Text + " " + l.Text; !strings.Contains(said, c.says) {
			t.Errorf("%s: %q says nothing of %q", c.name, said, c.says)
		}
	}
}

// Throughput is divided by the instances that did it, and each trial lists the first of many.
func TestFiguresOfInstancesThatWorked(t *testing.T) {
	a := analyse(t, madeUp(meanBelow(1), sample{"a", 50, 1000, 0.1, false, nil}, sample{"a", 1000, 19_000, 0.2, false, less(50)}))
	r := a.Variants[0].Rungs[1]
	if r.Instances != 1000 || r.Ran != 950 || math.Abs(r.Efficiency-1) > 0.01 {
		t.Errorf("%d of %d, efficiency %g", r.Ran, r.Instances, r.Efficiency)
	}
	for _, info := range a.Trials {
		if info.Rung == 1000 && (info.Ran != 950 || len(info.SetAside) != mostAside) || info.Rung == 50 && (info.Ran != 0 || info.SetAside != nil) {
			t.Errorf("%s: %d ran, %d listed", info.ID, info.Ran, len(info.SetAside))
		}
	}
}
