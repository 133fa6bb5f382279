package next

import (
	"strings"
	"testing"
	"time"

	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

func measured(variant string, units int64) *result.Trial {
	start := time.Unix(0, 0)
	return &result.Trial{
		Variant: study.Variant{Name: variant}, Rung: 1, Status: result.Passed,
		MeasureStart: start, MeasureEnd: start.Add(time.Minute),
		Part: result.Part{Profile: resulttest.Transactions(), Operations: map[string]result.OperationSummary{"transaction": {Count: units}}},
	}
}

func TestDecideMeasuresInTurnUntilItKnows(t *testing.T) {
	p := &plan.Plan{
		Study:    &study.Study{Ladder: study.Ladder{Rungs: []int{1}}},
		Variants: []study.Variant{{Name: "a"}, {Name: "b"}},
	}
	next, err := Decide(p)
	if err != nil {
		t.Fatal(err)
	}
	run, order := &result.Run{}, ""
	for {
		trial, why, more := next(run)
		if !more {
			t.Log(why)
			break
		}
		order += trial.Variant
		// b is far faster, and no two trials are alike.
		units := map[string]int64{"a": 1000, "b": 2000}[trial.Variant] + int64(len(run.Trials))
		run.Trials = append(run.Trials, measured(trial.Variant, units))
		if len(run.Trials) > 2*mostPairs {
			t.Fatal("it never knows")
		}
	}
	if len(order) < 8 || order[:8] != "abbaabba" {
		t.Errorf("order of the trials: %s", order)
	}
}

func TestDecideWantsTwoVariants(t *testing.T) {
	if _, err := Decide(&plan.Plan{Study: &study.Study{}, Variants: []study.Variant{{Name: "a"}}}); err == nil {
		t.Error("one variant was compared with nothing")
	}
}

// Variants with different units are not compared.
func TestDecideComparesOnlyEqualUnits(t *testing.T) {
	next, err := Decide(&plan.Plan{
		Study:    &study.Study{Ladder: study.Ladder{Rungs: []int{1}}},
		Variants: []study.Variant{{Name: "a"}, {Name: "b"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	a, b := measured("a", 1000), measured("b", 1000)
	b.Profile = resulttest.Blocks()
	if trial, why, more := next(&result.Run{Trials: []*result.Trial{a, b}}); more || !strings.Contains(why, "different work") {
		t.Errorf("%+v, %s", trial, why)
	}
}

// Every member is decided: pairs go on until the last one is.
func TestDecideAsksEveryMember(t *testing.T) {
	members := []study.Member{{Name: "shop", Weight: 2}, {Name: "bulk", Weight: 1}}
	p := &plan.Plan{
		Study:    &study.Study{Ladder: study.Ladder{Rungs: []int{1}}, Members: members},
		Variants: []study.Variant{{Name: "a", Members: members}, {Name: "b", Members: members}},
	}
	next, err := Decide(p)
	if err != nil {
		t.Fatal(err)
	}
	of := func(name string, units int64) result.Member {
		return result.Member{Name: name, Part: result.Part{Profile: resulttest.Transactions(), Operations: map[string]result.OperationSummary{"transaction": {Count: units}}}}
	}
	run := &result.Run{Plan: p}
	for pairs := 0; ; pairs++ {
		next, why, more := next(run)
		if !more {
			for _, said := range []string{"b against a at 1, shop", "b against a at 1, bulk"} {
				if !strings.Contains(why, said) {
					t.Errorf("it says %q", why)
				}
			}
			break
		}
		n := int64(len(run.Tiles()))
		one := result.Tile{Trial: *measured(next.Variant, 0)}
		one.ID, one.Variant.Members, one.Part = next.ID, members, result.Part{}
		// The shop is twice as fast with b, the bulk as fast: only its noise differs.
		one.Members = []result.Member{of("shop", map[string]int64{"a": 1000, "b": 2000}[next.Variant]+n), of("bulk", 1000+n%3)}
		run.Trials = append(run.Trials, one.Trials()...)
		if n > 2*mostPairs {
			t.Fatal("it never ends")
		}
	}
	if n := len(run.Tiles()); n < 8 {
		t.Errorf("decided after %d trials", n)
	}
}
