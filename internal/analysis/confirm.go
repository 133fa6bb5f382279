package analysis

import (
	"fmt"
	"math"
)

// Confirm holds the run of an experiment against the finding that asked for
// it. after must hold a variant at Change.From and one at Change.To; its
// finding says whether throughput moved as expected.
func Confirm(f Finding, after *Analysis) (Finding, error) {
	if f.Change == nil {
		return Finding{}, fmt.Errorf("confirm finding %s: it names no setting to change", f.ID)
	}
	from, to := variantAt(after, *f.Change, f.Change.From), variantAt(after, *f.Change, f.Change.To)
	if from == nil || to == nil {
		return Finding{}, fmt.Errorf("confirm finding %s: the experiment must hold variants with %s at %s and at %s", f.ID, f.Change.Path, f.Change.From, f.Change.To)
	}
	return f.judgeChange(from, to, after.Study.Unit)
}

func variantAt(a *Analysis, c Change, level string) *Variant {
	for i := range a.Variants {
		if a.Variants[i].Factors[c.Path] == level {
			return &a.Variants[i]
		}
	}
	return nil
}

// moved is the change of throughput from which an experiment shows something.
const moved = 0.1

func (f Finding) judgeChange(from, to *Variant, unit string) (Finding, error) {
	for _, n := range f.Change.Rungs {
		a, b := from.rung(n), to.rung(n)
		if a == nil || b == nil || a.Throughput.Value <= 0 || b.Repetitions == 0 {
			continue
		}
		change := b.Throughput.Value/a.Throughput.Value - 1
		got := "same"
		if math.Abs(change) >= moved {
			got = map[bool]string{true: "better", false: "worse"}[change > 0]
		}
		verdict := "Refuted"
		if got == f.Change.Expect {
			verdict = "Confirmed"
		}
		return Finding{
			ID: "confirm-" + f.ID, Kind: "confirmation", Variant: f.Variant, Rung: n,
			Text: fmt.Sprintf("%s: with %s at %s instead of %s, throughput at %d went from %s to %s %s (%+.0f %%); if the finding holds it had to be %s.",
				verdict, f.Change.Path, f.Change.To, f.Change.From, n, figures(a.Throughput.Value), figures(b.Throughput.Value), unit, change*100, expectation(f.Change.Expect)),
			Numbers: map[string]float64{"before": a.Throughput.Value, "after": b.Throughput.Value, "change": change},
			Trials:  append(append([]string{}, a.Trials...), b.Trials...),
		}, nil
	}
	return Finding{}, fmt.Errorf("confirm finding %s: the experiment measured none of the rungs %v on both variants", f.ID, f.Change.Rungs)
}

func expectation(e string) string {
	if e == "same" {
		return "about the same"
	}
	return e
}
