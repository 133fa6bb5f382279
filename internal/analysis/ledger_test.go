package analysis

import (
	"strings"
	"testing"

	"plimsoll/internal/study"
	"plimsoll/internal/study/claim"
)

// Claims of a study are judged with the bounds of its figures.
func TestClaimsOfAStudy(t *testing.T) {
	shows := busyWith(0.3, 0, 0)
	var samples []sample
	for _, more := range []float64{0.99, 1, 1.01} {
		samples = append(samples, sample{"ssd", 4, 6000 * more, 0.02 * more, false, shows}, sample{"hdd", 4, 1000 * more, 0.2 / more, false, shows},
			sample{"hdd", 8, 800 * more, 2, false, shows})
	}
	run := madeUp(meanBelow(1), samples...)
	for predicate, want := range map[string]struct {
		outcome claim.Outcome
		says    string
	}{
		`throughput("ssd", 4) / throughput("hdd", 4) >= 5`:                   {claim.Reproduced, ") >= 5"},
		`throughput("storage=ssd", 4) / throughput("storage=hdd", 4) >= 5`:   {claim.Reproduced, ") >= 5"},
		`throughput("ssd") <= throughput("hdd")`:                             {claim.Contradicted, "is not <="},
		`throughput("ssd", 4) / throughput("hdd", 4) >= 6`:                   {claim.NotShown, "either side of 6"},
		`mean("hdd", 4) > 10 * mean("ssd", 4)`:                               {claim.NotShown, "either side"},
		`mean("hdd", 8) > 20 * mean("ssd", 4)`:                               {claim.Reproduced, ">"},
		`carries("hdd") < 8`:                                                 {claim.Reproduced, "< 8"},
		`carries("ssd") >= 4`:                                                {claim.Reproduced, "at least 4"},
		`busiest("hdd") <= 4`:                                                {claim.Reproduced, "4 <= 4"},
		`busiest("ssd") <= 4`:                                                {claim.NotShown, "at least 4"}, // no more were tried
		`throughput("ssd", 8) > 0`:                                           {claim.NotMeasured, "not measured at 8 instances"},
		`throughput("nvme") > 0`:                                             {claim.NotMeasured, "no variant is `nvme`"},
		`price("ssd") > 0`:                                                   {claim.NotMeasured, "`price(\"ssd\")` is not known"},
		`throughput("ssd") / (throughput("ssd") - throughput("ssd")) > 0`:    {claim.NotMeasured, "divided by zero"},
		`errors("ssd", 4) <= percent(1) and throughput("ssd") > 100`:         {claim.Reproduced, "0 <= 0.01"},
		`throughput("nvme") > 0 or throughput("ssd") > throughput("hdd", 4)`: {claim.Reproduced, ">"},
	} {
		run.Plan.Study.Claims = []study.Claim{{Predicate: predicate}}
		c := analyse(t, run).Claims
		if len(c) != 1 || c[0].Outcome != want.outcome || !strings.Contains(c[0].Text, want.says) {
			t.Errorf("%s: %+v, want %s with %q", predicate, c, want.outcome, want.says)
		}
	}
}

// Without telemetry nothing bounds a figure, and nothing is shown.
func TestClaimsWithoutBounds(t *testing.T) {
	run := madeUp(meanBelow(1), sample{"ssd", 4, 6000, 0.02, false, nil}, sample{"hdd", 4, 1000, 0.2, false, nil})
	run.Plan.Study.Claims = []study.Claim{{Predicate: `throughput("ssd") > throughput("hdd")`}}
	if c := analyse(t, run).Claims; len(c) != 1 || c[0].Outcome != claim.NotShown || !strings.Contains(c[0].Text, "any amount") {
		t.Errorf("%+v", c)
	}
}

// A variant that peaks and falls does not carry more than at its peak, however fast it answers.
func TestADeclineEndsTheLoadLine(t *testing.T) {
	shows := busyWith(0.3, 0, 0)
	var samples []sample
	for _, more := range []float64{0.99, 1, 1.01} {
		for instances, throughput := range map[int]float64{1: 300, 2: 600, 4: 900, 8: 700} {
			samples = append(samples, sample{"hdd", instances, throughput * more, 0.1, false, shows})
		}
	}
	for growth, rung := range map[string]int{"": 8, "growth >= 0%": 4, "growth >= -10%": 4, "growth >= -50%": 8} {
		run := madeUp(meanBelow(1), samples...)
		if growth != "" {
			o, err := study.ParseObjective(growth)
			if err != nil {
				t.Fatal(err)
			}
			run.Plan.Study.Objectives = append(run.Plan.Study.Objectives, o)
		}
		v := analyse(t, run).Variants[0]
		if v.LoadLine.Rung != rung || rung == 4 && !strings.Contains(v.LoadLine.Broken, "growth") {
			t.Errorf("%q: the line is at %d (%s), want %d", growth, v.LoadLine.Rung, v.LoadLine.Broken, rung)
		}
	}
}
