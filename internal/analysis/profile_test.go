package analysis

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/contrast"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
	"plimsoll/internal/study"
)

func queries() describe.Profile {
	return describe.Profile{
		Workload: "made-up-queries", Unit: describe.Unit{Name: "query", Plural: "queries", Throughput: "queries/h", Seconds: 3600},
		Operations: []string{"query", "q1", "q2"}, Fixed: true,
	}
}

// counted turns made-up orders into what a profile counts.
func counted(p describe.Profile, change func(*result.Trial)) func(*result.Trial) {
	return func(t *result.Trial) {
		o := t.Operations["order"]
		o.Bytes = 8192 * o.Count
		t.Profile, t.Operations = p, map[string]result.OperationSummary{p.Whole(): o}
		if change != nil {
			change(t)
		}
	}
}

// TestUsersHaveTheWordOfTheirWorkload: a ladder of users counts what the workload calls
// them.
func TestUsersHaveTheWordOfTheirWorkload(t *testing.T) {
	set := analysistest.Set{
		Variants: []analysistest.Variant{{Name: "a", Response: func(int) float64 { return 0.1 }}},
		Rungs:    []int{1, 2, 4}, Repetitions: 3, Objectives: analysistest.MeanBelow(1),
	}
	run := set.Run(1)
	run.Plan.Study.Ladder.Of = study.OfUsers
	for _, trial := range run.Trials {
		trial.Profile.User = "stream"
	}
	a, err := Analyse(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := sentencesOf(a)
	if a.Study.Noun != "stream" || !strings.Contains(all, "4 streams") || regexp.MustCompile(`\b(instances?|users?)\b`).MatchString(a.Answers[0].Question+a.Variants[0].LoadLine.Text) {
		t.Errorf("it counts %ss: %s", a.Study.Noun, all)
	}
}

// sentencesOf is every text of an analysis.
func sentencesOf(a *Analysis) string {
	var all []string
	for _, s := range a.Verdict {
		all = append(all, s.Text)
	}
	for _, s := range a.Answers {
		all = append(all, s.Question, s.Text)
	}
	for _, f := range a.Findings {
		all = append(all, f.Text, f.Next)
	}
	for _, w := range a.Warnings {
		all = append(all, w.Text)
	}
	for _, v := range a.Variants {
		all = append(all, v.LoadLine.Text)
	}
	if a.Prices != nil {
		all = append(all, a.Prices.Text...)
	}
	return strings.Join(append(all, a.Method...), "\n")
}

var ofAShop = regexp.MustCompile(`(?i)\borders?\b|OPM|customer`)

// Runs of any workload are analysed in its own words, and their figures are in its
// own unit.
func TestAnalysisSpeaksOfTheProfile(t *testing.T) {
	for _, c := range []struct {
		profile describe.Profile
		say     []string
	}{
		{resulttest.Transactions(), []string{" TPS", "per transaction", "What does a transaction cost?", "The cheapest transaction per second"}},
		{resulttest.Blocks(), []string{" MB/s", "per block", "What does a block cost?", "The cheapest MB/s"}},
		{queries(), []string{" queries/h", "per query", "What does a query cost?", "The cheapest query per hour"}},
	} {
		t.Run(c.profile.Workload, func(t *testing.T) {
			dir := t.TempDir()
			if err := resulttest.RunOf(c.profile, dir, []string{"ssd", "hdd"}, []int{1, 2, 4, 8, 16, 32}, 2, 60); err != nil {
				t.Fatal(err)
			}
			run, err := result.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			run.Plan.Study.Prices = &study.Prices{Currency: "EUR", Years: 3, Items: []study.PriceItem{{Name: "server", Quantity: 2, Price: 5000}, {Name: "drive", Quantity: 4, Price: 400, For: map[string]string{"storage": "ssd"}}}}
			a := analyse(t, run)
			texts := sentencesOf(a)
			if found := ofAShop.FindAllString(texts, 3); found != nil {
				t.Errorf("it speaks of %q:\n%s", found, texts)
			}
			for _, say := range c.say {
				if !strings.Contains(texts, say) {
					t.Errorf("it lacks %q:\n%s", say, texts)
				}
			}
			for _, v := range a.Variants {
				checkUnits(t, run, v)
			}
		})
	}
}

// checkUnits holds every rung's throughput against what its trials counted.
func checkUnits(t *testing.T, run *result.Run, v Variant) {
	t.Helper()
	for _, r := range v.Rungs {
		var all []float64
		for _, x := range run.Trials {
			if x.Variant.Name != v.Name || x.Rung != r.Instances {
				continue
			}
			o := x.Operations[x.Profile.Operations[0]]
			n := float64(o.Count)
			if x.Profile.Unit.Bytes {
				n = float64(o.Bytes) / 1e6
			}
			all = append(all, n/x.MeasureEnd.Sub(x.MeasureStart).Seconds()*x.Profile.Unit.Seconds)
		}
		if want := stats.MedianOf(all); want == 0 || math.Abs(r.Throughput.Value/want-1) > 1e-9 {
			t.Errorf("%s at %d: %v, counted %v", v.Name, r.Instances, r.Throughput.Value, want)
		}
		if r.Percentile["p95"] == 0 || r.Mean.Value == 0 {
			t.Errorf("%s at %d: no response time of the unit of work", v.Name, r.Instances)
		}
	}
}

// What goes wrong is said in the workload's words, too.
func TestDoubtsSpeakOfTheProfile(t *testing.T) {
	bad := func(t *result.Trial) {
		healthy(t)
		o := t.Whole()
		o.Count, o.Waiting, o.Overdue, o.Oldest = 150, 32, 32, 5
		o.Errors = map[string]int64{"timeout": 30}
		t.Operations[t.Profile.Whole()] = o
		t.Audit = nil
		t.Variant.Load.Users = 8
		t.Drivers = []result.DriverSummary{{LateMean: 0.1}}
	}
	a := analyse(t, madeUp([]study.Objective{{Metric: "errors", Limit: 0.01, Text: "errors <= 1%"}}, times("a", 4, counted(queries(), bad))...))
	texts := sentencesOf(a)
	for _, say := range []string{
		"150 queries were measured", "32 queries had been waiting for up to 5 s, longer than 99 % of queries took",
		"whether every acknowledged query was stored was not checked", "17 % of queries failed (timeout 17 %)", "the problem is failing queries", "find out why queries fail", "of a query's time",
	} {
		if !strings.Contains(texts, say) {
			t.Errorf("it lacks %q:\n%s", say, texts)
		}
	}
	if found := ofAShop.FindAllString(texts, 3); found != nil {
		t.Errorf("it speaks of %q:\n%s", found, texts)
	}
}

// A workload without an audit says what its correctness rests on, and is not
// doubted for it.
func TestNoAuditIsNotDoubtedWhereNoneIsNeeded(t *testing.T) {
	verified := counted(resulttest.Blocks(), func(t *result.Trial) { healthy(t); t.Audit = nil })
	if w := ofWarnings(analyse(t, madeUp(meanBelow(1), times("a", 1, verified)...)), "audit"); w != nil {
		t.Errorf("%+v", w)
	}
	failed := counted(resulttest.Blocks(), func(t *result.Trial) { healthy(t); t.Audit = &result.AuditSummary{Text: "a block is torn"} })
	if w := ofWarnings(analyse(t, madeUp(meanBelow(1), times("a", 1, failed)...)), "audit"); len(w) != 3 {
		t.Errorf("%+v", w)
	}
}

func times(variant string, rung int, change func(*result.Trial)) []sample {
	one := sample{variant, rung, 1200 * float64(rung), 0.1, false, change}
	return []sample{one, one, one}
}

// The unit of work is the first operation, whatever its name.
func TestTheFirstOperationIsTheUnit(t *testing.T) {
	p := resulttest.Transactions()
	p.Operations = []string{"all", "transaction"}
	run := madeUp([]study.Objective{{Metric: "mean", Limit: 1, Text: "mean <= 1s"}, {Operation: "all", Metric: "p95", Limit: 1, Text: "p95 <= 1s"}}, times("a", 1, counted(p, healthy))...)
	for _, x := range run.Trials {
		x.Operations["transaction"] = analysistest.Alike(99999, 7)
	}
	r := analyse(t, run).Variants[0].Rungs[0]
	if r.Throughput.Value != 20 || r.Mean.Value != 0.1 || !r.Kept || len(r.Objectives) != 2 {
		t.Errorf("%+v", r)
	}
}

// Variants that count different things are never held against each other.
func TestDifferentUnitsAreNotCompared(t *testing.T) {
	fast, slow := counted(resulttest.Transactions(), healthy), counted(resulttest.Blocks(), healthy)
	a := analyse(t, madeUp([]study.Objective{{Metric: "mean", Limit: 1, Text: "mean <= 1s"}}, append(append(times("a", 1, fast), times("b", 1, slow)...), times("c", 1, slow)...)...))
	best := a.Answers[0].Text
	for _, say := range []string{"Of those that count MB/s: `b`", "Of those that count TPS: `a`"} {
		if !strings.Contains(best, say) {
			t.Errorf("%q lacks %q", best, say)
		}
	}
	if c := contrast.Of(a, &a.Variants[0], &a.Variants[1]); len(c.Rungs) != 0 {
		t.Errorf("TPS were compared with MB/s: %+v", c)
	}
	if c := contrast.Of(a, &a.Variants[1], &a.Variants[2]); len(c.Rungs) != 1 {
		t.Errorf("MB/s were not compared: %+v", c)
	}
	if !strings.Contains(strings.Join(a.Method, " "), "committed work in TPS and MB/s") {
		t.Errorf("%q", a.Method)
	}
}

// A trial that does not say what it counts has no figures.
func TestTrialsWithoutAProfileAreLeftOut(t *testing.T) {
	run := madeUp(meanBelow(1), times("a", 1, func(t *result.Trial) { t.Profile = describe.Profile{} })...)
	a, err := Analyse(run, Options{})
	if err != nil && !errors.Is(err, trust.ErrNothing) {
		t.Fatal(err)
	}
	if a != nil && !strings.Contains(fmt.Sprint(a.Warnings), "does not say what its workload counts") {
		t.Errorf("%+v", a.Warnings)
	}
}
