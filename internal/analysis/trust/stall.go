package trust

import (
	"math"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/host/caught"
	"plimsoll/internal/result"
)

// correct gives the trials of closed loops that stood still the response times that the
// stall hid.
func (e *Evidence) correct() {
	found := make([]steadiness.Stalls, len(e.Run.Trials))
	caught.Each(len(found), func(i int) { found[i] = e.hiding(e.Run.Trials[i]) })
	for i, t := range e.Run.Trials {
		if len(found[i].Gaps) == 0 {
			continue
		}
		e.stalled[t.ID] = found[i]
		if whole := e.Whole(t); whole == t {
			e.Run.Trials[i] = found[i].Correct(t)
		} else {
			e.Run.Trials[i] = whole.Shed()
		}
	}
}

// Corrected is a trial of a run with the response times that stalls hid from the users of
// a closed loop, and the trial itself where they hid none.
func Corrected(run *result.Run, t *result.Trial) *result.Trial {
	e := &Evidence{Run: run}
	if s := e.hiding(t); len(s.Gaps) > 0 {
		return s.Correct(t)
	}
	return t
}

// hiding finds the stalls of a trial that hid something: of a closed loop, with
// a user who waited.
func (e *Evidence) hiding(t *result.Trial) steadiness.Stalls {
	o := t.Whole()
	if t.Status != result.Passed || !steadiness.Closed(t) || max(o.Max, o.Oldest) < max(1, 5*o.P50) {
		return steadiness.Stalls{}
	}
	c, ok := steadiness.CourseOf(e.Run, t)
	if !ok || !c.StoodStill(o.P50) {
		return steadiness.Stalls{}
	}
	return steadiness.StallsOf(e.Run, c, e.Whole(t)) // by its histograms, which need not be read for all others
}

// doubtStalls says for how long nothing ended and what that means for the figures.
func doubtStalls(s steadiness.Stalls, t *result.Trial) []Warning {
	if len(s.Gaps) == 0 {
		return nil
	}
	waited := due(s, t)
	if steadiness.Closed(t) {
		waited = steadiness.WaitedFor(t.Whole(), s.Shortest())
	}
	return unsteady(s.Unsteady(waited), byLevel(s.Lost(), 0, 0.01, 0.05), StallWhole, stood(s), underWay(s, t), hid(t))
}

// stood says when nothing ended: for 5 s (42 % of the phase), from 4 s into it on.
func stood(s steadiness.Stalls) Arg {
	who := Because(Stall, StallAll)
	if s.Instance != "" {
		who = Because(Stall, StallInstance, Name(s.Instance))
	}
	longest, share := s.Longest(), Share(min(1, s.Total()/float64(s.Seconds)))
	if len(s.Gaps) == 1 {
		return Because(Stall, StallOnce, who, Seconds(longest.Length), share, place(s, longest))
	}
	often := Because(Stall, StallOften, who, Seconds(s.Total()), Count(len(s.Gaps)), share, Seconds(longest.Length), place(s, longest))
	if period, even := steadiness.Period(s.Gaps); even {
		return Because(Stall, StallEven, often, Seconds(period))
	}
	return often
}

func place(s steadiness.Stalls, g steadiness.Gap) Arg {
	switch {
	case g.To() >= s.Seconds:
		return Because(Stall, StallToEnd)
	case g.From == 0:
		return Because(Stall, StallFromStart)
	}
	return Because(Stall, StallFrom, Seconds(float64(g.From)))
}

// underWay says what waited in the stalls.
func underWay(s steadiness.Stalls, t *result.Trial) Arg {
	if n := due(s, t); n > 0 {
		return Because(Stall, StallDue, counted(n, t))
	}
	waited := steadiness.WaitedFor(t.Whole(), s.Shortest())
	if waited == 0 {
		return Because(Stall, StallNobody, Name(t.Profile.Unit.Name))
	}
	return Because(Stall, StallUnderWay, counted(waited, t))
}

// due is how many units of work were asked for in the stalls of an open loop; 0 where
// that is not known.
func due(s steadiness.Stalls, t *result.Trial) int64 {
	if steadiness.Closed(t) {
		return 0
	}
	return int64(math.Round(trial.Offered(t) * s.Lost()))
}

// hid says what the stall did to the response times.
func hid(t *result.Trial) Arg {
	o := t.Whole()
	switch {
	case !steadiness.Closed(t):
		return Because(Stall, StallIncluded)
	case o.Corrected == nil:
		return Because(Stall, StallHidden)
	}
	return Because(Stall, StallCorrected, Seconds(o.P99), Seconds(o.Corrected.P99))
}

// doubtMissing says what of the phase has no records.
func doubtMissing(c steadiness.Course, t *result.Trial) []Warning {
	missing, length := float64(c.Missing), float64(len(c.Done))
	if missing == 0 {
		missing = length * steadiness.Uncounted(t)
	}
	if missing == 0 {
		return nil
	}
	share := missing / length
	w := Warn(Records, byLevel(share, 0, 0, 0.05), RecordsMissing, Seconds(math.Ceil(missing)), Seconds(length), Share(share))
	return []Warning{w.By(bound.Either(share))}
}
