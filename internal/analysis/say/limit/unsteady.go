package limit

import (
	"math"

	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/text/words"
)

// unsteadyHead is for a rung whose figures show no limit, because its work was not steady.
//
// Needs: “what limits … at … is not shown, because its work was not steady in 2 of 3 trials:
// throughput fell by 30 % …”: most passed trials were not steady, beyond a note; nothing is used up on
// average, and response time grew. “a stall alone breaks … at …: p99 is 4 ms as recorded, within 50
// ms, and 4.88 s with the time that users stood still”: a closed loop; every objective that is missed
// is kept as recorded.
func unsteadyHead(v *model.Variant, r *rung.Rung, d diagnose.Diagnosis, at string) string {
	did := courseText(d.Course.Course)
	if d.Alone {
		return say.F("A stall alone breaks `%s` at %s (%s, in trial %s): %s. So no resource is shown to limit it.", v.Name, at, did, d.Course.Trial, hiddenText(r))
	}
	text := say.F("What limits `%s` at %s is not shown, because its work was not steady in %d of %s: %s.", v.Name, at, d.Trials, say.Count(r.Repetitions, "trial"), did)
	if d.Top != nil {
		text += say.F(" On average the busiest is %s at %s, but a resource can have been saturated for a part of the time.", d.Top.Name, say.ShareText(*d.Top))
	}
	return text
}

// unsteadyClause is the same in the verdict.
func unsteadyClause(d diagnose.Diagnosis) string {
	did := courseText(d.Course.Course)
	if d.Alone {
		return say.F("a stall alone breaks it (%s), so no resource is shown to limit it", did)
	}
	return say.F("what limits it is not shown, because its work was not steady (%s)", did)
}

// hiddenText states a percentile that misses its objective only once the time of a stall is
// counted: "p99 is 4 ms as recorded, within 50 ms, and 4.88 s with the time that users
// stood still".
func hiddenText(r *rung.Rung) string {
	var parts []string
	for _, i := range rung.Broken(r) {
		o := r.Objectives[i]
		parts = append(parts, say.F("%s is %s as recorded, within %s, and %s with the time that users stood still", o.Name(), words.Seconds(o.Recorded), words.Seconds(o.Limit), words.Seconds(o.Value)))
	}
	return say.Join(parts)
}

// courseText describes the unsteady work of a phase in a clause.
func courseText(c steadiness.Unsteadiness) string {
	way, size, long := say.F("rose"), say.Growth(c.Change), words.Seconds(max(1, c.To-c.From))
	if c.Change < 0 {
		way = say.F("fell")
	}
	switch c.Kind {
	case steadiness.Stall:
		if c.Instance != "" {
			return say.F("nothing ended on %s for %s", c.Instance, words.Seconds(c.Still))
		}
		return say.F("nothing ended for %s", words.Seconds(c.Still))
	case steadiness.WarmUp:
		return say.F("%s of the first %s was %s the rest", c.Figure(), words.Seconds(c.To), say.AboveOrBelow(c.Change))
	case steadiness.Drift:
		return say.F("%s %s by %s from the start to the end", c.Figure(), way, size)
	case steadiness.Change:
		return say.F("%s %s by %s after %s, for good", c.Figure(), way, size, words.Seconds(c.From))
	case steadiness.Dip, steadiness.Burst:
		return say.F("%s %s by %s for %s", c.Figure(), way, size, long)
	case steadiness.Wave:
		return say.F("%s swung by %s, once in about %s", c.Figure(), size, words.Seconds(c.Period))
	}
	return say.F("%s %s by %s for %s, %s apart", c.Figure(), way, size, long, words.Seconds(c.Period))
}

// steadyText asks for a measurement of work that is steady.
//
// Needs: Work that was not steady, by its shape.
func steadyText(c steadiness.Unsteadiness) string {
	switch c.Kind {
	case steadiness.Stall:
		return say.F("Find out what stood still then: `plimsoll show` of the trial says when it was, and the servers' logs are stored with it. Then measure this rung again.")
	case steadiness.WarmUp:
		return say.F("Measure this rung again with a warm-up that is longer by %s (phases.warmup).", words.Seconds(math.Ceil(c.To)))
	case steadiness.Drift, steadiness.Change:
		return say.F("Measure this rung again with a longer warm-up (phases.warmup), until %s has settled.", c.Figure())
	}
	return say.F("Measure this rung again with a longer measured phase (phases.measure), to tell what returns from what happens once.")
}
