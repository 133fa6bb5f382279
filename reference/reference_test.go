package reference_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/reference"
)

func TestEverySetOpensAndIsAnalysed(t *testing.T) {
	for _, name := range reference.Names() {
		t.Run(name, func(t *testing.T) {
			run, err := reference.Open(reference.Prefix + name)
			if err != nil {
				t.Fatal(err)
			}
			a, err := analysis.Analyse(run, analysis.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := json.Marshal(a); err != nil {
				t.Fatal(err)
			}
			if a.Run.Reference == "" || len(a.Verdict) != len(a.Variants) || a.Study.Unit == "" {
				t.Errorf("reference %q, %d sentences for %d variants, unit %q", a.Run.Reference, len(a.Verdict), len(a.Variants), a.Study.Unit)
			}
			for _, s := range a.Verdict {
				t.Log(s.Text)
			}
		})
	}
}

func TestPublishedThroughputSurvivesTheWayThroughARun(t *testing.T) {
	for _, name := range reference.Names() {
		set, err := reference.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		run, err := set.Run()
		if err != nil {
			t.Fatal(err)
		}
		a, err := analysis.Analyse(run, analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range set.Variants {
			for j, p := range v.Points {
				got := a.Variants[i].Rungs[j].Throughput.Value
				if diff := got - p.Throughput; diff > 1e-6*p.Throughput || diff < -1e-6*p.Throughput {
					t.Errorf("%s %s at %d: %v, published %v", name, v.Name, p.At, got, p.Throughput)
				}
			}
		}
	}
}

func TestUnknownReferenceNamesTheKnownOnes(t *testing.T) {
	for _, name := range []string{"nothing", "../reference", "", "reference/"} {
		_, err := reference.Open(name)
		if err == nil || !strings.Contains(err.Error(), "cns-ds2") {
			t.Errorf("Open(%q) = %v", name, err)
		}
	}
}

func TestASetIsReadStrictly(t *testing.T) {
	good := `reference: x
title: X
workload: files
unit: MB/s
citation: {document: D, publisher: P, date: 2018-04, place: Table 1}
variants: [{name: a, points: [{at: 1, throughput: 2}]}]
`
	if _, err := reference.Parse("x.yaml", []byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string][2]string{
		"unknown field":      {"unit: MB/s", "unit: MB/s\nsurprise: 1"},
		"no citation":        {"document: D, ", ""},
		"no date":            {"2018-04", "spring"},
		"not a number":       {"throughput: 2", "throughput: .nan"},
		"neither nor":        {"throughput: 2", "mean: 2"},
		"counts do not rise": {"{at: 1, throughput: 2}", "{at: 2, throughput: 2}, {at: 1, throughput: 2}"},
		"no points":          {"[{at: 1, throughput: 2}]", "[]"},
		"no variants":        {"[{name: a, points: [{at: 1, throughput: 2}]}]", "[]"},
	} {
		if _, err := reference.Parse("x.yaml", []byte(strings.Replace(good, edit[0], edit[1], 1))); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestFiguresPerDrive: a figure that is published per drive is of one; others are of all
// drives of their variant.
func TestFiguresPerDrive(t *testing.T) {
	for name, want := range map[string]int{"gluster-large": 1, "gluster-video": 144} {
		run, err := reference.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := run.Trials[0].Storage().Drives; got != want {
			t.Errorf("%s: figures of %d drives, want %d", name, got, want)
		}
	}
}

// 6.9 streams per drive against the competitor's 4.6 is half as many again.
func TestPublishedStreamsPerDrive(t *testing.T) {
	set, err := reference.Get("gluster-video")
	if err != nil {
		t.Fatal(err)
	}
	v := set.Variants[0]
	perDrive := float64(v.Points[len(v.Points)-1].At) / float64(v.Drives)
	if math.Abs(perDrive-6.9) > 0.05 {
		t.Errorf("%v streams per drive, not 6.9", perDrive)
	}
	if above := perDrive/(1600.0/348) - 1; math.Abs(above-0.5) > 0.02 {
		t.Errorf("%v above the competitor, not 0.5", above)
	}
}
