package compare

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/analysis/compare/sides"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
)

// ofWork turns a run of orders into a run of a profile's unit of work.
func ofWork(p describe.Profile, run *result.Run) *result.Run {
	for _, t := range run.Trials {
		o := t.Operations["order"]
		o.Bytes = 8192 * o.Count
		t.Profile, t.Operations = p, map[string]result.OperationSummary{p.Whole(): o}
	}
	return run
}

// A comparison is in the workload's own words and unit, and conditions are about
// its unit of work unless they name an operation.
func TestComparisonSpeaksOfTheProfile(t *testing.T) {
	for _, p := range []describe.Profile{resulttest.Transactions(), resulttest.Blocks()} {
		condition, err := family.ParseCondition("p95 > +5%")
		if err != nil {
			t.Fatal(err)
		}
		named, err := family.ParseCondition(p.Whole() + " mean > +5%")
		if err != nil {
			t.Fatal(err)
		}
		c := compared(t, ofWork(p, noisyRun("a", 4, 1, 1, 1)), ofWork(p, noisyRun("a", 4, 1, 1.3, 2)), Options{FailIf: []family.Condition{condition, named}})
		if c.Verdict != family.Worse || c.Unit != p.Unit.Throughput || c.Work.Whole() != p.Operations[0] || len(c.Failed) < 2 {
			t.Errorf("%s in %s: %s, failed %q", c.Verdict, c.Unit, c.Text, c.Failed)
		}
		for _, d := range c.Differences {
			if d.Operation != p.Whole() {
				t.Errorf("operation %q", d.Operation)
			}
		}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if found := regexp.MustCompile(`(?i)\borders?\b|OPM`).Find(text); found != nil {
			t.Errorf("it speaks of %q: %s", found, text)
		}
	}
}

func TestDifferentWorkIsRefused(t *testing.T) {
	_, err := Runs(sides.Side{Run: ofWork(resulttest.Transactions(), noisyRun("a", 3, 1, 1, 1))}, sides.Side{Run: ofWork(resulttest.Blocks(), noisyRun("a", 3, 1, 1, 1))}, Options{})
	if err == nil || !strings.Contains(err.Error(), "transactions in TPS") || !strings.Contains(err.Error(), "blocks in MB/s") {
		t.Errorf("%v", err)
	}
}

// What every user does once has no percentiles to compare.
func TestItemsOfAListAreComparedByTheirMeans(t *testing.T) {
	listed := func(seed uint64, by float64) *result.Run {
		run := noisyRun("a", 4, 1, by, seed)
		for _, t := range run.Trials {
			t.Profile.Listed, t.Profile.Operations = true, []string{"order", "q01"}
			item := t.Operations["order"]
			item.Histogram = ""
			t.Operations["q01"] = item
		}
		return run
	}
	c := compared(t, listed(1, 1), listed(2, 1.5), Options{})
	var metrics []string
	for _, d := range c.Differences {
		if d.Operation == "q01" {
			metrics = append(metrics, d.Metric)
		}
	}
	if len(metrics) == 0 || strings.Trim(strings.Join(metrics, ""), "mean") != "" {
		t.Errorf("compared by %v", metrics)
	}
}
