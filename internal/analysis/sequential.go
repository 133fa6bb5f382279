package analysis

import (
	"fmt"
	"math"
)

// Sequential decides whether an interleaved comparison (A, B, B, A, ...) needs
// another pair of trials. It looks at the values after every pair from the
// fourth on; the level of each look is Alpha over the number of looks
// (Bonferroni), so that looking often does not find what is not there.
type Sequential struct {
	Metric string  // throughput, or a time
	Alpha  float64 // of the whole; 0 takes 0.05
	// Effect is the smallest relative change that matters; 0 takes 5 %.
	Effect float64
	Most   int // pairs; 0 takes 10
}

// firstLook is the number of pairs below which no difference can be shown.
const firstLook = 4

// Decision is what a Sequential found so far.
type Decision struct {
	More    bool    `json:"more"`
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why"`
}

// Next decides from the values of both sides so far.
func (s Sequential) Next(a, b []float64) Decision {
	s = s.withDefaults()
	a, b = finiteOnly(a), finiteOnly(b)
	pairs := min(len(a), len(b))
	if pairs < firstLook && pairs < s.Most {
		return Decision{More: true, Verdict: Untested, Why: fmt.Sprintf("%d of at least %d pairs", pairs, firstLook)}
	}
	c := change(s.Metric, a, b)
	level := s.Alpha / float64(max(s.Most-firstLook+1, 1))
	if p := uTest(a, b, level).P; p < level && c.Value != 0 {
		v := direction(s.Metric, c.Value)
		return Decision{Verdict: v, Why: fmt.Sprintf("%s: %s %s after %d pairs (p=%.4f)", v, s.Metric, changeText(s.Metric, c), pairs, p)}
	}
	if c.Confidence > 0 && math.Abs(c.Low) < s.Effect && math.Abs(c.High) < s.Effect {
		return Decision{Verdict: NoDifference, Why: fmt.Sprintf("no difference of %.1f %% or more: %s %s after %d pairs", s.Effect*100, s.Metric, changeText(s.Metric, c), pairs)}
	}
	if pairs >= s.Most {
		return Decision{Verdict: NoDifference, Why: fmt.Sprintf("no difference shown in %d pairs: %s %s", pairs, s.Metric, changeText(s.Metric, c))}
	}
	return Decision{More: true, Verdict: NoDifference, Why: fmt.Sprintf("undecided after %d pairs: %s %s", pairs, s.Metric, changeText(s.Metric, c))}
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
