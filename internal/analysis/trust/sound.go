package trust

import (
	"fmt"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// MostThings is above every count of instances or of users of one.
const MostThings = 10_000_000

// Sound leaves out trials whose figures cannot be true, with a warning
// that says which. Results that Plimsoll wrote always are sound; edited ones
// need not be, and one wrong number must not spoil the rest.
func Sound(trials []*result.Trial) (sound []*result.Trial, warnings []Warning) {
	for _, t := range trials {
		if t == nil {
			continue
		}
		if reason := unsound(t); reason != "" {
			warnings = append(warnings, Warning{Trial: t.ID, Kind: "damaged", Severity: Serious, Text: "the trial was left out: it " + reason})
			continue
		}
		sound = append(sound, t)
	}
	return sound, warnings
}

// unsound says what cannot be true of a trial, in a clause.
func unsound(t *result.Trial) string {
	switch {
	case t.Rung < 1:
		return fmt.Sprintf("has %d instances, and a rung has at least one", t.Rung)
	case t.Rung > MostThings || t.Variant.Load.Users > MostThings:
		return fmt.Sprintf("has %d instances of %d users, more than any trial can have", t.Rung, t.Variant.Load.Users)
	case t.Status != result.Passed && t.Status != result.Failed:
		return fmt.Sprintf("has status %q, which is neither passed nor failed", t.Status)
	case t.Status == result.Passed && trial.Seconds(t) <= 0:
		return "passed, but its measured phase has no length"
	case t.Status == result.Passed && (!t.Profile.Unit.Complete() || t.Profile.Whole() == ""):
		return "passed, but does not say what its workload counts"
	case t.Variant.Load.Users < 0 || t.Variant.Load.ThinkTime < 0:
		return fmt.Sprintf("has %d users thinking for %s", t.Variant.Load.Users, t.Variant.Load.ThinkTime)
	}
	for _, name := range stats.SortedKeys(t.Operations) {
		if reason := unsoundOperation(t.Operations[name]); reason != "" {
			return fmt.Sprintf("%s of operation %q", reason, name)
		}
	}
	return ""
}

func unsoundOperation(o result.OperationSummary) string {
	for _, n := range []int64{o.Count, o.RolledBack, o.Bytes, trial.Failures(o), o.Waiting, o.Overdue, o.Offered} {
		if !stats.Plausible(float64(n)) {
			return fmt.Sprintf("counts %d", n)
		}
	}
	for _, v := range []float64{o.Mean, o.P50, o.P90, o.P95, o.P99, o.P999, o.Max, o.Oldest} {
		if !stats.Plausible(v) || v > 1e9 {
			return fmt.Sprintf("has a response time of %v s", v)
		}
	}
	return ""
}

// soundObjectives leaves out objectives whose limit is no limit.
func soundObjectives(objectives []study.Objective) (sound []study.Objective, warnings []Warning) {
	for _, o := range objectives {
		if !stats.Plausible(o.Limit) {
			warnings = append(warnings, Warning{Kind: "damaged", Severity: Serious, Text: fmt.Sprintf("objective %q was left out: its limit is %v", o.Text, o.Limit)})
			continue
		}
		sound = append(sound, o)
	}
	return sound, warnings
}
