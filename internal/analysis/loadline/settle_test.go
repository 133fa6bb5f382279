package loadline

import (
	"testing"

	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/analysis/trust"
)

// met is a rung of three trials that met p95 ≤ 300 ms at 212 ms. The given number of trials
// had unsteady work.
func met(instances, trials int, severity trust.Severity, c steadiness.Unsteadiness) rung.Rung {
	r := rung.Rung{Instances: instances, Repetitions: 3, Kept: true, Objectives: []rung.ObjectiveResult{
		{Metric: "p95", Value: 0.212, Limit: 0.3, Kept: true}, {Metric: "errors", Value: 0.01, Limit: 0.011, Kept: true},
	}}
	for i := range trials {
		r.Unsteady = append(r.Unsteady, rung.UnsteadyTrial{Trial: string(rune('a' + i)), Severity: severity, Course: c})
	}
	return r
}

func rising(change, over float64) steadiness.Unsteadiness {
	return steadiness.Unsteadiness{Kind: steadiness.Drift, Of: "response", Change: change, Over: over}
}

func TestWhatIsNotShownToKeepItsObjectives(t *testing.T) {
	calm := met(1, 0, "", steadiness.Unsteadiness{})
	throughput := rising(1, 2)
	throughput.Of = ""
	burst := rising(1, 2)
	burst.Kind = steadiness.Burst
	for name, c := range map[string]struct {
		rungs []rung.Rung
		line  LoadLine
		want  Reach
	}{
		"the objective is missed at the end":       {[]rung.Rung{calm, met(4, 3, trust.Serious, rising(18, 1.9))}, LoadLine{Rung: 4, Open: true}, Reach{Extent: AtLeast, Low: 1}},
		"… at every rung":                          {[]rung.Rung{met(1, 2, trust.Serious, rising(18, 1.9)), met(4, 3, trust.Serious, rising(18, 1.9))}, LoadLine{Rung: 4, Open: true}, Reach{Extent: NotShown}},
		"… and the next rung breaks it":            {[]rung.Rung{calm, met(4, 2, trust.Serious, rising(18, 1.9))}, LoadLine{Rung: 4, Next: 8}, Reach{Extent: Between, Low: 1, High: 7}},
		"… and so does the next of one":            {[]rung.Rung{met(4, 2, trust.Serious, rising(18, 1.9))}, LoadLine{Rung: 4, Next: 8}, Reach{Extent: FewerThan, High: 8}},
		"it is kept at the end, too":               {[]rung.Rung{met(4, 3, trust.Serious, rising(1, 1.3))}, LoadLine{Rung: 4, Open: true}, Reach{Extent: AtLeast, Low: 4}},
		"in one of three trials":                   {[]rung.Rung{met(4, 1, trust.Serious, rising(18, 1.9))}, LoadLine{Rung: 4, Open: true}, Reach{Extent: AtLeast, Low: 4}},
		"by little":                                {[]rung.Rung{met(4, 3, trust.Note, rising(0.1, 1.9))}, LoadLine{Rung: 4, Open: true}, Reach{Extent: AtLeast, Low: 4}},
		"response times fell":                      {[]rung.Rung{met(4, 3, trust.Serious, rising(-0.8, 1.9))}, LoadLine{Rung: 4, Open: true}, Reach{Extent: AtLeast, Low: 4}},
		"throughput did":                           {[]rung.Rung{met(4, 3, trust.Serious, throughput)}, LoadLine{Rung: 4, Open: true}, Reach{Extent: AtLeast, Low: 4}},
		"they rose and fell back":                  {[]rung.Rung{met(4, 3, trust.Serious, burst)}, LoadLine{Rung: 4, Open: true}, Reach{Extent: AtLeast, Low: 4}},
		"the study sets no objective to be missed": {[]rung.Rung{met(4, 3, trust.Serious, rising(18, 1.9))}, LoadLine{Rung: 4, Open: true, Why: NoObjective}, Reach{Extent: AtLeast, Low: 4}},
	} {
		if got := c.line.Settled(c.rungs).Reach(); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
