package sides

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// madeUp is a run of variants at rungs; of a rung that is listed as negative the trial failed.
func madeUp(rungs []int, variants ...string) *result.Run {
	var all []analysistest.Sample
	for _, v := range variants {
		for _, n := range rungs {
			all = append(all, analysistest.Sample{Variant: v, Rung: max(n, -n), OPM: 1000 * math.Abs(float64(n)), Mean: 0.1, Failed: n < 0})
		}
	}
	return analysistest.MadeUp(analysistest.MeanBelow(1), all...)
}

func variantsOf(a, b Side) []Variant { return Variants(a, b, trust.Sift(a.Run), trust.Sift(b.Run)) }

// Sides are the same where they are the same trials, however the run is named.
func TestTheSameSides(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"a", "b"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a", "also"); err != nil {
		t.Fatal(err)
	}
	run := &result.Run{Dir: "a"}
	published := func(id string) *result.Run {
		return &result.Run{ID: id, Trials: []*result.Trial{{Published: true}}}
	}
	for _, c := range []struct {
		a, b Side
		same bool
	}{
		{Side{Run: run}, Side{Run: run}, true},
		{Side{Run: run}, Side{Run: &result.Run{Dir: "also"}}, true},
		{Side{Run: run}, Side{Run: &result.Run{Dir: "b"}}, false},
		{Side{Run: run, Variant: "ssd"}, Side{Run: run, Variant: "hdd"}, false},
		{Side{Run: run}, Side{Run: &result.Run{Dir: "gone"}}, false},
		{Side{Run: published("x")}, Side{Run: published("x")}, true},
		{Side{Run: published("x")}, Side{Run: published("y")}, false},
		{Side{Run: published("x")}, Side{Run: &result.Run{ID: "x"}}, false},
	} {
		if c.a.Is(c.b) != c.same || c.b.Is(c.a) != c.same {
			t.Errorf("%+v and %+v: want %v", c.a, c.b, c.same)
		}
	}
}

func TestNameOfASide(t *testing.T) {
	run := &result.Run{ID: "20261121-101500-x"}
	for want, s := range map[string]Side{"before": {Run: run, Variant: "ssd", Label: "before"}, "ssd": {Run: run, Variant: "ssd"}, run.ID: {Run: run}} {
		if got := s.Name(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Variants are matched by name. The only one of each side is its counterpart whatever its name.
func TestVariantsAreMatched(t *testing.T) {
	names := func(all []Variant) (out []string) {
		for _, v := range all {
			out = append(out, v.Name)
		}
		return out
	}
	both, one, other := madeUp([]int{1, 4}, "ssd", "hdd"), madeUp([]int{1, 4}, "ssd"), madeUp([]int{1, 4}, "nvme", "hdd")
	for _, c := range []struct {
		a, b Side
		want []string
	}{
		{Side{Run: both}, Side{Run: both}, []string{"hdd", "ssd"}},
		{Side{Run: both}, Side{Run: other}, []string{"hdd"}},
		{Side{Run: both}, Side{Run: one}, []string{"ssd"}},
		{Side{Run: both, Variant: "hdd"}, Side{Run: one}, []string{""}},
		{Side{Run: both, Variant: "ssd"}, Side{Run: both, Variant: "hdd"}, []string{""}},
		{Side{Run: madeUp([]int{1}, "a", "b")}, Side{Run: madeUp([]int{1}, "c", "d")}, nil},
	} {
		if got := names(variantsOf(c.a, c.b)); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Where no names agree, variants are matched by the levels of factors of the same name; one that
// differs in a level of both is no match.
func TestVariantsAreMatchedByLevels(t *testing.T) {
	withFactors := func(of map[string]map[string]string) Side {
		run := madeUp([]int{1}, slices.Sorted(func(yield func(string) bool) {
			for name := range of {
				if !yield(name) {
					return
				}
			}
		})...)
		for _, one := range run.Trials {
			one.Variant.Factors = of[one.Variant.Name]
		}
		return Side{Run: run}
	}
	ours := withFactors(map[string]map[string]string{
		"a": {"workload.parameters.operation": "read", "storage": "ssd"}, "b": {"workload.parameters.operation": "write", "storage": "ssd"}, "c": {"users": "4"},
	})
	theirs := withFactors(map[string]map[string]string{"x": {"operation": "Write"}, "y": {"operation": "read", "storage": "hdd"}, "z": {"operation": "read"}})
	got := map[string]string{}
	for _, v := range ours.Matching(theirs, trust.Sift(ours.Run), trust.Sift(theirs.Run)) {
		got[v.Name] = v.B[0].Variant.Name
	}
	if len(got) != 2 || got["a"] != "z" || got["b"] != "x" {
		t.Errorf("%v", got)
	}
}

// Rungs are paired where both sides have trials that passed, with the number of those that failed.
func TestRungsArePaired(t *testing.T) {
	a := madeUp([]int{1, 2, 4, 4, -4, 8}, "ssd")
	b := madeUp([]int{1, -2, 4, 16}, "ssd")
	v := variantsOf(Side{Run: a}, Side{Run: b})
	if len(v) != 1 {
		t.Fatalf("%+v", v)
	}
	var rungs []int
	for _, p := range v[0].Pairs() {
		rungs = append(rungs, p.Instances)
		if p.RungA == nil || p.RungB == nil || p.RungA.Instances != p.Instances {
			t.Errorf("%d has the rungs %+v and %+v", p.Instances, p.RungA, p.RungB)
		}
		if p.Instances == 4 && (len(p.A) != 2 || p.FailedA != 1 || len(p.B) != 1 || p.FailedB != 0) {
			t.Errorf("%+v", p)
		}
	}
	if !slices.Equal(rungs, []int{1, 4}) {
		t.Errorf("%v", rungs)
	}
	if whole := Whole(v); len(whole) != 1 || len(whole[0].A) != 6 || len(whole[0].B) != 4 {
		t.Errorf("%+v", whole)
	}
}

// A rung is lost by the side all of whose trials failed where some of the other passed. Published
// results lose none.
func TestRungsThatAreLost(t *testing.T) {
	a, b := madeUp([]int{1, 2, -4, -8, 8}, "ssd"), madeUp([]int{1, -2, 4, -4, -8, 16}, "ssd")
	v := variantsOf(Side{Run: a}, Side{Run: b})
	got := LostRungs(v)
	want := []LostRung{{Instances: 2, B: true, Failed: 1, Passed: 1, Of: 1}, {Instances: 4, Failed: 1, Passed: 1, Of: 2}, {Instances: 8, B: true, Failed: 1, Passed: 1, Of: 2}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	v[0].B[0].Published = true
	if got := LostRungs(v); got == nil || len(got) != 0 {
		t.Errorf("of a published result: %+v", got)
	}
}

// The unit of work is the first of the operations that both have.
func TestOperationsOfBoth(t *testing.T) {
	trialOf := func(names ...string) *result.Trial {
		one := &result.Trial{Part: result.Part{Profile: analysistest.Orders(), Operations: map[string]result.OperationSummary{}}}
		for _, n := range names {
			one.Operations[n] = result.OperationSummary{Count: 1}
		}
		return one
	}
	whole := analysistest.Orders().Whole()
	got := Operations([]Pair{{A: []*result.Trial{trialOf(whole, "browse", "login")}, B: []*result.Trial{trialOf("login", whole, "pay")}}})
	if !slices.Equal(got, []string{whole, "login"}) {
		t.Errorf("%q", got)
	}
}

// Values are those of the trials that have the metric; no errors are a value, no time is none.
func TestValuesOfTrials(t *testing.T) {
	run := madeUp([]int{1, 2}, "ssd")
	without := &result.Trial{Part: result.Part{Profile: analysistest.Orders()}}
	trials := append(run.Trials, without)
	for metric, want := range map[string]int{"throughput": 2, "mean": 2, "p95": 2, "errors": 3, "p12": 0} {
		if got := Values(trials, "order", metric); len(got) != want {
			t.Errorf("%s: %v, want %d", metric, got, want)
		}
	}
	if got := Values(trials, "browse", "mean"); len(got) != 0 {
		t.Errorf("an operation that nobody did: %v", got)
	}
}

// Settings differ in the variant, the study and the machine, and are said with both values.
func TestSettingsThatDiffer(t *testing.T) {
	a, b := madeUp([]int{1}, "ssd"), madeUp([]int{1}, "ssd")
	pair := func() Pair { return Pair{A: a.Trials, B: b.Trials} }
	if got := Differing(pair(), a, b); got == nil || len(got) != 0 {
		t.Errorf("two runs alike: %q", got)
	}
	b.Machine.Kernel = "6.1"
	b.Plan.Study.Objectives = nil
	b.Trials[0].Variant.Engine = study.Engine{Name: "another"}
	got := strings.Join(Differing(pair(), a, b), "\n")
	for _, want := range []string{"engine.name: made-up against another", "machine.kernel: nothing against 6.1", "objectives: mean <= 1s against nothing"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\n") + 1; n != 3 {
		t.Errorf("%d settings differ:\n%s", n, got)
	}
}
