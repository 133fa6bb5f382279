package limit

import (
	"testing"

	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/analysis/trust"
)

// Where work was not steady, the finding says so in place of a resource, with its numbers.
func TestUnsteadyWorkInWords(t *testing.T) {
	v, r := orders(0.9, disk(0.7), cpu(0.2))
	r.Unsteady = []rung.UnsteadyTrial{{Trial: "a/8/1", Severity: trust.Serious, Course: steadiness.Unsteadiness{Kind: steadiness.Drift, Change: -0.3, Influence: 0.4, To: 120}}}
	d := diagnose.Diagnose(v.Rungs, v.LoadLine, r)
	const drifted = "What limits `a` at 8 instances is not shown, because its work was not steady in 1 of 1 trial: throughput fell by 30 % from the start to the end." +
		" On average the busiest is disk loop3 (hdd) at 70 %, but a resource can have been saturated for a part of the time."
	if got := bottleneckHead(subject(), v, r, d); got != drifted {
		t.Errorf("got  %s\nwant %s", got, drifted)
	}
	if got := GivesOut(v, "instance"); got != "what limits it is not shown, because its work was not steady (throughput fell by 30 % from the start to the end)" {
		t.Error(got)
	}
	if n := courseNumbers(d); len(n) != 4 || n["change"] != -0.3 || n["influence"] != 0.4 || n["to"] != 120 || n["trials"] != 1 {
		t.Errorf("%v", n)
	}

	v, r = orders(0.9)
	r.Unsteady = []rung.UnsteadyTrial{{Trial: "a/8/1", Severity: trust.Serious, Course: steadiness.Unsteadiness{Kind: steadiness.Stall, Still: 5, Influence: 0.4}}}
	r.Objectives = []rung.ObjectiveResult{{Metric: "p99", Limit: 0.05, Recorded: 0.004, Value: 4.88}}
	const stalled = "A stall alone breaks `a` at 8 instances (nothing ended for 5 s, in trial a/8/1): p99 is 4 ms as recorded, within 50 ms, and 4.88 s with the time that users stood still. So no resource is shown to limit it."
	if got := bottleneckHead(subject(), v, r, diagnose.Diagnose(v.Rungs, v.LoadLine, r)); got != stalled {
		t.Errorf("got  %s\nwant %s", got, stalled)
	}
	if got := GivesOut(v, "instance"); got != "a stall alone breaks it (nothing ended for 5 s), so no resource is shown to limit it" {
		t.Error(got)
	}
}

func TestCoursesInWords(t *testing.T) {
	for _, c := range []struct {
		course steadiness.Unsteadiness
		text   string
		next   string
	}{
		{steadiness.Unsteadiness{Kind: steadiness.Stall, Instance: "instance-002", Still: 30}, "nothing ended on instance-002 for 30 s",
			"Find out what stood still then: `plimsoll show` of the trial says when it was, and the servers' logs are stored with it. Then measure this rung again."},
		{steadiness.Unsteadiness{Kind: steadiness.WarmUp, Change: -0.4, To: 59.5}, "throughput of the first 59.5 s was 40 % below the rest",
			"Measure this rung again with a warm-up that is longer by 60 s (phases.warmup)."},
		{steadiness.Unsteadiness{Kind: steadiness.WarmUp, Change: 3e7, To: 2}, "throughput of the first 2 s was more than 10,000 % above the rest",
			"Measure this rung again with a warm-up that is longer by 2 s (phases.warmup)."},
		{steadiness.Unsteadiness{Kind: steadiness.Change, Change: 0.4, From: 30}, "throughput rose by 40 % after 30 s, for good",
			"Measure this rung again with a longer warm-up (phases.warmup), until throughput has settled."},
		{steadiness.Unsteadiness{Kind: steadiness.Dip, Change: -0.6, From: 30, To: 40}, "throughput fell by 60 % for 10 s",
			"Measure this rung again with a longer measured phase (phases.measure), to tell what returns from what happens once."},
		{steadiness.Unsteadiness{Kind: steadiness.Dips, Change: -0.5, From: 30, To: 36, Period: 50, Times: 2}, "throughput fell by 50 % for 6 s, 50 s apart",
			"Measure this rung again with a longer measured phase (phases.measure), to tell what returns from what happens once."},
		{steadiness.Unsteadiness{Kind: steadiness.Wave, Change: -0.46, Period: 60}, "throughput swung by 46 %, once in about 60 s",
			"Measure this rung again with a longer measured phase (phases.measure), to tell what returns from what happens once."},
	} {
		if got := courseText(c.course); got != c.text {
			t.Errorf("%q, want %q", got, c.text)
		}
		if got := steadyText(c.course); got != c.next {
			t.Errorf("%q, want %q", got, c.next)
		}
	}
}
