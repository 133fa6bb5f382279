package trial

import (
	"fmt"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
)

// MostThings is above every count of instances or of users of one.
const MostThings = 10_000_000

// Unsound says what cannot be true of a trial, in a clause.
func Unsound(t *result.Trial) string {
	switch {
	case t.Rung < 1:
		return fmt.Sprintf("has %d instances, and a rung has at least one", t.Rung)
	case t.Rung > MostThings || t.Variant.Load.Users > MostThings:
		return fmt.Sprintf("has %d instances of %d users, more than any trial can have", t.Rung, t.Variant.Load.Users)
	case t.Ran() < 1:
		return fmt.Sprintf("set %d of %d instances aside, and one has to work", len(t.SetAside), t.Rung)
	case t.Status != result.Passed && t.Status != result.Failed:
		return fmt.Sprintf("has status %q, which is neither passed nor failed", t.Status)
	case t.Status == result.Passed && Seconds(t) <= 0:
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
	for _, n := range []int64{o.Count, o.RolledBack, o.Bytes, Failures(o), o.Waiting, o.Overdue, o.Offered} {
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
