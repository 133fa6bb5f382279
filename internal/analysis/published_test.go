package analysis

import (
	"math"
	"testing"

	"plimsoll/internal/result"
)

// published makes a run of figures as a reference set gives them.
func published(samples ...sample) *Published {
	run := madeUp(nil, samples...)
	run.ID, run.Plan.Study.Source = "shop-2018", "Somebody, 2018"
	for _, trial := range run.Trials {
		trial.Published = true
	}
	return &Published{Run: run, Notes: []string{"Storage hardly matters."}}
}

// Both are relative to one instance of their own, also where the smallest rung has
// several.
func TestPublishedResultsAreSetBesideOurs(t *testing.T) {
	ours := madeUp(meanBelow(1), sample{"hdd", 2, 200, 0.1, false, nil}, sample{"hdd", 8, 400, 0.3, false, nil})
	theirs := published(sample{"hdd", 1, 700, 0.3, false, nil}, sample{"hdd", 8, 5250, 0.36, false, nil}, sample{"ssd", 1, 700, 0.3, false, nil})
	a, err := Analyse(ours, Options{Published: theirs})
	if err != nil {
		t.Fatal(err)
	}
	b := a.Beside
	if b == nil || len(b.Curves) != 2 || b.Curves[0].Published || !b.Curves[1].Published || b.Source == "" || len(b.Notes) != 1 {
		t.Fatalf("beside ours is %+v", b)
	}
	for i, want := range map[int]GrowthPoint{0: {Instances: 8, Throughput: 4, Response: 3}, 1: {Instances: 8, Throughput: 7.5, Response: 1.2}} {
		got := b.Curves[i].Points[1]
		if got.Instances != want.Instances || math.Abs(got.Throughput-want.Throughput) > 1e-9 || math.Abs(got.Response-want.Response) > 1e-9 {
			t.Errorf("%s is %+v, want %+v", b.Curves[i].Variant, got, want)
		}
	}
	if len(b.Text) != 1 {
		t.Errorf("text %q", b.Text)
	}
}

// A single rung gives no curve; the authors' conclusions are shown without.
func TestSingleRungsAreNoCurves(t *testing.T) {
	one, two := sample{"hdd", 4, 200, 0.1, false, nil}, sample{"hdd", 8, 400, 0.3, false, nil}
	for name, c := range map[string]struct {
		ours   []sample
		theirs *Published
	}{
		"ours":   {[]sample{one}, published(one, two)},
		"theirs": {[]sample{one, two}, published(one)},
	} {
		a, err := Analyse(madeUp(meanBelow(1), c.ours...), Options{Published: c.theirs})
		if err != nil || a.Beside == nil || len(a.Beside.Curves) > 0 || len(a.Beside.Notes) != 1 {
			t.Errorf("%s: %+v, %v", name, a.Beside, err)
		}
		c.theirs.Notes = nil
		if a, err := Analyse(madeUp(meanBelow(1), c.ours...), Options{Published: c.theirs}); err != nil || a.Beside != nil {
			t.Errorf("%s, no notes: %+v, %v", name, a.Beside, err)
		}
	}
}

func TestNothingIsSetBesideWhatWasNotMeasured(t *testing.T) {
	theirs := published(sample{"hdd", 1, 700, 0.3, false, nil})
	for name, run := range map[string]*result.Run{
		"published results": theirs.Run,
		"failed trials":     madeUp(nil, sample{"hdd", 1, 0, 0, true, nil}),
	} {
		if a, err := Analyse(run, Options{Published: theirs}); err != nil || a.Beside != nil {
			t.Errorf("%s: %+v, %v", name, a.Beside, err)
		}
	}
}
