package verdict

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
	"plimsoll/internal/study"
)

// measured is a variant with a load line from 2 to 3 whose trials, two of a rung, scatter by a
// hundredth about a throughput for each instance.
func measured(a *model.Analysis, name string, factors map[string]string, unit string, each float64) {
	v := model.Variant{Name: name, Factors: factors, LoadLine: loadline.LoadLine{Rung: 2, Next: 4, Count: stats.Interval{Value: 2, Low: 2, High: 3, Confidence: stats.Confidence}}}
	v.Work.Unit = describe.Unit{Name: "order", Plural: "orders", Throughput: unit}
	for _, n := range []int{1, 2, 4} {
		v.Rungs = append(v.Rungs, rung.Rung{Instances: n, Repetitions: 2, Kept: n < 4, Throughput: stats.Exactly(each * float64(n)), Mean: stats.Exactly(0.1)})
		for _, off := range []float64{0.99, 1.01} {
			a.Trials = append(a.Trials, model.TrialInfo{Variant: name, Rung: n, Status: "passed", Throughput: each * float64(n) * off})
		}
	}
	a.Variants = append(a.Variants, v)
}

func asked() *model.Analysis {
	a := &model.Analysis{}
	a.Study.Noun, a.Study.Objectives = "instance", []study.Objective{{Metric: "mean", Limit: 0.2, Text: "mean <= 200ms"}}
	return a
}

func answerTo(a *model.Analysis, question string) string {
	for _, x := range Leading(a) {
		if x.Question == question {
			return x.Text
		}
	}
	return ""
}

const (
	performsBest = "Which configuration performs best?"
	fitWithin    = "How many instances fit within the limit?"
	storageClass = "Which storage class does this workload need?"
)

// A reader of one answer alone must see its caveats.
func TestAnswersCarryTheirCaveats(t *testing.T) {
	a := asked()
	measured(a, "hdd", map[string]string{"storage": "hdd"}, "OPM", 100)
	measured(a, "ssd", map[string]string{"storage": "ssd"}, "OPM", 130)
	a.Grade, a.Run.Simulated, a.Study.Reduced = "D", true, true
	a.GradeReason = "the driver was late (ssd/2/1)"
	for _, question := range []string{performsBest, fitWithin, storageClass} {
		if text := answerTo(a, question); !strings.HasSuffix(text, " These trials are graded D: the driver was late (ssd/2/1). The medium is simulated. The profile is reduced.") {
			t.Errorf("%s: %s", question, text)
		}
	}
	if text := answerTo(a, fitWithin); !strings.Contains(text, "2 met it in 2 trials, 4 did not in 2 trials") {
		t.Error(text)
	}
	a.Grade, a.Run.Simulated, a.Study.Reduced = "B", false, false
	if text := answerTo(a, performsBest); strings.Contains(text, "graded") {
		t.Error(text)
	}
}

// Which is ahead follows from the rungs that both measured.
func TestTheBestIsHeldAgainstTheNext(t *testing.T) {
	for _, c := range []struct {
		name        string
		times       float64
		change      func(*model.Analysis)
		best, which string
	}{
		{"a third more", 1.3, func(*model.Analysis) {}, "; more than the next best, `hdd`: ", "`ssd` does +30.0 %"},
		{"as much", 1.0001, func(*model.Analysis) {}, "; whether that is more than the next best, `hdd`, is undecided: ", "It makes little difference to throughput: `ssd` does "},
		{"once", 1.3, func(a *model.Analysis) {
			a.Trials = []model.TrialInfo{a.Trials[0], a.Trials[2], a.Trials[4], a.Trials[6], a.Trials[8], a.Trials[10]}
		}, "; whether that is more than the next best, `hdd`, is undecided, because there are too few repetitions (", "Undecided: `ssd` does "},
		{"no rung in common", 1.3, func(a *model.Analysis) { a.Trials = a.Trials[:6] }, "; `hdd`, the next best, was measured at different rungs, so which is faster is undecided.", "Undecided: `ssd` and `hdd` have no rung in common."},
	} {
		a := asked()
		measured(a, "hdd", map[string]string{"storage": "hdd"}, "OPM", 100)
		measured(a, "ssd", map[string]string{"storage": "ssd"}, "OPM", 100*c.times)
		c.change(a)
		if text := answerTo(a, performsBest); !strings.Contains(text, c.best) {
			t.Errorf("%s: %s", c.name, text)
		}
		if text := answerTo(a, storageClass); !strings.HasPrefix(text, c.which) {
			t.Errorf("%s: %s", c.name, text)
		}
	}
}

// Each unit, and each kind of work, has an answer of its own: reads are no better
// configuration than writes.
func TestDifferentWorkIsAnsweredApart(t *testing.T) {
	a := asked()
	a.Factors = []model.Factor{{Path: "workload.parameters.tier", Name: "tier"}}
	of := func(storage, tier string) map[string]string {
		return map[string]string{"storage": storage, "workload.parameters.tier": tier}
	}
	measured(a, "hdd-db", of("hdd", "database"), "OPM", 100)
	measured(a, "ssd-db", of("ssd", "database"), "OPM", 200)
	measured(a, "hdd-web", of("hdd", "web"), "OPM", 1000)
	measured(a, "ssd-web", of("ssd", "web"), "OPM", 1001)
	for question, want := range map[string][]string{
		performsBest: {"With tier database: `ssd-db`: ", "; more than the next best, `hdd-db`: ", "With tier web: `ssd-web`: ", "than the next best, `hdd-web`, is undecided"},
		storageClass: {"With tier database: `ssd` does +100.0 %", "With tier web: It makes little difference"},
	} {
		for _, w := range want {
			if text := answerTo(a, question); !strings.Contains(text, w) {
				t.Errorf("it lacks %q: %s", w, text)
			}
		}
	}
	a = asked()
	measured(a, "a", nil, "TPS", 100)
	measured(a, "b", nil, "MB/s", 200)
	for _, want := range []string{"Of those that count MB/s: `b`", "Of those that count TPS: `a`"} {
		if text := answerTo(a, performsBest); !strings.Contains(text, want) {
			t.Errorf("it lacks %q: %s", want, text)
		}
	}
}

func TestHowItScalesInWords(t *testing.T) {
	at := func(n int, x float64) rung.Rung {
		return rung.Rung{Instances: n, Repetitions: 1, Throughput: stats.Exactly(x)}
	}
	for want, rungs := range map[string][]rung.Rung{
		"`a` reaches 80 % of linear scaling at 4.":                                    {at(1, 100), at(4, 320)},
		"`a` reaches 50 % of linear scaling at 4 and is past its measured peak at 2.": {at(1, 200), at(2, 600), at(4, 400)},
		"Only one rung was measured, so nothing can be said about scaling.":           {at(1, 100)},
	} {
		if got := howItScales([]*model.Variant{{Name: "a", Rungs: rungs}}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The load that a variant carries, and what broke first.
func TestWhatAVariantCarries(t *testing.T) {
	s := asked().Study
	three := func(n, failed int, kept bool) rung.Rung {
		return rung.Rung{Instances: n, Repetitions: 3 - failed, Failed: failed, Kept: kept, Objectives: []rung.ObjectiveResult{{Kept: kept}}}
	}
	sure := stats.Interval{Value: 20, Low: 8, High: 31, Confidence: stats.Confidence}
	for _, c := range []struct {
		v    model.Variant
		want string
	}{
		{model.Variant{Rungs: []rung.Rung{three(8, 0, true), three(32, 0, false)}, LoadLine: loadline.LoadLine{Rung: 8, Next: 32, Count: sure}},
			"`a` carries 8 to 31 instances within mean ≤ 200 ms (8 met it in 3 trials, 32 did not in 3 trials; interpolated 20)"},
		{model.Variant{Rungs: []rung.Rung{three(8, 0, true), three(32, 1, false)}, LoadLine: loadline.LoadLine{Rung: 8, Next: 32, Count: sure}},
			"`a` carries 8 to 31 instances within mean ≤ 200 ms (8 met it in 3 trials, 32 did not in 3 trials, 1 of them failed; interpolated 20)"},
		{model.Variant{Rungs: []rung.Rung{three(8, 1, true)}, LoadLine: loadline.LoadLine{Rung: 8, Open: true, Count: stats.Interval{Value: 8, Low: 8, High: 1e9, Confidence: stats.Confidence}}},
			"`a` carries at least 8 instances within mean ≤ 200 ms (8 met it in 3 trials, 1 of them failed, the largest rung tried)"},
		{model.Variant{Rungs: []rung.Rung{{Instances: 8, Failed: 2, FailedBy: []string{"no space is left on a file system"}}}},
			"`a` failed in every trial: no space is left on a file system"},
	} {
		c.v.Name = "a"
		if got := carries(&c.v, s); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestBrokenObjectivesInWords(t *testing.T) {
	v := &model.Variant{}
	v.Work.User, v.Work.Unit.Plural, v.Work.Operations = "accelerator", "orders", []string{"order"}
	v.Work.Metrics = []describe.Metric{{Name: "awake", Operation: "watch", Text: "attention", Does: "watched"}}
	for _, c := range []struct {
		o    study.Objective
		r    rung.ObjectiveResult
		text string
		want string
	}{
		{study.Objective{Metric: study.Undone, Limit: 0.01}, rung.ObjectiveResult{Value: 0.05}, "rate ≥ 99 %", "95 % of the offered rate was kept"},
		{study.Objective{Operation: "watch", Metric: study.Idle, Limit: 0.1}, rung.ObjectiveResult{Value: 0.168}, "attention ≥ 90 %", "accelerators watched for 83.2 % of the time"},
		{study.Objective{Operation: "sleep", Metric: study.Idle, Limit: 0.1}, rung.ObjectiveResult{Value: 0.168}, "sleep time ≥ 90 %", "accelerators were in sleep for 83.2 % of the time"},
		{study.Objective{Metric: "errors", Limit: 0.01}, rung.ObjectiveResult{Value: 0.12}, "errors ≤ 1.0 %", "errors were 12 %"},
		{study.Objective{Operation: "login", Metric: "p95", Limit: 0.1}, rung.ObjectiveResult{Unknown: true}, "login p95 ≤ 100 ms", "login p95 was not recorded"},
		{study.Objective{Metric: "p99", Limit: 0.05}, rung.ObjectiveResult{Value: 4.88, Recorded: 0.004}, "p99 ≤ 50 ms", "p99 was 4.88 s with the time of a stall, 4 ms as recorded"},
	} {
		if got := ObjectiveText(c.o, v.Work); got != c.text {
			t.Errorf("%q, want %q", got, c.text)
		}
		if got := BrokenText(v, c.o, c.r); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
