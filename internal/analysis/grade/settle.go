package grade

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Settled settles the doubts that a load-line verdict does not depend on: lost time, where the
// objectives are met including it or missed by a wide margin without it; percentiles of few
// units of work, where no objective is a percentile; and scatter, where the interval of the
// load line allows no other verdict. A question about throughput depends on every doubt
// except those about percentiles. An effect depends on these, too, because it includes
// percentiles, unless the work is fixed. Nor does a question about throughput depend on
// stalls of fixed work.
func Settled(s *setup.Subject, variants []model.Variant, doubts []trust.Warning) []trust.Warning {
	doubts = slices.Clone(doubts)
	asks := s.Study.Asks()
	lines := asks.Kind == study.Capacity && len(s.Study.Objectives) > 0
	throughput := asks.ByThroughput() && slices.Contains([]study.Kind{study.Comparison, study.OfRating, study.Scaling}, asks.Kind)
	whole := (throughput || asks.ByThroughput() && asks.Kind == study.Effect) && noTimes(s.Study.Objectives)
	about := map[string][]*trust.Warning{}
	for i := range doubts {
		about[doubts[i].Trial] = append(about[doubts[i].Trial], &doubts[i])
	}
	for i := range variants {
		v := &variants[i]
		for j := range v.Rungs {
			if lines || throughput {
				settleCount(s, &v.Rungs[j], about)
			}
			if whole && v.Work.Fixed {
				settleWhole(&v.Rungs[j], about)
			}
			if lines {
				settleLost(s, &v.Rungs[j], about)
				settleSpread(v, &v.Rungs[j], about)
			}
		}
	}
	return doubts
}

// settleLost settles the doubts about time that was lost in trials of a rung.
func settleLost(s *setup.Subject, r *rung.Rung, about map[string][]*trust.Warning) {
	var lost trust.DoubtBound
	var found []*trust.Warning
	for _, id := range r.Trials {
		for _, w := range about[id] {
			if w.Without != nil && w.Severity != trust.Note && (w.Without.Shown || !r.Kept) {
				found = append(found, w)
				lost.Units, lost.Seconds = atMost(lost.Units, w.Without.Units), lost.Seconds+w.Without.Seconds
			}
		}
	}
	if len(found) == 0 {
		return
	}
	why, args := trust.SettledKept, []trust.Arg{trust.Count(r.Instances)}
	if !r.Kept {
		o := brokenWithout(s, r, lost)
		if o == "" {
			return
		}
		why, args = trust.SettledMissed, append(args, trust.Name(o))
	}
	for _, w := range found {
		w.Settle(why, args...)
	}
}

// settleCount settles the doubts about percentiles of few units of work where every objective
// limits a share of them or the longest of all.
func settleCount(s *setup.Subject, r *rung.Rung, about map[string][]*trust.Warning) {
	if slices.ContainsFunc(s.Study.Objectives, func(o study.Objective) bool { return !o.IsShare() && o.Metric != "max" }) {
		return
	}
	for _, id := range r.Trials {
		for _, w := range about[id] {
			if w.Kind == trust.FewUnits && w.Severity == trust.Caution {
				w.Settle(trust.SettledNoTimes, trust.Count(r.Instances))
			}
		}
	}
}

// noTimes reports that no objective is about response times.
func noTimes(all []study.Objective) bool {
	return !slices.ContainsFunc(all, func(o study.Objective) bool { return !o.IsShare() })
}

// settleWhole settles the doubts about stalls in fixed work. Its throughput includes all of
// their time; they only hide response times, and no percentile is reported.
func settleWhole(r *rung.Rung, about map[string][]*trust.Warning) {
	for _, id := range r.Trials {
		for _, w := range about[id] {
			if w.Kind == trust.Stall && w.Severity != trust.Note {
				w.Settle(trust.SettledWhole, trust.Count(r.Instances))
			}
		}
	}
}

// atMost adds counts that may be as large as there are.
func atMost(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// wide is how many times its limit an objective must be to be broken by a wide margin.
const wide = 1.25

// brokenWithout names an objective that a rung misses by a wide margin even without the
// lost part; empty for none. It does not consider other reasons why the rung broke.
func brokenWithout(s *setup.Subject, r *rung.Rung, lost trust.DoubtBound) string {
	passed := slices.DeleteFunc(slices.Clone(s.Run.Trials), func(t *result.Trial) bool {
		return t.Status != result.Passed || !slices.Contains(r.Trials, t.ID)
	})
	for i, o := range r.Objectives {
		if o.Kept || o.Unknown || o.ByInstance() || s.Study.Objectives[i].IsShare() {
			continue
		}
		var times []bucket
		for _, t := range passed {
			name := o.Operation
			if name == "" {
				name = t.Profile.Whole()
			}
			// What cannot be read has no buckets, and settles nothing.
			_ = result.EachBucket(s.Whole(t).Operations[name].Histogram, func(seconds float64, n int64) { times = append(times, bucket{seconds, n}) })
		}
		if exceeds(times, lost, o.Metric, wide*o.Limit) {
			return o.Text
		}
	}
	return ""
}

// bucket is how many units of work took about so many seconds.
type bucket struct {
	seconds float64
	count   int64
}

// exceeds reports whether a metric of response times is above a limit in s even without the
// slowest of them, and when the rest is shortened by the seconds lost, those first that
// this brings to the limit with the least.
func exceeds(times []bucket, lost trust.DoubtBound, metric string, limit float64) bool {
	sort.Slice(times, func(i, j int) bool { return times[i].seconds < times[j].seconds })
	var left int64
	for drop, i := lost.Units, len(times)-1; i >= 0; i-- {
		fewer := min(drop, times[i].count)
		times[i].count, drop = times[i].count-fewer, drop-fewer
		left += times[i].count
	}
	if left == 0 {
		return false
	}
	sum, above, budget := 0.0, 0.0, lost.Seconds
	for _, b := range times {
		sum += b.seconds * float64(b.count)
		if b.seconds <= limit {
			continue
		}
		mended := min(float64(b.count), math.Ceil(max(0, budget)/(b.seconds-limit)))
		budget -= mended * (b.seconds - limit)
		above += float64(b.count) - mended
	}
	if metric == "mean" {
		return (sum-lost.Seconds)/float64(left) > limit
	}
	rank, known := rankOf(metric)
	return known && above > (1-rank)*float64(left)
}

// rankOf is 0.95 of p95.
func rankOf(metric string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimPrefix(metric, "p"), 64)
	return v / 100, err == nil && v < 100
}

// settleSpread settles the doubts about the spread of a bracketing rung, where the interval
// of the line excludes the rung being on the line's other side.
func settleSpread(v *model.Variant, r *rung.Rung, about map[string][]*trust.Warning) {
	l := v.LoadLine
	sure := r.Instances == l.Rung && l.SureBelow() || r.Instances == l.Next && l.SureAbove()
	if !sure || l.Count.Confidence == 0 {
		return
	}
	for _, id := range r.Trials {
		for _, w := range about[id] {
			if w.Kind == trust.OneRepetition || w.Kind == trust.Outlier {
				w.Settle(trust.SettledRepetitions, trust.Count(r.Instances))
			}
		}
	}
}
