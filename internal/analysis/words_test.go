package analysis

// Only this file of the package's tests searches the text of whole reports: it checks all
// sentences for words that must, or must not, appear. Single sentences are tested next to
// the code that writes them.

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
	"plimsoll/internal/study"
	"plimsoll/test/quick"
)

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
	quick.Skip(t, quick.Seconds)
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

// What goes wrong is said in the workload's words, too.
func TestDoubtsSpeakOfTheProfile(t *testing.T) {
	bad := func(t *result.Trial) {
		analysistest.Healthy(t)
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

// Whatever a run holds, the analysis is an error or something that JSON can
// hold; it never panics.
func TestHostileRunsAreAnalysed(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		a, err := Analyse(analysistest.HostileRun(r), Options{})
		if err != nil {
			if !errors.Is(err, trust.ErrNothing) {
				r.Fatal(err)
			}
			return
		}
		if _, err := json.Marshal(a); err != nil {
			r.Fatal(err)
		}
		for _, s := range a.Verdict {
			if strings.Contains(s.Text, "NaN") || strings.Contains(s.Text, "Inf") {
				r.Fatalf("verdict %q", s.Text)
			}
		}
	})
}
