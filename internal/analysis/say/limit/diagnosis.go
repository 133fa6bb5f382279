package limit

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/scale"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/text/words"
)

// ErrorsAt is ErrorsText with the rung at which it was so.
func ErrorsAt(v *model.Variant, r *rung.Rung, noun string) string {
	return say.F("%s at %s", ErrorsText(v, r), say.Count(r.Instances, noun))
}

// ErrorsText writes "12 % of transactions failed (timeout 10 %, refused 2 %)".
func ErrorsText(v *model.Variant, r *rung.Rung) string {
	failed := int64(0)
	for _, n := range r.ErrorClasses {
		failed += n
	}
	classes := stats.SortedKeys(r.ErrorClasses)
	slices.SortStableFunc(classes, func(a, b string) int { return cmp.Compare(r.ErrorClasses[b], r.ErrorClasses[a]) })
	parts := make([]string, len(classes))
	for i, c := range classes {
		parts[i] = c + " " + words.Percent(r.Errors*stats.Ratio(float64(r.ErrorClasses[c]), float64(failed)))
	}
	if len(parts) == 0 {
		return say.F("%s of %s failed", words.Percent(r.Errors), v.Work.Unit.Plural)
	}
	return say.F("%s of %s failed (%s)", words.Percent(r.Errors), v.Work.Unit.Plural, strings.Join(parts, ", "))
}

// softwareText says that response time grew while nothing was saturated, and what follows
// from it, if anything does.
//
// Needs: Response time at least doubled, beyond queueing at the busiest resource; no device queue with
// half of it; users who only think or wait.
func softwareText(s *setup.Subject, v *model.Variant, r *rung.Rung, d diagnose.Diagnosis) string {
	text := say.F("Nothing that was measured is saturated on `%s` at %s: the busiest is %s at %s",
		v.Name, say.Count(r.Instances, s.Noun), d.Top.Name, say.ShareText(*d.Top))
	grew := say.F("response time grew %s times", words.Figures(d.Growth))
	waits, series := d.WaitsFor(r, scale.ClosedAt(s.Scale(v), r)), diagnose.InSeries(r)
	switch {
	case waits == diagnose.ByQueueing:
		return say.F("%s, and %s, as queueing for it alone can make it.", text, grew)
	case waits == diagnose.InQueue:
		return say.F("%s, yet %s: %s.", text, grew, queueText(v, r, diagnose.QueuedAt(r)))
	case series != nil:
		return say.F("%s, yet %s. %s.", text, grew, words.Capital(seriesText(*series)))
	case waits == diagnose.Elsewhere, d.Time != nil && d.Time.Counted: // what is unexplained is said of the time
		return say.F("%s, yet %s.", text, grew)
	}
	return say.F("%s, yet %s. %s", text, grew, restText(r.Unmeasured()))
}

// restText explains waiting that no queue accounts for, as far as that was measured.
//
// Needs: The same, where the busiest core of several, or the kernel's pressure figures, were not
// recorded on a machine.
func restText(u resource.BlindSpots) string {
	var missing, may []string
	if u.Cores {
		missing, may = append(missing, say.F("the busiest core")), append(may, say.F("a full core"))
	}
	if u.Pressure {
		missing, may = append(missing, say.F("how long work waited for CPU, memory and I/O")), append(may, say.F("want of memory"))
	}
	if len(missing) == 0 {
		return say.F("The rest is waiting that uses no resource: locks, serialized flushes or software limits.")
	}
	return say.F("What the rest waits for is not known, as nothing was measured of %s: %s, locks, serialized flushes or software limits.", say.Join(missing), strings.Join(may, ", "))
}

// agreementText compares the measured response time with the network's prediction from the
// demands of smaller rungs: waiting that the resources do not explain has another cause.
//
// Needs: Demands at a smaller rung, and a closed network that applies.
func agreementText(s *setup.Subject, v *model.Variant, r *rung.Rung, f *model.Finding) string {
	if resource.Shared(r.Resources) != nil {
		return "" // no model covers waiting for a neighbour's turn
	}
	if top := resource.Limiting(r.Resources); top != nil && (top.Kind == resource.Core || top.Kind.IsWaiting()) {
		return "" // nor for a thread, or for memory
	}
	if diagnose.BoundByContainer(r) {
		return "" // nor for the next period
	}
	n, ok := scale.NetworkAt(s.Scale(v), scale.DemandRung(v.Rungs))
	if !ok || n.At.Instances >= r.Instances || !scale.ClosedAt(s.Scale(v), r) || r.Instances*n.Users > scale.MostUsers {
		return ""
	}
	all, err := n.SolveUpTo(r.Instances)
	if err != nil {
		return ""
	}
	predicted := all[len(all)-1].Response
	f.Numbers["predicted_response"] = predicted
	f.Numbers["response"] = r.Mean.Value
	head := say.F("With the demands measured at %s, queueing alone gives a mean of %s here; the measured mean is %s: ",
		say.Count(n.At.Instances, s.Noun), words.Seconds(predicted), words.Seconds(r.Mean.Value))
	return head + departureText(v, n.At, r, diagnose.DepartureOf(predicted, n.At, r))
}

// departureText explains a response time that departs from the network's prediction.
func departureText(v *model.Variant, small, r *rung.Rung, d diagnose.Departure) string {
	before, now := diagnose.Demands(small, r)
	switch d {
	case diagnose.Agrees:
		return say.F("the model is within %s of the measurement.", words.Percent(scale.Tolerance))
	case diagnose.Queued:
		return queueText(v, r, diagnose.QueuedAt(r)) + "."
	case diagnose.NeedsMore:
		return say.F("the demands of %s grew from %s to %s in all.", say.A(v.Work.Unit.Name), words.Seconds(before), words.Seconds(now))
	case diagnose.NeedsLess:
		return say.F("%s need less under load than at the smaller rung (%s of all resources instead of %s), as when writes are batched or more is found in caches.",
			v.Work.Unit.Plural, words.Seconds(now), words.Seconds(before))
	case diagnose.AssumedWidth:
		return say.F("nothing follows from that, because how many requests %s serves in parallel is only assumed.", resource.FirstAssumed(r.Resources).Plain())
	case diagnose.Unexplained:
		return say.F("no queue that was measured explains the rest.")
	}
	return say.F("the network does not describe this rung.")
}

func queueText(v *model.Variant, r *rung.Rung, d *resource.Resource) string {
	return say.F("%s spends %s of its time at %s, by the %s requests in flight there (Little's law)",
		say.A(v.Work.Unit.Name), words.Percent(min(1, stats.Ratio(r.QueuedFor(d), r.Mean.Value))), d.Plain(), words.Figures(d.Queue))
}

// trendText says how the demand of a resource changed with the load.
//
// Needs: The demand at both rungs, changed by 20 % or more; workers occupied at least twice as long.
func trendText(v *model.Variant, r *rung.Rung, top resource.Resource) string {
	first := scale.DemandRung(v.Rungs)
	if first == nil || first.Instances >= r.Instances || top.Demand <= 0 || top.Kind != resource.CPU && top.Other > 0 {
		return ""
	}
	for _, before := range first.Resources {
		if before.Name != top.Name || before.Demand <= 0 {
			continue
		}
		change := top.Demand/before.Demand - 1
		if top.Kind == resource.Gauge {
			return waitsBehind(first, before, top)
		}
		if change > 0.2 || change < -0.2 {
			way := say.F("rose")
			if change < 0 {
				way = say.F("fell")
			}
			return say.F("Its demand per %s %s by %s, from %s at %d to %s.", v.Work.Unit.Name, way, say.Growth(change), words.Seconds(before.Demand), first.Instances, words.Seconds(top.Demand))
		}
	}
	return ""
}

// waitsBehind says that what requests occupy is occupied for longer than at a
// small rung: it waits for something itself, which more of it would not remove.
func waitsBehind(first *rung.Rung, before, top resource.Resource) string {
	if !diagnose.WaitsFurtherOn(before, top) {
		return ""
	}
	return say.F("At %d it was %s: requests wait for something further on as well, which nothing measured explains, and more of them may not help.", first.Instances, words.Seconds(before.Demand))
}
