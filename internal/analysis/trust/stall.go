package trust

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"plimsoll/internal/analysis/parallel"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/steady"
	"plimsoll/internal/result"
	"plimsoll/internal/words"
)

// stalls are the times in a trial's measured phase in which nothing ended.
type stalls struct {
	gaps     []steady.Gap // of all instances
	instance string       // that stood still alone, empty for all
	of       int          // how many instances there are
	seconds  int          // of the phase
}

// stallsOf finds where all instances stood still, or else the one that did longest.
func stallsOf(c course, t *result.Trial) stalls {
	s := stalls{gaps: gapsOf(c.ended, t, 1), of: max(1, t.Rung), seconds: len(c.ended)}
	if len(s.gaps) > 0 {
		return s
	}
	for _, name := range slices.Sorted(maps.Keys(c.instances)) {
		gaps := gapsOf(c.instances[name], t, s.of)
		if one := (stalls{gaps: gaps, instance: name, of: s.of, seconds: s.seconds}); one.total() > s.total() {
			s = one
		}
	}
	return s
}

// stoodStill says that there may have been a stall: hardly anything ended in some second, on
// all instances or on one.
func (c course) stoodStill(usual float64) bool {
	still := func(rate []float64) bool { return len(steady.Gaps(rate, usual))+len(steady.Breaks(rate)) > 0 }
	return still(c.ended) || slices.ContainsFunc(slices.Collect(maps.Values(c.instances)), still)
}

// gapsOf finds when nothing ended of what so many instances share: whole seconds, and
// breaks of less than two where somebody waited as long.
func gapsOf(rate []float64, t *result.Trial, instances int) []steady.Gap {
	gaps := steady.Gaps(rate, t.Whole().P50)
	for _, b := range steady.Breaks(rate) {
		if waitedThrough(b, t, instances) {
			gaps = append(gaps, b)
		}
	}
	slices.SortFunc(gaps, func(a, b steady.Gap) int { return cmp.Compare(a.From, b.From) })
	return refined(gaps, t)
}

// waitedThrough says that a break was a stall: as many units of work took about as long as
// would have been under way. One that was slow for a reason of its own is fewer.
func waitedThrough(b steady.Gap, t *result.Trial, instances int) bool {
	o, due := t.Whole(), b.Lost
	if o.Max < max(1, 5*o.P50) {
		return false
	}
	if users := float64(t.Variant.Load.Users * t.Profile.Together() * max(1, t.Rung)); closed(t) && users > 0 {
		due = min(due, users/float64(instances))
	}
	const wider = 1.2 // of the longest that a break may have been, in s
	waited := waitedFor(o, b.Least()) - waitedFor(o, b.Length+wider)
	return float64(waited) >= max(1, 0.1*due)
}

// refined takes for the length of a gap the longest response time, where that is as
// long within the two seconds that a gap of whole seconds leaves open.
func refined(gaps []steady.Gap, t *result.Trial) []steady.Gap {
	longest := max(t.Whole().Max, t.Whole().Oldest)
	for i, g := range gaps {
		least, most := float64(g.Seconds), float64(g.Seconds)+2
		if g.Partial {
			least, most = 0.9*g.Length, min(g.Length+1, 2)
		}
		if longest >= least && longest <= most {
			gaps[i].Length = math.Round(10*longest) / 10
		}
	}
	return gaps
}

// total is how long nothing ended in all, s.
func (s stalls) total() (sum float64) {
	for _, g := range s.gaps {
		sum += g.Length
	}
	return sum
}

// all are the gaps of all instances.
func (s stalls) all() []steady.Gap {
	if s.instance != "" {
		return nil
	}
	return s.gaps
}

func (s stalls) longest() steady.Gap {
	return slices.MaxFunc(s.gaps, func(a, b steady.Gap) int { return cmp.Compare(a.Length, b.Length) })
}

// shortest is the fewest seconds that who waited through one of them has waited.
func (s stalls) shortest() float64 {
	return slices.MinFunc(s.gaps, func(a, b steady.Gap) int { return cmp.Compare(a.Least(), b.Least()) }).Least()
}

// lost is the share of the users' time that they stood still for.
func (s stalls) lost() float64 {
	share := stats.Ratio(s.total(), float64(s.seconds))
	if s.instance != "" {
		share /= float64(s.of)
	}
	return min(share, 1)
}

// closed says that users begin a unit of work when the one before has ended.
func closed(t *result.Trial) bool { return !t.OpenLoop && t.Variant.Load.Rate == 0 }

// correct gives the trials of closed loops that stood still the response times that the
// stall hid.
func (e *Evidence) correct() {
	found := make([]stalls, len(e.Run.Trials))
	parallel.Do(len(found), func(i int) { found[i] = e.hiding(e.Run.Trials[i]) })
	for i, t := range e.Run.Trials {
		if len(found[i].gaps) == 0 {
			continue
		}
		e.stalled[t.ID] = found[i]
		if whole := e.Whole(t); whole == t {
			e.Run.Trials[i] = corrected(t, found[i])
		} else {
			e.Run.Trials[i] = whole.Shed()
		}
	}
}

// Corrected is a trial of a run with the response times that stalls hid from the users of
// a closed loop, and the trial itself where they hid none.
func Corrected(run *result.Run, t *result.Trial) *result.Trial {
	e := &Evidence{Run: run}
	if s := e.hiding(t); len(s.gaps) > 0 {
		return corrected(t, s)
	}
	return t
}

// hiding finds the stalls of a trial that hid something: of a closed loop, with
// somebody who waited.
func (e *Evidence) hiding(t *result.Trial) stalls {
	o := t.Whole()
	if t.Status != result.Passed || !closed(t) || max(o.Max, o.Oldest) < max(1, 5*o.P50) {
		return stalls{}
	}
	c, ok := e.courseOf(t)
	if !ok || !c.stoodStill(o.P50) {
		return stalls{}
	}
	return stallsOf(c, e.Whole(t)) // by its histograms, which need not be read for all others
}

// corrected is the trial with corrected response times. The expected interval of an
// operation is the users' time outside the stall over how often it was done.
func corrected(t *result.Trial, s stalls) *result.Trial {
	out := *t
	out.Operations = maps.Clone(t.Operations)
	time := t.UserSeconds() * (1 - s.lost())
	for name, o := range out.Operations {
		o.Corrected = o.Correct(stats.Ratio(time, float64(o.Count+o.RolledBack)), s.shortest())
		out.Operations[name] = o
	}
	return &out
}

// doubt says for how long nothing ended and what that means for the figures.
func (s stalls) doubt(t *result.Trial) []Warning {
	if len(s.gaps) == 0 {
		return nil
	}
	severity := byLevel(s.lost(), 0, 0.01, 0.05)
	return warn("stall", severity, "%s; %s%s", s.text(), s.underWay(t), s.hid(t))
}

// text says when nothing ended: "nothing ended for 5 s (42 % of the phase), from 4 s
// into it on".
func (s stalls) text() string {
	what := "nothing ended"
	if s.instance != "" {
		what += " on " + s.instance
	}
	longest := s.longest()
	share := words.Percent(min(1, s.total()/float64(s.seconds)))
	if len(s.gaps) == 1 {
		return fmt.Sprintf("%s for %s (%s of the phase), %s", what, words.Seconds(longest.Length), share, s.place(longest))
	}
	text := fmt.Sprintf("%s for %s in %d stalls (%s of the phase), the longest of %s %s", what, words.Seconds(s.total()), len(s.gaps), share, words.Seconds(longest.Length), s.place(longest))
	if period, even := steady.Period(s.gaps); even {
		text += fmt.Sprintf("; they come every %s", words.Seconds(period))
	}
	return text
}

func (s stalls) place(g steady.Gap) string {
	switch {
	case g.To() >= s.seconds:
		return "up to its end"
	case g.From == 0:
		return "from its beginning on"
	}
	return fmt.Sprintf("from %d s into it on", g.From)
}

// underWay says what waited in the stalls.
func (s stalls) underWay(t *result.Trial) string {
	if due := s.due(t); due > 0 {
		return fmt.Sprintf("about %s fell due then", counted(due, t))
	}
	waited := waitedFor(t.Whole(), s.shortest())
	if waited == 0 {
		return fmt.Sprintf("no %s is recorded to have waited so long", t.Profile.Unit.Name)
	}
	return fmt.Sprintf("%s %s under way then", counted(waited, t), were(waited))
}

// due is how many units of work were asked for in the stalls of an open loop; 0 where
// that is not known.
func (s stalls) due(t *result.Trial) int64 {
	if closed(t) {
		return 0
	}
	return int64(math.Round(offered(t) * s.lost()))
}

// waitedFor counts the units of work that took so many seconds or longer; those that had
// not ended are among them, once they took longer than others.
func waitedFor(o result.OperationSummary, least float64) (n int64) {
	_ = result.EachBucket(o.Histogram, func(seconds float64, count int64) { // what cannot be read is said by others
		if seconds >= 0.99*least {
			n += count
		}
	})
	return n
}

// hid says what the stall did to the response times.
func (s stalls) hid(t *result.Trial) string {
	o := t.Whole()
	switch {
	case !closed(t):
		return "; response times count from when work was due and include it"
	case o.Corrected == nil:
		return "; the users of a closed loop begin nothing meanwhile, so percentiles hide it"
	}
	return fmt.Sprintf("; the users of a closed loop begin nothing meanwhile: p99 is %s as recorded and %s corrected for that (coordinated omission), and objectives are held against the corrected figures",
		words.Seconds(o.P99), words.Seconds(o.Corrected.P99))
}

// doubtMissing says what of the phase has no records.
func (c course) doubtMissing(t *result.Trial) []Warning {
	missing, length := float64(c.missing), float64(len(c.done))
	if missing == 0 {
		missing = length * uncounted(t)
	}
	if missing == 0 {
		return nil
	}
	return warn("records", byLevel(missing/length, 0, 0, 0.05), "records missing: %.0f of %.0f s of the measured phase (%s) have none, or not all; throughput is too low by about as much, and what happened then is unknown",
		math.Ceil(missing), length, words.Percent(missing/length))
}

// uncounted is which share of the work that the instances counted is not in the records
// of the seconds.
func uncounted(t *result.Trial) float64 {
	const most = 0.15 // results of other origin are not so exact
	sum := 0.0
	for _, i := range t.Instances {
		sum += float64(i.Count)
	}
	if share := 1 - stats.Ratio(float64(t.Whole().Count), sum); sum > 0 && share > most {
		return share
	}
	return 0
}
