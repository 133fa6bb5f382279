package next

import (
	"math"

	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/text/words"
)

// Sequential decides whether an interleaved comparison (A, B, B, A, ...) needs
// another pair of trials. It looks at the values after every pair from the
// fourth on; the level of each look is Alpha over the number of looks
// (Bonferroni), so that looking often finds neither a difference nor the lack of
// one that is not there.
type Sequential struct {
	Metric string  // throughput, or a time
	Alpha  float64 // of the whole; 0 takes 0.05
	// Effect is the smallest relative change that matters; 0 takes 5 %.
	Effect float64
	Most   int // pairs; 0 takes 10
}

// firstLook is the number of pairs below which noise is not judged.
const firstLook = 4

// Decision is the state of a Sequential.
type Decision struct {
	More    bool           `json:"more"`
	Verdict family.Verdict `json:"verdict"`
	Why     string         `json:"why"`
}

// Next decides from the values of both sides so far.
func (s Sequential) Next(a, b []float64) Decision {
	s = s.withDefaults()
	la, lb := stats.Logarithms(a), stats.Logarithms(b)
	pairs := min(len(la), len(lb))
	if pairs < firstLook && pairs < s.Most {
		return Decision{More: true, Verdict: family.Untested, Why: say.F("%d of at least %d pairs", pairs, firstLook)}
	}
	if pairs == 0 {
		return Decision{Verdict: family.Untested, Why: say.F("no pair was completed")}
	}
	e := stats.Compare([]stats.Stratum{{A: la, B: lb, Ceiling: s.ceiling()}}).Each[0]
	return s.judge(e, pairs)
}

func (s Sequential) judge(e stats.Estimate, pairs int) Decision {
	level := s.Alpha / float64(max(s.Most-firstLook+1, 1))
	change := stats.RelativeChange(e, 1-level)
	found := say.F("%s %s after %s", s.Metric, say.ChangeText(s.Metric, change), say.Count(pairs, "pair"))
	switch {
	case e.P() < level:
		v := family.Direction(s.Metric, change.Value)
		return Decision{Verdict: v, Why: say.F("%s: %s", v, found)}
	case e.Known() && math.Abs(change.Low) < s.Effect && math.Abs(change.High) < s.Effect:
		return Decision{Verdict: family.NoDifference, Why: say.F("no difference of %s or more: %s", words.PercentChange(s.Effect), found)}
	case pairs >= s.Most:
		return Decision{Verdict: family.Inconclusive, Why: say.F("undecided: %s", found)}
	}
	return Decision{More: true, Verdict: family.Inconclusive, Why: say.F("undecided so far: %s", found)}
}

// ceiling is the largest noise that is thought possible of the metric.
func (s Sequential) ceiling() float64 {
	if s.Metric == "throughput" {
		return stats.ThroughputCeiling
	}
	return 0
}

func (s Sequential) withDefaults() Sequential {
	if s.Alpha <= 0 || s.Alpha >= 1 {
		s.Alpha = 0.05
	}
	if s.Effect <= 0 {
		s.Effect = 0.05
	}
	if s.Most <= 0 {
		s.Most = 10
	}
	return s
}
