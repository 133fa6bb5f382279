package family

import (
	"math"
	"sort"

	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/stats"
)

// gate is a condition that does not hold, at the rungs of its metric: it passes or
// is undecided.
type gate struct {
	Condition
	by Terms
	of *Family
}

// margin is the smallest change that needs to be ruled out: the comparison's margin, or the
// limit if that is wider. Shares of errors have only the limit.
func (g gate) margin() float64 {
	switch {
	case g.Metric == "errors":
		return g.Change
	case g.Above:
		return max(g.Change, g.by.Margin)
	}
	return min(g.Change, -g.by.Margin)
}

// farthest is the bound of the change of a rung in the direction of the condition.
func (g gate) farthest(e stats.Estimate) float64 {
	return farEnd(g.of.Change(e, 1-2*g.by.Alpha), g.Above)
}

// worst is the rung whose change may be farthest out; an unrepeated one comes first.
func (g gate) worst() (at int) {
	each := g.of.Contrast.Each
	for i, e := range each {
		if !e.Known() {
			return i
		}
		if (g.farthest(e) > g.farthest(each[at])) == g.Above {
			at = i
		}
	}
	return at
}

func (g gate) passes() bool {
	at := g.of.Contrast.Each[g.worst()]
	inside := at.Known() && (Condition{Above: g.Above, Change: g.margin()}).within(g.farthest(at))
	return inside && g.within(g.meanFarthestOut()) && len(g.of.Doubtful()) == 0
}

// meanFarthestOut is the mean change over the rungs of the variant where it is
// nearest to the limit, or the farthest beyond it.
func (g gate) meanFarthestOut() float64 {
	names, rungs := g.of.Variants()
	most := math.Inf(1)
	if g.Above {
		most = math.Inf(-1)
	}
	for _, name := range names {
		v := g.of.Change(g.of.Contrast.Mean(rungs[name]), stats.Confidence).Value
		if (v > most) == g.Above {
			most = v
		}
	}
	return most
}

// within reports whether a change keeps the limit.
func (f Condition) within(change float64) bool { return !f.beyond(change) }

// pass says why a condition passes.
//
// Needs: A condition, and the interval at every rung; the noise.
func (g gate) pass() string {
	d := g.of.Difference(g.worst(), g.by.Alpha)
	return say.F("%s: passes, since no rung can have changed beyond the margin of %s (at worst %s)", g.Text, g.text(g.margin()), g.by.Phrase(&d))
}

// doubt names the rung at which the trials do not decide, and what would.
func (g gate) doubt() string {
	at := g.worst()
	d := g.of.Difference(at, g.by.Alpha)
	text := say.F("%s: %s", g.Text, g.by.Phrase(&d))
	if failed := g.of.Doubtful(); len(failed) > 0 {
		return say.F("%s; it cannot pass, because %s", text, say.Join(failed))
	}
	if !g.of.Contrast.Each[at].Known() {
		return say.F("%s; nothing was repeated on one side, so a difference cannot be distinguished from chance", text)
	}
	text += say.F("; with %d and %d repetitions it may or may not hold (it passes once no rung can have changed beyond the margin of %s)", d.NA, d.NB, g.text(g.margin()))
	return text + "; " + g.wouldDecide()
}

// wouldDecide says how many repetitions would do, and which margin.
func (g gate) wouldDecide() string {
	text := say.F("more than %d repetitions of each side would be needed", mostRepetitions)
	if n := g.repetitions(); n > 0 {
		text = say.F("about %s of each side would decide (four times out of five)", say.Count(n, "repetition"))
	}
	if g.within(0) {
		text = say.F("if nothing changed, %s", text)
	}
	least := math.Ceil(math.Abs(g.farthest(g.of.Contrast.Each[g.worst()]))*100) / 100
	if g.Metric != "errors" && least < 1 && g.within(g.meanFarthestOut()) && g.within(0) {
		text += say.F("; with a margin of %.0f %% these trials would pass it", least*100)
	}
	return text
}

// mostRepetitions is how many are still advised.
const mostRepetitions = 100

// repetitions is how many of each side would decide the condition at every rung
// with the power of the comparison, if the noise is as it was seen; 0 is more than
// mostRepetitions. Nothing is taken to have changed where that keeps the limit;
// otherwise the change is taken to be as it was measured. What some repetitions decide,
// more do, too: errors shrink and degrees of freedom grow.
func (g gate) repetitions() int {
	const least = 2
	n := least + sort.Search(mostRepetitions-least+1, func(more int) bool { return g.decidedWith(least + more) })
	if n > mostRepetitions {
		return 0
	}
	return n
}

func (g gate) decidedWith(repetitions int) bool {
	missed := (1 - Power) / float64(len(g.of.Rungs))
	for i := range g.of.Contrast.Each {
		e := g.of.Contrast.With(repetitions, i)
		distance := math.Abs(e.Value - g.of.Estimate(g.Change))
		if g.within(0) {
			distance = math.Abs(g.of.Estimate(g.margin()))
		}
		if !e.Shown(distance, g.by.Alpha, 1-missed) {
			return false
		}
	}
	return true
}

// text writes a change: "-3 %", or "+0.1 points" of errors.
func (g gate) text(change float64) string {
	unit := "%"
	if g.Metric == "errors" {
		unit = say.F("points")
	}
	return say.F("%+.3g %s", change*100, unit)
}
