package trust

import (
	"math"

	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/host/caught"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
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
func doubtStalls(c steadiness.Course, s steadiness.Stalls, t *result.Trial) []Warning {
	if len(s.Gaps) == 0 {
		return nil
	}
	waited := due(s, t)
	if steadiness.Closed(t) {
		waited = steadiness.WaitedFor(t.Whole(), s.Shortest())
	}
	w := unsteady(s.Unsteady(waited), byLevel(s.Lost(), 0, 0.01, 0.05), "%s; %s%s", stallText(s), underWay(s, t), hid(t))
	w[0].Without = lostIn(c, s, t)
	return w
}

// aftermath is the part of a stall's length for which it may slow down later work, while
// caches fill and the waiting users all come at once.
const aftermath = 0.5

// lostIn bounds the effect of stalls on the response times of a closed loop: units that
// waited through one, or ended in its aftermath, may have been slow because of it. It also
// records whether the times judged by objectives include the stall; in an open loop they
// do.
func lostIn(c steadiness.Course, s steadiness.Stalls, t *result.Trial) *DoubtBound {
	if !steadiness.Closed(t) {
		return &DoubtBound{Units: math.MaxInt64, Shown: true}
	}
	users, ended := t.Variant.Load.Users*t.Profile.Together(), s.Units
	if s.Instance == "" {
		users, ended = users*max(1, t.Ran()), c.Ended
	}
	lost := &DoubtBound{Shown: t.Whole().Corrected != nil}
	for _, g := range s.Gaps {
		lost.Units += int64(users)
		for at := g.From; at < min(len(ended), g.To()+int(math.Ceil(aftermath*g.Length))); at++ {
			if !math.IsNaN(ended[at]) {
				lost.Units += int64(ended[at])
			}
		}
	}
	return lost
}

// stallText says when nothing ended: "nothing ended for 5 s (42 % of the phase), from 4 s
// into it on".
func stallText(s steadiness.Stalls) words.Phrase {
	what := "nothing ended"
	if s.Instance != "" {
		what += " on " + s.Instance
	}
	longest := s.Longest()
	share := percent(min(1, s.Total()/float64(s.Seconds)))
	if len(s.Gaps) == 1 {
		return words.Say("%s for %s (%s of the phase), %s", what, seconds(longest.Length), share, place(s, longest))
	}
	text := words.Say("%s for %s in %d stalls (%s of the phase), the longest of %s %s", what, seconds(s.Total()), len(s.Gaps), share, seconds(longest.Length), place(s, longest))
	if period, even := steadiness.Period(s.Gaps); even {
		text = words.Say("%s; they come every %s", text, seconds(period))
	}
	return text
}

func place(s steadiness.Stalls, g steadiness.Gap) words.Phrase {
	switch {
	case g.To() >= s.Seconds:
		return words.Say("up to its end")
	case g.From == 0:
		return words.Say("from its beginning on")
	}
	return words.Say("from %d s into it on", g.From)
}

// underWay says what waited in the stalls.
func underWay(s steadiness.Stalls, t *result.Trial) words.Phrase {
	if n := due(s, t); n > 0 {
		return words.Say("about %s fell due then", counted(n, t))
	}
	waited := steadiness.WaitedFor(t.Whole(), s.Shortest())
	if waited == 0 {
		return words.Say("no %s is recorded to have waited so long", t.Profile.Unit.Name)
	}
	return words.Say("%s %s under way then", counted(waited, t), were(waited))
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
func hid(t *result.Trial) words.Phrase {
	o := t.Whole()
	switch {
	case !steadiness.Closed(t):
		return words.Say("; response times count from when work was due and include it")
	case o.Corrected == nil:
		return words.Say("; the users of a closed loop begin nothing meanwhile, so percentiles hide it")
	}
	return words.Say("; the users of a closed loop begin nothing meanwhile: p99 is %s as recorded and %s corrected for that (coordinated omission), and objectives are held against the corrected figures",
		seconds(o.P99), seconds(o.Corrected.P99))
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
	return warn("records", byLevel(missing/length, 0, 0, 0.05), "records missing: %.0f of %.0f s of the measured phase (%s) have none, or not all; throughput is too low by about as much, and what happened then is unknown",
		math.Ceil(missing), length, percent(missing/length))
}
