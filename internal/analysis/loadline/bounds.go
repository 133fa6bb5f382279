package loadline

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// lineBounds is the interval of the load line. It rests on two things only: that
// a count which breaks an objective is not followed by larger ones that keep
// them, and on how sure the judgement of each rung is. Nothing is known of what
// happens between two rungs (a cache may end there), so no curve narrows it.
//
// From the smallest rung upwards, rungs that surely keep the objectives raise
// the lower bound; from the largest downwards, rungs that surely break one lower
// the upper bound. Each walk ends at the first rung that is not sure, so each is
// wrong with the error of a single test, 2.5 % at a confidence of 95 % (fixed-sequence testing: Maurer,
// Hothorn and Lehmacher, "Multiple Comparisons in Drug Clinical Trials", 1995).
func lineBounds(rungs []rung.Rung, groups []trial.Group, objectives []study.Objective, l LoadLine, c certainty) stats.Interval {
	sure, known := sureness(rungs, groups, objectives, c)
	if !known {
		high := float64(l.Carried())
		if l.Next > 0 {
			high = float64(l.Next - 1)
		}
		return stats.Interval{Low: float64(l.Carried()), High: high}
	}
	i := stats.Interval{Low: 0, High: math.Inf(1), Confidence: c.confidence}
	for at := 0; at < len(rungs) && sure[at] == surelyKept; at++ {
		i.Low = float64(rungs[at].Worked())
	}
	for at := len(rungs) - 1; at >= 0 && sure[at] == surelyBroken; at-- {
		i.High = float64(rungs[at].Instances - 1)
	}
	return i
}

// certainty is how sure a statement about a rung is to be.
type certainty struct {
	confidence float64
	prior      stats.Prior // of the logarithms of response times and of shares
}

// The certainties: of an interval, and of the bound of a grade.
var (
	shown  = certainty{confidence: stats.Confidence}
	likely = certainty{bound.Confidence, ResponseNoise}
)

// ResponseNoise expects the response time of a single trial to be within a factor of two of the mean of many, as
// nineteen in twenty 95th percentiles of recorded runs' repetitions were (nine in ten within 1.5). It is known
// with few degrees of freedom, because workloads differ.
var ResponseNoise = stats.PriorOf(math.Ln2, bound.Confidence, 2)

// judgement says how sure it is whether a rung keeps the objectives.
type judgement int

const (
	unsure judgement = iota
	surelyKept
	surelyBroken
)

// sureness judges each rung; a failure under load breaks it for certain, and so do
// several trials that all failed. It is not known where nothing tells the noise.
func sureness(rungs []rung.Rung, groups []trial.Group, objectives []study.Objective, c certainty) (sure []judgement, known bool) {
	below, above := make([]int, len(rungs)), make([]int, len(rungs))
	for i, o := range objectives {
		each := judgeObjective(o, rungs, groups, c, 1-(1-c.confidence)/float64(len(objectives)))
		for at, j := range each {
			unknown := len(groups[at].Passed) > 0 && rungs[at].Objectives[i].Unknown
			switch {
			case unknown || j == surelyBroken || surelyByInstance(rungs[at].Objectives[i]):
				above[at]++
			case j == surelyKept:
				below[at]++
			}
		}
	}
	sure = make([]judgement, len(rungs))
	for at, r := range rungs {
		g := groups[at]
		failed := r.Break.Any() || len(g.Passed) == 0 && len(g.Failed) > 1
		known = known || len(g.Passed) > 1 || c.prior.Freedom > 0 && len(g.Passed) > 0
		switch {
		case failed, !r.Kept && above[at] > 0:
			sure[at] = surelyBroken
		case r.Kept && below[at] == len(objectives) && !rung.AnyDoubtful(r):
			sure[at] = surelyKept
		}
	}
	return sure, known
}

// surelyByInstance reports whether instances break an objective by themselves in each of several
// trials: how much the figure over all instances differs from trial to trial is no doubt of that.
func surelyByInstance(o rung.ObjectiveResult) bool { return o.Worst != nil && o.Worst.Sure() }

// judgeObjective holds the interval of a metric at each rung against its limit.
// Several objectives share the error of breaking one; each must be kept.
func judgeObjective(o study.Objective, rungs []rung.Rung, groups []trial.Group, c certainty, shared float64) []judgement {
	if o.Metric == study.Decline {
		return judgeGrowth(o, rungs, groups, c, shared)
	}
	if o.IsShare() {
		return judgeShares(o, groups, c, shared)
	}
	logs := make([][]float64, len(groups))
	for i, g := range groups {
		logs[i] = stats.Logarithms(trialValues(o, g.Passed))
	}
	limit := math.Log(o.Limit)
	out := make([]judgement, len(groups))
	for i, e := range stats.Means(logs) {
		out[i] = against(limit, c.prior.Of(e, len(logs[i])), c, shared)
	}
	return out
}

// plateau is a decline that is none: throughput at its highest wavers.
const plateau = 0.05

// judgeGrowth holds the decline of throughput against its limit.
func judgeGrowth(o study.Objective, rungs []rung.Rung, groups []trial.Group, c certainty, shared float64) []judgement {
	out := make([]judgement, len(rungs))
	limit := rung.DeclineLimit(o.Limit)
	for i, d := range rung.Declines(rungs, groups) {
		low, _ := d.Interval(shared)
		switch _, high := d.Interval(c.confidence); {
		case low > limit:
			out[i] = surelyBroken
		case rung.Measured(rungs[i]) && high <= limit+plateau:
			out[i] = surelyKept
		}
	}
	return out
}

// against holds an estimate against a limit.
func against(limit float64, e stats.Estimate, c certainty, shared float64) judgement {
	low, _ := e.Interval(shared)
	switch _, high := e.Interval(c.confidence); {
	case low > limit:
		return surelyBroken
	case high <= limit:
		return surelyKept
	}
	return unsure
}

func trialValues(o study.Objective, trials []*result.Trial) []float64 {
	var values []float64
	for _, t := range trials {
		if v, ok := trial.ObjectiveValue(o, t); ok {
			values = append(values, v)
		}
	}
	return values
}

// judgeShares holds a share against its limit, by the interval of
// Clopper and Pearson ("The Use of Confidence or Fiducial Limits Illustrated in
// the Case of the Binomial", Biometrika 26(4), 1934). Errors come in bursts, so
// the counts weigh as much less as they differ more between trials than chance
// would have it. A rung without any error is taken to keep its limit: how few
// units of work it had is for the grade to say.
func judgeShares(o study.Objective, groups []trial.Group, c certainty, shared float64) []judgement {
	burst, known := dispersion(o, groups)
	out := make([]judgement, len(groups))
	for i, g := range groups {
		part, whole := countsOf(o, g.Passed)
		switch {
		case whole == 0:
		case part == 0:
			out[i] = surelyKept
		case !known:
			e := c.prior.Of(stats.Estimate{Value: math.Log(part / whole)}, len(g.Passed))
			out[i] = against(math.Log(o.Limit), e, c, shared)
		case shareBound((1-shared)/2, part/burst, (whole-part)/burst+1) > o.Limit:
			out[i] = surelyBroken
		case shareBound((1+c.confidence)/2, part/burst+1, (whole-part)/burst) <= o.Limit:
			out[i] = surelyKept
		}
	}
	return out
}

func shareBound(quantile, alpha, beta float64) float64 {
	if alpha <= 0 || beta <= 0 {
		return 1
	}
	return distuv.Beta{Alpha: alpha, Beta: beta}.Quantile(quantile)
}

// countsOf is how many operations count for a share, and all of them.
func countsOf(o study.Objective, trials []*result.Trial) (part, whole float64) {
	for _, t := range trials {
		p, w := trial.ShareCounts(o, t)
		part, whole = part+float64(p), whole+float64(w)
	}
	return part, whole
}

// dispersion is by how much counts vary more between the trials of a rung than
// operations that fail independently would make them: Pearson's chi-square over its
// degrees of freedom, at least 1; not known without repetitions.
func dispersion(o study.Objective, groups []trial.Group) (value float64, known bool) {
	var chi, freedom float64
	for _, g := range groups {
		part, whole := countsOf(o, g.Passed)
		share := stats.Ratio(part, whole)
		if share <= 0 || share >= 1 {
			continue
		}
		freedom += float64(len(g.Passed) - 1)
		for _, t := range g.Passed {
			p, w := trial.ShareCounts(o, t)
			expected := float64(w) * share
			chi += stats.Ratio((float64(p)-expected)*(float64(p)-expected), expected*(1-share))
		}
	}
	return max(1, stats.Ratio(chi, freedom)), freedom > 0
}
