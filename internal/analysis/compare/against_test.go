package compare_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/compare"
	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

func against(t *testing.T, ours *result.Run, theirs compare.Side) *analysis.ReferenceResult {
	t.Helper()
	a, err := compare.Against(ours, theirs)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(a); err != nil {
		t.Fatal(err)
	}
	return a
}

// ladder is a run of one curve; the later the seed, the other the noise.
func ladder(seed uint64, factor float64, rungs ...int) *result.Run {
	return analysistest.Set{
		Variants: []analysistest.Variant{{Name: "a", Response: analysistest.MM1(0.05, 40).Times(1/factor, 0), Throughput: analysistest.Power(1200, 0.9).Times(factor, 0)}},
		Rungs:    rungs, Repetitions: 4, Noise: analysistest.Noise{Throughput: 0.01, Response: 0.01}, Objectives: analysistest.MeanBelow(0.075), Histograms: true,
	}.Run(seed)
}

// An earlier run has the figures that it measured, and a difference where compare finds
// one: 20 % less throughput at the common rungs, with an interval.
func TestARunIsHeldAgainstAnEarlierOne(t *testing.T) {
	ours, theirs := ladder(2, 0.8, 1, 4, 8, 16), ladder(1, 1, 1, 2, 4, 8)
	a := against(t, ours, compare.Side{Run: theirs, Label: "before"})
	if a.InShape || a.Verdict != string(family.Worse) || !strings.Contains(a.Text, "`this run` is worse than `before`") {
		t.Errorf("%+v", a)
	}
	if len(a.Counterparts) != 1 || len(a.Counterparts[0].Rungs) != 4 {
		t.Fatalf("%+v", a.Counterparts)
	}
	g := a.Counterparts[0]
	if g.Variant != "a" || g.Other != "a" || g.LoadLine == nil || g.LineVerdict != string(family.Worse) {
		t.Errorf("%+v", g)
	}
	if want := "fewer against " + say.LineRange(*g.LoadLine, "instance") + " (" + a.Label + ")"; g.Brief != want {
		t.Errorf("the card says %q, want %q", g.Brief, want)
	}
	bounded := against(t, ladder(2, 0.8, 1, 4, 8, 16, 32), compare.Side{Run: ladder(1, 1, 1, 4, 8, 16, 32), Label: "before"})
	if g := bounded.Counterparts[0]; g.LineVerdict != string(family.Worse) || !strings.HasPrefix(g.Brief, "−") || !strings.Contains(g.Brief, " % against "+say.LineRange(*g.LoadLine, "instance")) {
		t.Errorf("the card says %q of %+v", g.Brief, g.LoadLine)
	}
	for _, r := range g.Rungs {
		h := r.Metrics["throughput"]
		if trial := 1200 * math.Pow(float64(r.Instances), 0.9); math.Abs(h.Theirs.Value/trial-1) > 0.05 {
			t.Errorf("the counterpart lies at %v at %d", h.Theirs, r.Instances)
		}
		if r.Instances == 2 {
			if h.Change != nil {
				t.Errorf("a difference where only one side measured: %+v", h)
			}
			continue
		}
		if h.Change == nil || h.Verdict != string(family.Worse) || !(h.Change.Low < -0.2 && -0.2 < h.Change.High && h.Change.High < 0) {
			t.Errorf("%d: %+v %+v", r.Instances, h.Change, h)
		}
		if m := r.Metrics["p95"]; m.Change == nil || !(m.Change.Value > 0.1) || m.Verdict != string(family.Worse) {
			t.Errorf("p95 at %d: %+v", r.Instances, m)
		}
	}
	if want := "Rungs of `a` that only one side measured: 16 in this run, 2 in `before`."; len(a.Apart) != 1 || a.Apart[0] != want {
		t.Errorf("apart: %q", a.Apart)
	}
}

func TestNoDifferenceIsInventedBetweenRunsThatAreAlike(t *testing.T) {
	a := against(t, ladder(2, 1, 1, 4, 8), compare.Side{Run: ladder(1, 1, 1, 4, 8), Label: "before"})
	if a.Verdict != string(family.NoDifference) || len(a.Apart) != 0 {
		t.Errorf("%s, apart %q", a.Verdict, a.Apart)
	}
	if brief := a.Counterparts[0].Brief; brief != "" && !strings.HasPrefix(brief, "the same as ") {
		t.Errorf("the card says %q", brief)
	}
	for _, r := range a.Counterparts[0].Rungs {
		if h := r.Metrics["throughput"]; h.Verdict != string(family.NoDifference) || !(h.Change.Low < 0 && h.Change.High > 0) {
			t.Errorf("%d: %+v %+v", r.Instances, h.Change, h)
		}
	}
}

// A published result comes from other hardware: its line begins where ours does, and
// only what follows is a difference.
func TestAPublishedResultIsHeldAgainstInShape(t *testing.T) {
	ours, theirs := streams(400, 0.8), published(t, "gluster-video")
	a := against(t, ours, compare.Side{Run: theirs, Label: "reference/gluster-video"})
	if !a.InShape || a.Called != "published" || a.Source == "" || len(a.Counterparts) != 1 {
		t.Fatalf("%+v", a)
	}
	g := a.Counterparts[0]
	if g.Base != 100 || g.LoadLine != nil || g.Variant != "ours" || g.Brief != "" || a.Label != "published" {
		t.Errorf("%+v", g)
	}
	first := g.Rungs[0].Metrics["throughput"]
	if want := trial.Throughput(ours.Trials[0]); math.Abs(first.Theirs.Value/want-1) > 1e-3 || first.Change != nil {
		t.Errorf("the counterpart begins at %+v, want %v", first, want)
	}
	for _, r := range g.Rungs[1:] {
		want := -0.2
		if r.Instances < 400 {
			want = 0
		}
		h := r.Metrics["throughput"]
		if !slices.Contains([]int{200, 400, 800}, r.Instances) {
			if h.Change != nil || h.Theirs.Value == 0 {
				t.Errorf("%d: %+v", r.Instances, h)
			}
			continue
		}
		if h.Change == nil || math.Abs(h.Change.Value-want) > 0.01 || h.Verdict != string(compare.InShape) {
			t.Errorf("%d: %+v %+v, want %v", r.Instances, h.Change, h, want)
		}
		if _, has := r.Metrics["p95"]; has {
			t.Errorf("a percentile that nobody published: %+v", r)
		}
	}
	if text := strings.Join(a.Apart, " "); !strings.Contains(text, "neither percentiles nor repetitions") || !strings.Contains(text, "none in this run, 300, 500, 600, 700, 900 and 1000") {
		t.Errorf("apart: %q", a.Apart)
	}
}

// A run far smaller than a published one shows the published ladder scaled to its own first
// rung.
func TestThePublishedLadderIsScaledToASmallRun(t *testing.T) {
	ours, theirs := streams(400, 0.8), published(t, "gluster-video")
	for _, x := range ours.Trials {
		x.Rung /= 25
	}
	a := against(t, ours, compare.Side{Run: theirs, Label: "reference/gluster-video"})
	if !a.Scaled() || len(a.Counterparts) != 1 || a.Counterparts[0].Base != 4 {
		t.Fatalf("%+v", a)
	}
	first := a.Counterparts[0].Rungs[0]
	if want := trial.Throughput(ours.Trials[0]); first.Instances != 4 || first.Theirs != 100 || math.Abs(first.Metrics["throughput"].Theirs.Value/want-1) > 1e-3 {
		t.Errorf("the counterpart begins at %+v, want %v", first, want)
	}
	for _, r := range a.Counterparts[0].Rungs {
		if r.Theirs != 25*r.Instances {
			t.Errorf("%d stand for %d", r.Theirs, r.Instances)
		}
		h, shared := r.Metrics["throughput"], slices.Contains([]int{8, 16, 32}, r.Instances)
		if (h.Change != nil) != shared {
			t.Errorf("%d: %+v", r.Instances, h)
		}
	}
	if last := a.Counterparts[0].Rungs[7]; last.Instances != 32 || math.Abs(last.Metrics["throughput"].Change.Value+0.2) > 0.01 {
		t.Errorf("%+v", last)
	}
}

func TestVariantsWithoutCounterpartAreNamed(t *testing.T) {
	both := func(names ...string) *result.Run {
		var all []analysistest.Variant
		for _, name := range names {
			all = append(all, analysistest.Variant{Name: name, Response: analysistest.MM1(0.05, 40)})
		}
		return analysistest.Set{Variants: all, Rungs: []int{1, 2}, Repetitions: 2}.Run(1)
	}
	a := against(t, both("hdd", "ssd"), compare.Side{Run: both("hdd", "nvme", "tape"), Label: "before"})
	text := strings.Join(a.Apart, "\n")
	if !strings.Contains(text, "`before` has no counterpart of `ssd`.") || !strings.Contains(text, "This run has no counterpart of `nvme` and `tape` of `before`.") {
		t.Errorf("%s", text)
	}
	_, err := compare.Against(both("hdd", "ssd"), compare.Side{Run: both("nvme", "tape")})
	if !errors.Is(err, compare.ErrIncomparable) {
		t.Errorf("%v", err)
	}
}

// A legend names the other run by its date, and by its time where both are of one day.
func TestTheOtherRunIsNamedByItsDate(t *testing.T) {
	begun := func(run *result.Run, at time.Time) *result.Run {
		for _, t := range run.Trials {
			t.Begun = at
		}
		return run
	}
	at := time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		theirs time.Time
		want   string
	}{
		{at.AddDate(0, 0, -2), "run of 2026-11-18"}, {at.Add(-time.Hour), "run of 2026-11-20 08:30"}, {time.Time{}, "earlier run"},
	} {
		a := against(t, begun(ladder(2, 1, 1, 4), at), compare.Side{Run: begun(ladder(1, 1, 1, 4), c.theirs), Label: "before"})
		if a.Label != c.want {
			t.Errorf("%v is called %q, want %q", c.theirs, a.Label, c.want)
		}
	}
}
