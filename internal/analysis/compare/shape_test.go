package compare_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/compare"
	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/reference"
)

func published(t *testing.T, name string) *result.Run {
	t.Helper()
	run, err := reference.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// streams is a made-up run on small hardware: a hundredth of the published throughput,
// and from some rung on so many times of that.
func streams(from int, off float64) *result.Run {
	table := map[int]float64{100: 1000, 200: 2001, 400: 4002, 800: 8003}
	set := analysistest.Set{
		Variants: []analysistest.Variant{{
			Name: "ours", Response: func(n int) float64 { return 0.01 },
			Throughput: func(n int) float64 {
				if n >= from {
					return table[n] * off
				}
				return table[n]
			},
		}},
		Rungs: []int{100, 200, 400, 800}, Repetitions: 2,
	}
	run := set.Run(1)
	run.Plan.Study.Ladder.Of = study.OfUsers
	for _, x := range run.Trials {
		x.Profile = describe.Profile{Workload: "video", User: "stream", Unit: describe.Unit{Name: "operation", Plural: "operations", Throughput: "ops/s", Seconds: 1}, Operations: []string{"order"}}
	}
	return run
}

// TestRungsAreRelativeToTheFirst: a run that grows as the published one did has the same
// ratios, however small it is; one that bends is found where it does.
func TestRungsAreRelativeToTheFirst(t *testing.T) {
	c, err := compare.Runs(compare.Side{Run: streams(10000, 1)}, compare.Side{Run: published(t, "gluster-video")}, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Verdict != compare.InShape || c.Inconclusive() || len(c.Shape) != 3 || len(c.Differences) != 0 {
		t.Fatalf("%s: %+v", c.Verdict, c.Shape)
	}
	last := c.Shape[2]
	if last.At != "800 streams" || last.To != "100 streams" || math.Abs(last.B-7.999) > 0.01 || math.Abs(last.Off) > 0.01 || math.Abs(last.ResponseB-24.56/6.08) > 0.01 {
		t.Errorf("%+v", last)
	}
	if !strings.Contains(c.Text, "3 of 3 ratios lie within 10 %") {
		t.Error(c.Text)
	}
	bent, err := compare.Runs(compare.Side{Run: streams(800, 0.5)}, compare.Side{Run: published(t, "gluster-video")}, compare.Options{})
	if err != nil || math.Abs(bent.Shape[2].Off-1) > 0.01 || !strings.Contains(bent.Text, "2 of 3 ratios") || !strings.Contains(bent.Text, "800 streams against 100 streams") {
		t.Errorf("%v: %s", err, bent.Text)
	}
}

// TestVariantsAreRelativeToTheFirst: the published peaks of two geometries have no
// ladder; ours have another, and other names, but factors with the same levels.
func TestVariantsAreRelativeToTheFirst(t *testing.T) {
	files := func(n int) float64 { return 100 * math.Sqrt(float64(n)) }
	variant := func(name, storage string, times float64) analysistest.Variant {
		return analysistest.Variant{
			Name: name, Factors: map[string]string{"storage": storage, "workload.parameters.operation": "read"},
			Response: func(int) float64 { return 0.01 }, Throughput: func(n int) float64 { return files(n) * times },
		}
	}
	ours := analysistest.Set{Variants: []analysistest.Variant{variant("a", "replicated-raid6", 1), variant("b", "dispersed-jbod", 0.6)}, Rungs: []int{2, 8}, Repetitions: 2}.Run(1)
	c, err := compare.Runs(compare.Side{Run: ours}, compare.Side{Run: published(t, "gluster-small")}, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Shape) != 1 {
		t.Fatalf("%+v", c.Shape)
	}
	l := c.Shape[0]
	if l.VariantA != "b" || l.VariantB != "dispersed-jbod-read" || l.At != "best rung" || l.To != "that of `a`" || math.Abs(l.A-0.6) > 0.01 || math.Abs(l.B-7.5/13.54) > 1e-3 {
		t.Errorf("%+v", l)
	}
}

// sizes is a made-up run on two storages, for files of two sizes; the second is four times
// as fast for small files and twice for large ones.
func sizes(first, second string) *result.Run {
	variant := func(storage, size string, times float64) analysistest.Variant {
		return analysistest.Variant{
			Name:     storage + "-" + size,
			Factors:  map[string]string{"storage": storage, "workload.parameters.operation": "read", "workload.parameters.file_size": size},
			Response: func(int) float64 { return 0.01 }, Throughput: func(int) float64 { return 50 * times },
		}
	}
	return analysistest.Set{
		Variants: []analysistest.Variant{variant(first, "32KiB", 1), variant(second, "32KiB", 4), variant(first, "4MiB", 0.1), variant(second, "4MiB", 0.2)},
		Rungs:    []int{4}, Repetitions: 2,
	}.Run(1)
}

// TestSharesAreRelativeToWhatTheyAreSharesOf: published percentages of another variant are
// compared with our figures divided by that variant's.
func TestSharesAreRelativeToWhatTheyAreSharesOf(t *testing.T) {
	c, err := compare.Runs(compare.Side{Run: sizes("cold", "tiered")}, compare.Side{Run: published(t, "gluster-tier")}, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]float64{"tiered-32KiB": {4, 4.1}, "tiered-4MiB": {2, 2.2}}
	for _, l := range c.Shape {
		w, has := want[l.VariantA]
		if !has || l.To != "that of `"+strings.Replace(l.VariantA, "tiered", "cold", 1)+"`" || math.Abs(l.A-w[0]) > 0.01 || math.Abs(l.B-w[1]) > 0.01 {
			t.Errorf("%+v", l)
		}
		delete(want, l.VariantA)
	}
	if len(want) > 0 {
		t.Errorf("%v are missing", want)
	}
}

// TestPeaksAreHeldPerDrive: pools of as many drives are published, ours have others.
func TestPeaksAreHeldPerDrive(t *testing.T) {
	run := sizes("replicated-raid6", "dispersed-jbod")
	for _, x := range run.Trials {
		x.Storage().Drives = map[string]int{"replicated-raid6": 36, "dispersed-jbod": 12}[x.Variant.Factors["storage"]]
	}
	c, err := compare.Runs(compare.Side{Run: run}, compare.Side{Run: published(t, "gluster-small")}, compare.Options{})
	if err != nil || len(c.Shape) != 1 {
		t.Fatalf("%v: %+v", err, c)
	}
	if l := c.Shape[0]; l.At != "best rung, per drive" || math.Abs(l.A-12.0/36/2) > 0.01 || math.Abs(l.B-13.54/7.5) > 1e-3 {
		t.Errorf("%+v", l)
	}
	for _, x := range run.Trials { // dispersed on drives a tenth as fast
		x.Storage().Rated = map[string]int64{"replicated-raid6": 226e6, "dispersed-jbod": 22.6e6}[x.Variant.Factors["storage"]]
	}
	rated, err := compare.Runs(compare.Side{Run: run}, compare.Side{Run: published(t, "gluster-small")}, compare.Options{})
	if err != nil || len(rated.Shape) != 1 {
		t.Fatalf("%v: %+v", err, rated)
	}
	if was, l := c.Shape[0], rated.Shape[0]; l.At != "best rung, for what the drives are rated" || math.Abs(l.A/was.A-0.1) > 1e-9 && math.Abs(l.A/was.A-10) > 1e-9 || l.B != was.B {
		t.Errorf("%+v", l)
	}
}

// TestRungsOfASmallRunAreScaled: a run with a 25th of the published streams has no rung in
// common with it, but rungs that are as many times its first one.
func TestRungsOfASmallRunAreScaled(t *testing.T) {
	small := streams(10000, 1)
	for _, x := range small.Trials {
		x.Rung /= 25
	}
	c, err := compare.Runs(compare.Side{Run: small}, compare.Side{Run: published(t, "gluster-video")}, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Shape) != 3 || !strings.Contains(c.Text, "3 of 3 ratios") || !strings.Contains(c.Text, "as many times the first of their own side") {
		t.Fatalf("%+v\n%s", c.Shape, c.Text)
	}
	last := c.Shape[2]
	if last.At != "32 and 800 streams" || last.To != "4 and 100 streams" || last.Rung != 800 || !last.Scaled || math.Abs(last.B-7.999) > 0.01 || math.Abs(last.A-8.003) > 0.01 {
		t.Errorf("%+v", last)
	}
}

func TestWhatHasNoShape(t *testing.T) {
	video := published(t, "gluster-video")
	if _, err := compare.Runs(compare.Side{Run: streams(1, 1)}, compare.Side{Run: published(t, "gluster-large"), Variant: "dispersed-jbod-read"}, compare.Options{}); !errors.Is(err, compare.ErrUnlike) {
		t.Errorf("one peak alone: %v", err)
	}
	condition, err := family.ParseCondition("p95 > +5%")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compare.Runs(compare.Side{Run: video}, compare.Side{Run: streams(1, 1)}, compare.Options{FailIf: []family.Condition{condition}}); err == nil || !strings.Contains(err.Error(), "no condition can hold") {
		t.Errorf("a condition: %v", err)
	}
}
