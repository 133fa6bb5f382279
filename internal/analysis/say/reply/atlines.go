package reply

import (
	"math"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// small is the change of throughput of single trials that is not worth a sentence.
const small = 0.05

// AtLines says how the two variants that carry most differ at the largest rung at which both
// keep the objectives: in throughput or, of an open loop, in the response time that is
// limited, where one is large against the other. It is empty where there is nothing to say.
//
// Needs: “At 4 instances, … does 2.1 times the TPS of …”: both keep the objectives there, at the lower
// of their lines or more than half of it; ratio as for effects; "measured once each" without
// repetitions. “At 16 streams, the mean is 8 ms with … and 68 ms with …”: an open loop; one of the two
// at least twice the other.
func AtLines(r *model.Reply, s model.StudyInfo) string {
	if r == nil || r.Kind != study.Capacity {
		return ""
	}
	g := r.Groups[0]
	step, from, to := g.Steps[0], g.Cells[0], g.Cells[1]
	if !s.OpenLoop && saidOf(step) == once && math.Abs(step.Throughput.Value-1) < small {
		return ""
	}
	text := throughputsText(step, from, to)
	if s.OpenLoop {
		if step.From <= 0 || step.To <= 0 || math.Abs(math.Log(step.To/step.From)) < math.Log(large) {
			return ""
		}
		text = say.F("the %s is %s with `%s` and %s with `%s`", step.Metric, words.Seconds(step.To), to.Variant, words.Seconds(step.From), from.Variant)
	}
	return say.F("At %s, %s.", say.Count(step.Rung, s.Noun), text)
}

// throughputsText writes "`tuned` does 2.1 times the TPS of `default` (1.9 to 2.3 times)".
func throughputsText(s model.ReplyStep, from, to model.ReplyCell) string {
	if s.Throughput.Value < 1 {
		from, to, s.Throughput = to, from, inverse(s.Throughput)
	}
	text, ratio := "", s.Throughput.Value
	switch said := saidOf(s); {
	case said == steadied:
		return say.F("`%s` and `%s` do about the same %s", to.Variant, from.Variant, to.Unit)
	case said == unshown:
		text = say.F("no difference in %s between `%s` and `%s` is shown", to.Unit, to.Variant, from.Variant)
	case ratio >= large:
		text = say.F("`%s` does %s times the %s of `%s`", to.Variant, ratioText(ratio), to.Unit, from.Variant)
	default:
		text = say.F("`%s` does %.0f %% more %s than `%s`", to.Variant, 100*(ratio-1), to.Unit, from.Variant)
	}
	if s.Throughput.Bounded() {
		text += " (" + boundsText(s.Throughput) + ")"
	}
	return text
}

// inverse is the ratio the other way round.
func inverse(i stats.Interval) stats.Interval {
	bounded := i.Bounded()
	i.Value = 1 / i.Value
	if bounded {
		i.Low, i.High = 1/i.High, 1/i.Low
	}
	return i
}
