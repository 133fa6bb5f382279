package grade

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/unit"
)

// longestPhase is the longest that a cure asks for.
const longestPhase = 5 * time.Minute

// Kinds of doubts by what shrinks them. fromOutside come from other work on the machine, fromGuests from other
// guests of its hypervisor; followsOutside come from it or from the run's own work alike: where nothing
// else was seen, a machine that does nothing else would not help.
var (
	fromOutside    = []trust.Kind{trust.Strangers, trust.Background}
	fromGuests     = []trust.Kind{trust.Steal}
	followsOutside = []trust.Kind{trust.DriverLate, trust.StorageDoubt, trust.Memory}
	byLength       = []trust.Kind{trust.ShortPhase, trust.FewUnits}
	// byAccident are those that another run is not expected to have.
	byAccident = []trust.Kind{trust.Missing, trust.Records, trust.Damaged, trust.Clock}
)

// curesOf are the changes that shrink the bound of a figure, with the bound they leave and their time.
func curesOf(s *setup.Subject, a *model.Analysis, d decision) (all []model.Cure) {
	was := d.bound()
	if was.Size() < least {
		return nil
	}
	for _, c := range []*model.Cure{repeated(a, d), longer(s, a, d), quiet(a, d, fromOutside), quiet(a, d, fromGuests), anew(a, d)} {
		if c != nil && d.betterBy(*c) {
			all = append(all, *c)
		}
	}
	return all
}

// muchLess is the largest share of a bound that a cure may leave where the grade stays the same.
const muchLess = 0.75

// betterBy reports whether a cure is worth naming.
func (d decision) betterBy(c model.Cure) bool {
	was := d.bound()
	return !c.Left.Open && (c.To < d.grade() || c.Left.Size() <= muchLess*was.Size())
}

// best is the cure with the greatest gain a minute; nil for none.
func best(all []model.Cure) *model.Cure {
	if len(all) == 0 {
		return nil
	}
	perMinute := func(c model.Cure) float64 { return c.Gain / max(c.Minutes, 0.1) }
	c := slices.MaxFunc(all, func(x, y model.Cure) int { return cmp.Compare(perMinute(x), perMinute(y)) })
	return &c
}

// without is the bound that is left when the doubts of some kinds are shrunk.
func (d decision) without(kinds []trust.Kind, shrunk func(bound.Bound) bound.Bound) bound.Bound {
	left := slices.Clone(d.doubts)
	for i := range left {
		if slices.Contains(kinds, left[i].kind) {
			left[i].bound = shrunk(left[i].bound)
		}
	}
	return summed(left)
}

func (d decision) has(kinds []trust.Kind) bool {
	return slices.ContainsFunc(d.doubts, func(one doubt) bool { return slices.Contains(kinds, one.kind) })
}

func cure(a *model.Analysis, d decision, left bound.Bound, times float64, of []trust.Kind) *model.Cure {
	c := &model.Cure{Left: left, To: left.Grade(), Minutes: minutesOf(a) * times, Of: of}
	if was := d.bound(); was.Open {
		c.Gain = max(0, 1-min(1, left.Size()))
	} else {
		c.Gain = was.Size() - left.Size()
	}
	if d.turned {
		c.To = max(c.To, turnable)
	}
	return c
}

// minutesOf is how long the run took.
func minutesOf(a *model.Analysis) float64 {
	if a.Run.Started.IsZero() || a.Run.Ended.Before(a.Run.Started) {
		return 0
	}
	return a.Run.Ended.Sub(a.Run.Started).Minutes()
}

// repeated is the cure by more repetitions: scatter shrinks as the square root of their number.
func repeated(a *model.Analysis, d decision) *model.Cure {
	kinds := []trust.Kind{trust.OneRepetition}
	now := repetitionsAt(a, d)
	if now == 0 || now >= plan.MostRepeated || !d.has(kinds) {
		return nil
	}
	more := min(plan.MostRepeated, max(3, 2*now))
	times := float64(more) / float64(now)
	c := cure(a, d, d.without(kinds, func(b bound.Bound) bound.Bound {
		return bound.RandomBy(b.TooLow/math.Sqrt(times), b.TooHigh/math.Sqrt(times))
	}), times, kinds)
	c.Set = []string{"repetitions=" + strconv.Itoa(more)}
	return c
}

// repetitionsAt is how many trials each rung of a figure has at least.
func repetitionsAt(a *model.Analysis, d decision) (fewest int) {
	v := a.Variant(d.variant)
	if v == nil {
		return 0
	}
	for _, n := range d.rungs {
		if r := rung.Find(v.Rungs, n); r != nil && r.Repetitions > 0 && (fewest == 0 || r.Repetitions < fewest) {
			fewest = r.Repetitions
		}
	}
	return fewest
}

// anew is the cure by another run, where something befell this one.
func anew(a *model.Analysis, d decision) *model.Cure {
	if !d.has(byAccident) {
		return nil
	}
	return cure(a, d, d.without(byAccident, func(bound.Bound) bound.Bound { return bound.Bound{} }), 1, byAccident)
}

// longer is the cure by a longer phase: both doubts that it shrinks do so as the square root of its
// length, at least.
func longer(s *setup.Subject, a *model.Analysis, d decision) *model.Cure {
	now := s.Study.Phases.Measure.D()
	if now <= 0 || now >= longestPhase || !d.has(byLength) || slices.ContainsFunc(a.Variants, fixed) {
		return nil
	}
	then := min(longestPhase, max(4*now, 30*time.Second).Round(time.Second))
	times := float64(then) / float64(now)
	c := cure(a, d, d.without(byLength, func(b bound.Bound) bound.Bound {
		b.TooLow, b.TooHigh = b.TooLow/math.Sqrt(times), b.TooHigh/math.Sqrt(times)
		return b
	}), 1, byLength)
	c.Minutes += float64(len(a.Trials)) * (then - now).Minutes()
	c.Set = []string{"phases.measure=" + unit.Duration(then).String()}
	return c
}

func fixed(v model.Variant) bool { return v.Work.Fixed }

// quiet is the cure by a machine whose CPU and disks nothing else uses; what follows from that may go with it.
func quiet(a *model.Analysis, d decision, from []trust.Kind) *model.Cure {
	if !d.has(from) {
		return nil
	}
	gone := slices.Concat(from, followsOutside)
	c := cure(a, d, d.without(gone, func(bound.Bound) bound.Bound { return bound.Bound{} }), 1, gone)
	c.Idle, c.Guests = from[0] == fromOutside[0], from[0] == fromGuests[0]
	return c
}
