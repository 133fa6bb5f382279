package resource

import (
	"testing"

	"plimsoll/internal/describe"
)

// of is stages of ten seconds by what each did in them: at work, waiting for the one before,
// waiting for the one after.
func of(times ...[3]float64) (all []describe.Stage) {
	for n, t := range times {
		all = append(all, describe.Stage{Side: "source", Name: string(rune('a' + n)), Busy: t[0], Before: t[1], After: t[2]})
	}
	return all
}

func TestLimiting(t *testing.T) {
	for name, c := range map[string]struct {
		stages []describe.Stage
		why    StageVerdict
		names  string // the busiest
	}{
		"the one in the middle":           {of([3]float64{2, 0, 8}, [3]float64{9.8, .1, .1}, [3]float64{3, 7, 0}), StageNamed, "b"},
		"the first":                       {of([3]float64{9.9, 0, .1}, [3]float64{4, 6, 0}), StageNamed, "a"},
		"the last":                        {of([3]float64{4, 0, 6}, [3]float64{9.9, .1, 0}), StageNamed, "b"},
		"the only one":                    {of([3]float64{10, 0, 0}), StageNamed, "a"},
		"one that ended early":            {of([3]float64{1, 0, 2}, [3]float64{9.8, .2, 0}), StageNamed, "b"},
		"two alike":                       {of([3]float64{8.5, 0, 1.5}, [3]float64{8, 2, 0}), StagesAlike, "a"},
		"two at work all the time":        {of([3]float64{9.9, 0, .1}, [3]float64{1, 9, 0}, [3]float64{9.7, .3, 0}), BothStages, "a"},
		"two, and room is waited for":     {of([3]float64{9.9, 0, .1}, [3]float64{9.7, .3, 0}, [3]float64{1, 0, 9}), StagesAlike, "a"},
		"none is busy":                    {of([3]float64{3, 0, 7}, [3]float64{6, 4, 0}), StagesIdle, "b"},
		"one before it starves":           {of([3]float64{1, 0, 9}, [3]float64{1, 8, 1}, [3]float64{9.5, .5, 0}), StageContradicted, "c"},
		"one after it cannot hand on":     {of([3]float64{9.5, 0, .5}, [3]float64{1, 1, 8}, [3]float64{1, 9, 0}), StageContradicted, "a"},
		"nothing was done":                {of([3]float64{}), NoStage, ""},
		"no stages":                       {nil, NoStage, ""},
		"waits that are no more than any": {of([3]float64{9.2, 0, .8}, [3]float64{7.9, 1.0, 1.1}), StageNamed, "a"},
	} {
		f := LimitingStage(c.stages)
		got := ""
		if f.Busiest >= 0 {
			got = f.Shares[f.Busiest].Name
		}
		if f.Why != c.why || got != c.names {
			t.Errorf("%s: %q, %q; want %q, %q", name, got, f.Why, c.names, c.why)
		}
		if s, ok := f.Limits(); ok != (c.why == StageNamed) || ok && s.Name != c.names {
			t.Errorf("%s: %+v, %t", name, s, ok)
		}
	}
}

func TestTheQueuesBesideIt(t *testing.T) {
	f := LimitingStage(of([3]float64{2, 0, 8}, [3]float64{10, 0, 0}, [3]float64{3, 7, 0}))
	if f.Full != .8 || f.Empty != .7 {
		t.Errorf("full for %v, empty for %v", f.Full, f.Empty)
	}
	if f := LimitingStage(of([3]float64{10, 0, 0})); f.Full != 1 || f.Empty != 1 {
		t.Errorf("at the ends: full for %v, empty for %v", f.Full, f.Empty)
	}
}
