package trust

import (
	"reflect"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/result"
)

// A discarded attempt names the attempt that replaces it, and the reason.
func TestWhyAnAttemptIsLeftOut(t *testing.T) {
	sample := func(change func(*result.Trial)) analysistest.Sample {
		return analysistest.Sample{Variant: "a", Rung: 1, OPM: 1000, Mean: 0.1, Change: change}
	}
	e := Sift(analysistest.MadeUp(nil, sample(analysistest.Stolen(0.2)), sample(analysistest.SecondAttempt(analysistest.Healthy))))
	want := Reason{LeftOut, LeftOutSpoiled, []Arg{Name("a/1/1.2"), Because(Steal, StealGiven, Share(0.2), Name("this machine"))}}
	if got, out := e.WhyLeftOut("a/1/1"); !out || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestWhichTrialIsMeasuredAgain(t *testing.T) {
	late := func(t *result.Trial) {
		analysistest.Healthy(t)
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
		why    Kind
	}{
		"nothing spoiled":          {[]func(*result.Trial){analysistest.Healthy, analysistest.Healthy}, 2, "", ""},
		"CPU given to others":      {[]func(*result.Trial){analysistest.Healthy, analysistest.Stolen(0.2)}, 2, "a/1/2", Steal},
		"a late medium":            {[]func(*result.Trial){late}, 2, "a/1/1", StorageDoubt},
		"a neighbour":              {[]func(*result.Trial){neighbour}, 2, "a/1/1", Background},
		"too little to matter":     {[]func(*result.Trial){analysistest.Stolen(0.02)}, 2, "", ""},
		"its own failure":          {[]func(*result.Trial){func(t *result.Trial) { analysistest.Stolen(0.2)(t); analysistest.Loses(t) }}, 2, "", ""},
		"no retries":               {[]func(*result.Trial){analysistest.Stolen(0.2)}, 0, "", ""},
		"measured again already":   {[]func(*result.Trial){analysistest.Stolen(0.2), analysistest.SecondAttempt(analysistest.Stolen(0.05))}, 2, "", ""},
		"the next one":             {[]func(*result.Trial){analysistest.Stolen(0.2), analysistest.SecondAttempt(analysistest.Healthy), analysistest.Stolen(0.2)}, 2, "a/1/3", Steal},
		"all retries are used up":  {[]func(*result.Trial){analysistest.Stolen(0.2), analysistest.SecondAttempt(analysistest.Healthy), analysistest.Stolen(0.2)}, 1, "", LeftOut},
		"a steadily noisy machine": {[]func(*result.Trial){analysistest.Stolen(0.2), analysistest.SecondAttempt(analysistest.Stolen(0.2)), analysistest.Stolen(0.2)}, 9, "", SteadilyBusy},
	} {
		t.Run(name, func(t *testing.T) {
			var samples []analysistest.Sample
			for _, change := range c.trials {
				samples = append(samples, analysistest.Sample{Variant: "a", Rung: 1, OPM: 1000, Mean: 0.1, Change: change})
			}
			spoiled, why := Again(analysistest.MadeUp(analysistest.MeanBelow(1), samples...), c.most)
			got := ""
			if spoiled != nil {
				got = spoiled.ID
			}
			if got != c.again || (why == nil) != (c.why == "") || why != nil && why[0].Kind != c.why {
				t.Errorf("%q (%+v), want %q (%s)", got, why, c.again, c.why)
			}
		})
	}
}
