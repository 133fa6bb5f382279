package verdict

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/describe"
	"plimsoll/internal/study"
)

// saved has two variants that save a job's state, with the given save times in seconds.
func saved(failures float64, saves ...float64) *model.Analysis {
	a := asked()
	for i, s := range saves {
		measured(a, []string{"fast", "slow"}[i], nil, "GB/s", 1/s)
		v := &a.Variants[i]
		v.Work.Saves = &describe.Saves{Save: "snapshot", Restore: "reload", Interval: 1800, Failures: failures}
		c := rung.SaveLossOf(*v.Work.Saves, s, s/2)
		c.SaveRate, c.RestoreRate = 9e9/s, 18e9/s
		v.Rungs[0].Saving = &c
	}
	a.Study.Work = a.Variants[0].Work
	return a
}

func TestWhatSavingCosts(t *testing.T) {
	const question = "How long does a snapshot take, and what does it cost?"
	a := saved(24*3600, 9, 90)
	if got, want := savingCost(a), "One snapshot every 30 min and a failure every 24 h add 1.5 % with `fast` and 6.1 % with `slow` to the time that a job computes"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	text := answerTo(a, question)
	for _, want := range []string{
		"`fast`: a snapshot takes 9 s (1 GB/s) and a reload 4.5 s (2 GB/s)",
		"`slow`: a snapshot takes 90 s (0.1 GB/s)", "one every 20 min 47 s would add the least, 1.4 %.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
}

// With frequent failures the exact sum is stated; if they are so frequent that no job would
// ever end, that is stated instead.
func TestWhatSavingCostsBeyondTheFirstOrder(t *testing.T) {
	if got, want := savingCost(saved(3600, 9, 90)), "One snapshot every 30 min and a failure every 1 h add 31 % with `fast` and 40 % with `slow` to the time that a job computes"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	a := saved(120, 90)
	if text := savingCost(a); text != "" {
		t.Error(text)
	}
	if text := answerTo(a, "How long does a snapshot take, and what does it cost?"); !strings.Contains(text, "a snapshot takes 90 s") || !strings.Contains(text, "no job would ever end") || strings.Contains(text, "computes") {
		t.Errorf("%q", text)
	}
	a = saved(24*3600, 9)
	a.Reply = &model.Reply{Kind: study.Survival}
	if text := savingCost(a); text != "" {
		t.Errorf("the question is what survives: %q", text)
	}
	if a := asked(); savingCost(a) != "" {
		t.Error("work that saves nothing")
	}
}
