package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll/internal/analysis/answer"
	"plimsoll/internal/analysis/queueing"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/scale"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/words"
)

// limit is what holds throughput back at a rung.
type limit int

const (
	limitedByResource   limit = iota // a measured resource is saturated
	limitedByUsers                   // nothing resists: users think, or there are few
	limitedBySoftware                // response time grew and nothing measured is saturated
	limitedByNeighbour               // the CPU is saturated by something else
	limitedByErrors                  // work or trials fail, with nothing saturated
	limitedByUnknown                 // what could limit was not measured
	limitedByUncertain               // a device may, or may not, be saturated
	limitedFromTheStart              // the fewest instances break an objective, with nothing saturated
)

// diagnosis is what limits a variant at a rung.
type diagnosis struct {
	kind limit
	top  *resource.Resource
	// growth is the response time at the rung over that at the smallest.
	growth float64
}

// unharmed is the growth of response time up to which nothing is taken to
// resist: a single server at 50 % answers twice as slowly as when idle.
const unharmed = 2

// errorsText writes "12 % of transactions failed (timeout 10 %, refused 2 %)".
func errorsText(v *Variant, r *rung.Rung) string {
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
		return fmt.Sprintf("%s of %s failed", words.Percent(r.Errors), v.Work.Unit.Plural)
	}
	return fmt.Sprintf("%s of %s failed (%s)", words.Percent(r.Errors), v.Work.Unit.Plural, strings.Join(parts, ", "))
}

// diagnose tells what limits a variant at a rung that has telemetry.
func diagnose(v *Variant, r *rung.Rung) diagnosis {
	d := diagnosis{top: resource.Busiest(r.Resources), growth: 1}
	if first := rung.First(v.Rungs); first != nil && first.Mean.Value > 0 && r.Mean.Value > 0 {
		d.growth = r.Mean.Value / first.Mean.Value
	}
	switch {
	case d.top != nil && d.top.Limits():
		d.kind = limitedByResource
	case rung.Failing(r):
		d.kind = limitedByErrors
	case resource.SharedCPU(r.Resources) != nil:
		d.kind = limitedByNeighbour
	case d.top == nil || resource.UnmeasuredOf(r.Resources).Any() && !(d.growth < unharmed && r.Efficiency >= 0.8):
		d.kind = limitedByUnknown
	case v.LoadLine.Rung == 0 && v.LoadLine.Next == r.Instances:
		d.kind = limitedFromTheStart
	case d.growth < unharmed && r.Efficiency >= 0.8:
		d.kind = limitedByUsers
	case resource.FirstUncertain(r.Resources) != nil:
		d.kind = limitedByUncertain
	default:
		d.kind = limitedBySoftware
	}
	return d
}

// softwareText says that response time grew while nothing was saturated, and what follows
// from it, if anything does.
func (s *subject) softwareText(v *Variant, r *rung.Rung, d diagnosis) string {
	text := fmt.Sprintf("Nothing that was measured is saturated on `%s` at %s: the busiest is %s at %s",
		v.Name, words.Count(r.Instances, s.noun), d.top.Name, answer.ShareText(*d.top))
	grew := fmt.Sprintf("response time grew %s times", words.Figures(d.growth))
	switch {
	case d.growth <= queueing.Growth(d.top.Parallel(), d.top.Own())*(1+scale.Tolerance):
		return text + ", and " + grew + ", as queueing for it alone can make it."
	case queuedAt(r) != nil:
		return text + ", yet " + grew + ": " + queueText(v, r, queuedAt(r)) + "."
	case !scale.ClosedAt(s.scaleOf(v), r):
		return text + ", yet " + grew + "."
	}
	return text + ", yet " + grew + ". The rest is waiting that uses no resource: locks, serialized flushes or software limits."
}

// agreementText holds the measured response time against what the network
// with the demands of the smaller rungs gives: waiting that the resources do
// not explain is for something else.
func (s *subject) agreementText(v *Variant, r *rung.Rung, f *Finding) string {
	if resource.SharedCPU(r.Resources) != nil {
		return "" // who waits for a neighbour's turn is in no model
	}
	if boundByContainer(r) {
		return "" // nor who waits for the next period
	}
	n, ok := scale.NetworkAt(s.scaleOf(v), scale.DemandRung(v.Rungs))
	if !ok || n.At.Instances >= r.Instances || !scale.ClosedAt(s.scaleOf(v), r) || r.Instances*n.Users > scale.MostUsers {
		return ""
	}
	all, err := n.SolveUpTo(r.Instances)
	if err != nil {
		return ""
	}
	predicted := all[len(all)-1].Response
	f.Numbers["predicted_response"] = predicted
	f.Numbers["response"] = r.Mean.Value
	head := fmt.Sprintf("With the demands measured at %s, queueing alone gives a mean of %s here; the measured mean is %s: ",
		words.Count(n.At.Instances, s.noun), words.Seconds(predicted), words.Seconds(r.Mean.Value))
	switch off := predicted/r.Mean.Value - 1; {
	case off < -scale.Tolerance:
		return head + moreThanQueueing(v, n.At, r)
	case off > scale.Tolerance:
		return head + lessThanQueueing(v, n.At, r)
	}
	return head + "the two agree."
}

// moreThanQueueing says what is known of response time beyond the network's: that
// it was spent in a queue that was measured, that demands grew, or nothing.
func moreThanQueueing(v *Variant, small, r *rung.Rung) string {
	if at := queuedAt(r); at != nil {
		return queueText(v, r, at) + "."
	}
	if before, now := demands(small, r); now > (1+demandChange)*before {
		return fmt.Sprintf("the demands of %s grew from %s to %s in all.", words.A(v.Work.Unit.Name), words.Seconds(before), words.Seconds(now))
	}
	if assumed := resource.FirstAssumed(r.Resources); assumed != nil {
		return fmt.Sprintf("nothing follows from that, because how many requests %s serves in parallel is only assumed.", assumed.Plain())
	}
	return "no queue that was measured explains the rest."
}

// lessThanQueueing says why response time is below the network's, where the measured
// demands show it.
func lessThanQueueing(v *Variant, small, r *rung.Rung) string {
	if assumed := resource.FirstAssumed(r.Resources); assumed != nil {
		return fmt.Sprintf("nothing follows from that, because how many requests %s serves in parallel is only assumed.", assumed.Plain())
	}
	if before, now := demands(small, r); now < before/(1+demandChange) {
		return fmt.Sprintf("%s need less under load than at the smaller rung (%s of all resources instead of %s), as when writes are batched or more is found in caches.",
			v.Work.Unit.Plural, words.Seconds(now), words.Seconds(before))
	}
	return "the network does not describe this rung."
}

// demandChange is from which change of the demands in all something is said of it.
const demandChange = 0.1

// demands adds up what a unit of work needs of the stations that both rungs measured.
func demands(small, r *rung.Rung) (before, now float64) {
	for _, a := range small.Resources {
		for _, b := range r.Resources {
			if a.Name == b.Name && a.IsStation() && b.IsStation() {
				before, now = before+a.Demand, now+b.Demand
			}
		}
	}
	return before, now
}

// assumedStation is a device of which only an assumption says how many requests it
// serves in parallel; nil where there is none that matters.
func assumedStation(r *rung.Rung) *resource.Resource {
	for i := range r.Resources {
		if d := &r.Resources[i]; d.Assumed != "" && d.Busy >= 0.1 {
			return d
		}
	}
	return nil
}

// mostOf is the share of a response time from which it is said to be spent somewhere.
const mostOf = 0.5

// queuedAt is the device in whose queue, service included, a unit of work spends most of
// its response time by Little's law, W = L/X; nil where there is none.
func queuedAt(r *rung.Rung) *resource.Resource {
	for i := range r.Resources {
		if d := &r.Resources[i]; d.Kind == resource.Device && !d.Contradicts() && r.QueuedFor(d) >= mostOf*r.Mean.Value {
			return d
		}
	}
	return nil
}

func queueText(v *Variant, r *rung.Rung, d *resource.Resource) string {
	return fmt.Sprintf("%s spends %s of its time at %s, by the %s requests in flight there (Little's law)",
		words.A(v.Work.Unit.Name), words.Percent(min(1, stats.Ratio(r.QueuedFor(d), r.Mean.Value))), d.Plain(), words.Figures(d.Queue))
}

// trendText says how the demand of a resource changed with the load.
func (s *subject) trendText(v *Variant, r *rung.Rung, top resource.Resource) string {
	first := scale.DemandRung(v.Rungs)
	if first == nil || first.Instances >= r.Instances || top.Demand <= 0 {
		return ""
	}
	for _, before := range first.Resources {
		if before.Name != top.Name || before.Demand <= 0 {
			continue
		}
		change := top.Demand/before.Demand - 1
		if top.Kind == resource.Gauge {
			return waitsBehind(v, first, before.Demand, change)
		}
		if change > 0.2 || change < -0.2 {
			return fmt.Sprintf("Its demand per %s went from %s at %d to %s (%+.0f %%).", v.Work.Unit.Name, words.Seconds(before.Demand), first.Instances, words.Seconds(top.Demand), change*100)
		}
	}
	return ""
}

// waitsBehind says that what requests occupy is occupied for longer than at a
// small rung: it waits for something itself, which more of it would not remove.
func waitsBehind(v *Variant, first *rung.Rung, before, change float64) string {
	if change < unharmed-1 {
		return ""
	}
	return fmt.Sprintf("At %d it was %s: requests wait for something further on as well, which nothing measured explains, and more of them may not help.", first.Instances, words.Seconds(before))
}

// boundByContainer says that the quota of what Plimsoll runs in holds a rung back.
func boundByContainer(r *rung.Rung) bool {
	top := resource.Limiting(r.Resources)
	return top != nil && top.Kind == resource.Container
}
