package analysis

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/plan"
	"plimsoll/internal/result"
)

// stolen makes a trial from which the hypervisor took so much CPU.
func stolen(share float64) func(*result.Trial) {
	return func(t *result.Trial) {
		healthy(t)
		analysistest.Sampled(t, "cpu", "", "steal", share)
	}
}

// secondAttempt makes a trial the second attempt at repetition 1.
func secondAttempt(change func(*result.Trial)) func(*result.Trial) {
	return func(t *result.Trial) {
		t.Repetition, t.Attempt = 1, 2
		t.ID = strings.TrimSuffix(t.ID, "2") + "1.2"
		change(t)
	}
}

func loses(t *result.Trial) {
	t.Status, t.Failure = result.Failed, &result.Failure{Stage: "audit", Cause: "an order is missing"}
}

func TestTheLeastSpoiledAttemptCounts(t *testing.T) {
	for name, c := range map[string]struct {
		first, second func(*result.Trial)
		counts        string
		steadily      bool
	}{
		"the neighbour has gone":   {stolen(0.2), healthy, "a/1/1.2", false},
		"less than before":         {stolen(0.2), stolen(0.05), "a/1/1.2", false},
		"as much as before":        {stolen(0.2), stolen(0.2), "a/1/1", true},
		"more than before":         {stolen(0.05), stolen(0.2), "a/1/1", true},
		"the second lost an order": {stolen(0.2), loses, "a/1/1.2", false},
	} {
		t.Run(name, func(t *testing.T) {
			run := madeUp(meanBelow(1),
				sample{"a", 1, 1000, 0.1, false, c.first}, sample{"a", 1, 1200, 0.1, false, secondAttempt(c.second)})
			run.Plan.Trials = []plan.Trial{{ID: "a/1/1", Variant: "a", Rung: 1, Repetition: 1}}
			a := analyse(t, run)
			if missing := ofKindWarnings(a, "missing"); missing != nil {
				t.Errorf("missing: %+v", missing)
			}
			if got := a.Variants[0].Rungs[0].Trials; !slices.Equal(got, []string{c.counts}) {
				t.Errorf("%v count, want %s", got, c.counts)
			}
			left := ofKindWarnings(a, "left-out")
			if len(left) != 1 || left[0].Trial == c.counts || !strings.Contains(left[0].Text, c.counts+" counts in its place") {
				t.Errorf("left out: %+v", left)
			}
			if steadily := len(ofKindWarnings(a, "steadily-busy")) == 1; steadily != c.steadily {
				t.Errorf("steadily busy: %v", steadily)
			}
			for _, info := range a.Trials {
				if (info.Status == LeftOut) != (info.ID != c.counts) {
					t.Errorf("%s is listed as %s", info.ID, info.Status)
				}
			}
		})
	}
}

func ofKindWarnings(a *Analysis, kind string) (found []trust.Warning) {
	for _, w := range a.Warnings {
		if w.Kind == kind {
			found = append(found, w)
		}
	}
	return found
}

func TestWhichTrialIsMeasuredAgain(t *testing.T) {
	late := func(t *result.Trial) {
		healthy(t)
		t.Doubts = []string{"the simulated medium answered 40 % of 100 requests late"}
	}
	neighbour := func(t *result.Trial) {
		analysistest.Sampled(t, "cpu", "", "utilisation", 0.9)
		analysistest.Sampled(t, "instance", "db-000", "cpu", 4)
		t.Drivers = []result.DriverSummary{{CPUUser: 10}}
	}
	for name, c := range map[string]struct {
		trials []func(*result.Trial)
		most   int
		again  string
		why    string
	}{
		"nothing spoiled":          {[]func(*result.Trial){healthy, healthy}, 2, "", ""},
		"CPU given to others":      {[]func(*result.Trial){healthy, stolen(0.2)}, 2, "a/1/2", "hypervisor"},
		"a late medium":            {[]func(*result.Trial){late}, 2, "a/1/1", "late"},
		"a neighbour":              {[]func(*result.Trial){neighbour}, 2, "a/1/1", "used outside the trial"},
		"too little to matter":     {[]func(*result.Trial){stolen(0.02)}, 2, "", ""},
		"its own failure":          {[]func(*result.Trial){func(t *result.Trial) { stolen(0.2)(t); loses(t) }}, 2, "", ""},
		"no retries":               {[]func(*result.Trial){stolen(0.2)}, 0, "", ""},
		"measured again already":   {[]func(*result.Trial){stolen(0.2), secondAttempt(stolen(0.05))}, 2, "", ""},
		"the next one":             {[]func(*result.Trial){stolen(0.2), secondAttempt(healthy), stolen(0.2)}, 2, "a/1/3", "hypervisor"},
		"all retries are used up":  {[]func(*result.Trial){stolen(0.2), secondAttempt(healthy), stolen(0.2)}, 1, "", "the retries are used up"},
		"a steadily noisy machine": {[]func(*result.Trial){stolen(0.2), secondAttempt(stolen(0.2)), stolen(0.2)}, 9, "", "what interferes does not pass"},
	} {
		t.Run(name, func(t *testing.T) {
			var samples []sample
			for _, change := range c.trials {
				samples = append(samples, sample{"a", 1, 1000, 0.1, false, change})
			}
			spoiled, why := trust.Again(madeUp(meanBelow(1), samples...), c.most)
			got := ""
			if spoiled != nil {
				got = spoiled.ID
			}
			if got != c.again || !strings.Contains(why, c.why) || (why == "") != (c.why == "") {
				t.Errorf("%q (%s), want %q (%s)", got, why, c.again, c.why)
			}
		})
	}
}
