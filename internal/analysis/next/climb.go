package next

import (
	"slices"

	"plimsoll/internal/analysis/say"
	"plimsoll/internal/text/words"
)

// climb measures the rungs in order, each as often as it is to be repeated, and ends with the
// first that breaks an objective or does no more in all than the one before (SPEC,
// "SPECvirt Datacenter 2021 Run and Reporting Rules": tiles are added until one more fails the
// quality of service or adds nothing).
func (q Query) climb(asked []Rung) Step {
	var before *Rung
	for _, rung := range q.Rungs {
		if q.To > 0 && rung > q.To {
			break
		}
		at := slices.IndexFunc(asked, func(r Rung) bool { return r.Rung == rung })
		if at < 0 {
			return Step{Rung: rung, Repetition: 1, Why: climbed(before)}
		}
		r := &asked[at]
		switch {
		case r.Trials < max(1, q.Repetitions):
			return Step{Rung: rung, Repetition: r.Trials + 1, Why: say.F("repeat %d", rung)}
		case !r.Met:
			return done(say.F("%d did not meet the objectives", rung))
		case before != nil && r.Score > 0 && r.Score <= before.Score:
			return done(say.F("%d did not raise the score: %s after %s at %d", rung, words.Figures(r.Score), words.Figures(before.Score), before.Rung))
		}
		before = r
	}
	return done(say.F("every rung of the ladder was measured"))
}

// climbed says why the next rung is measured.
func climbed(before *Rung) string {
	if before == nil {
		return say.F("the first rung")
	}
	return say.F("%d met the objectives", before.Rung)
}
