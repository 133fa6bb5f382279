package compare

import (
	"errors"
	"math"
	"slices"

	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/analysis/compare/sides"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/say/warning"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
)

// InShape is the verdict on a run and a published result: absolute figures differ with the
// hardware, so only the shapes are compared.
const InShape family.Verdict = "compared in shape"

// Likeness is one figure of each side, relative to another of the same side.
type Likeness struct {
	VariantA string `json:"variant_a"` // of A
	VariantB string `json:"variant_b"` // of B, that was matched with it
	// At is where it was measured, and To its reference: "8 workers" to "1 worker", or the
	// "best rung" of one variant to another's.
	At string `json:"at"`
	// Rung is the rung of At in B; 0 for the best rung of a variant.
	Rung int `json:"rung,omitempty"`
	// Scaled reports that At is of each side the rung that is as many times its first, To:
	// "16 and 400 streams" to "4 and 100 streams".
	Scaled bool    `json:"scaled,omitempty"`
	To     string  `json:"to"`  // see At
	A      float64 `json:"a"`   // throughput at At over the throughput at To, in A
	B      float64 `json:"b"`   // the same in B
	Off    float64 `json:"off"` // B over A, less 1
	// ResponseA and ResponseB are mean response times at At over those at To; 0 is not
	// known.
	ResponseA float64 `json:"response_a,omitempty"`
	ResponseB float64 `json:"response_b,omitempty"` // see ResponseA
}

// ErrUnlike says that a run and a published result have nothing that could be related.
var ErrUnlike = errors.New("compare: the run and the published result share no two figures that could be related: no two rungs of a variant, and no two variants; variants are matched by name or by the levels of their factors, or named with RUN:VARIANT and reference/NAME:VARIANT")

// inShape holds a run against a published result.
func inShape(a, b sides.Side, ea, eb *trust.Evidence, o Options) (*Comparison, error) {
	if len(o.FailIf) > 0 {
		return nil, errors.New("compare: a published result comes from other hardware, so no condition can hold or fail against it; give --fail-if with two runs of your own")
	}
	all := a.Matching(b, ea, eb)
	c := &Comparison{
		A: a.Name(), B: b.Name(), Noun: setup.Noun(ea), Alpha: o.Alpha, Effect: o.Effect,
		Verdict: InShape, Differs: []string{}, Failed: []string{}, Undecided: []string{}, Differences: []family.Difference{},
		LoadLines: []LinePair{}, Questions: []family.Question{}, Warnings: slices.Concat(ea.Damage, eb.Damage), variants: all,
	}
	if len(all) == 0 {
		return nil, ErrUnlike
	}
	c.Work = trial.ProfileOf(all[0].A)
	c.Unit = c.Work.Unit.Throughput
	if setup.Noun(ea) == setup.Noun(eb) {
		for i := range all {
			c.Shape = append(c.Shape, byRungOf(&all[i], c.Noun)...)
		}
	}
	c.Shape = append(c.Shape, atBest(all)...)
	if len(c.Shape) == 0 {
		return nil, ErrUnlike
	}
	warning.Write(c.Warnings)
	c.Text = c.shapeText()
	c.Apart = c.apart(a, b)
	return c, c.gradeShape(all, ea, eb, o.MinGrade)
}

// gradeShape sets the grades of the trials of both sides.
func (c *Comparison) gradeShape(all []sides.Variant, ea, eb *trust.Evidence, minimum string) error {
	return c.grade(sides.Whole(all), ea, eb, minimum)
}

// byRungOf relates the rungs that both have to the first of them.
func byRungOf(v *sides.Variant, noun string) (all []Likeness) {
	pairs, scaled := relatedOf(v)
	for _, p := range pairs[min(1, len(pairs)):] {
		l := likenessOf(v, p.a, pairs[0].a, p.b, pairs[0].b)
		l.At, l.To, l.Rung, l.Scaled = p.label(noun), pairs[0].label(noun), p.b.Instances, scaled
		all = append(all, l)
	}
	return all
}

// relatedOf are the rungs that both measured. Where those are fewer than two, because one
// side is far smaller, they are those that are as many times the first rung of their own
// side: scaled.
func relatedOf(v *sides.Variant) (pairs []rungPair, scaled bool) {
	pairs = rungPairsOf(v, 1, 1)
	if len(pairs) > 1 {
		return pairs, false
	}
	if others := rungPairsOf(v, first(v.RungsA), first(v.RungsB)); len(others) > 1 {
		return others, true
	}
	return pairs, false
}

// rungPair is a rung of each side.
type rungPair struct{ a, b rung.Rung }

// label is "8 streams", or "8 and 200 streams" where the sides differ.
func (p rungPair) label(noun string) string {
	if p.a.Instances == p.b.Instances {
		return say.Count(p.a.Instances, noun)
	}
	return say.F("%d and %s", p.a.Instances, say.Count(p.b.Instances, noun))
}

// rungPairsOf are the rungs of both sides with throughput that are as many times their units.
func rungPairsOf(v *sides.Variant, unitA, unitB int) (all []rungPair) {
	for _, a := range v.RungsA {
		for _, b := range v.RungsB {
			if a.Instances*unitB == b.Instances*unitA && a.Throughput.Value > 0 && b.Throughput.Value > 0 {
				all = append(all, rungPair{a, b})
			}
		}
	}
	return all
}

// first is the smallest rung.
func first(rungs []rung.Rung) (least int) {
	for i, r := range rungs {
		if i == 0 || r.Instances < least {
			least = r.Instances
		}
	}
	return least
}

// atBest relates the best rung of each variant to its base's. It does so per drive where
// both sides know the number of drives of every variant, and per rated throughput where a
// side has drives of several known ratings.
func atBest(all []sides.Variant) (out []Likeness) {
	able := slices.DeleteFunc(slices.Clone(all), func(v sides.Variant) bool {
		return best(v.RungsA).Throughput.Value <= 0 || best(v.RungsB).Throughput.Value <= 0
	})
	perDrive := !slices.ContainsFunc(able, func(v sides.Variant) bool { return drives(v.A) == 0 || drives(v.B) == 0 })
	ratedA := ratedApart(able, func(v sides.Variant) []*result.Trial { return v.A })
	ratedB := ratedApart(able, func(v sides.Variant) []*result.Trial { return v.B })
	for i := range able {
		v, base := &able[i], baseOf(able, i)
		if base == nil {
			continue
		}
		l := likenessOf(v, best(v.RungsA), best(base.RungsA), best(v.RungsB), best(base.RungsB))
		l.At, l.To = say.F("best rung"), say.F("that of `%s`", base.A[0].Variant.Name)
		if perDrive {
			l.At = say.F("best rung, per drive")
			if ratedA || ratedB {
				l.At = say.F("best rung, for what the drives are rated")
			}
			l.A *= behind(base.A, ratedA) / behind(v.A, ratedA)
			l.B *= behind(base.B, ratedB) / behind(v.B, ratedB)
			l.Off = stats.Ratio(l.B, l.A) - 1
		}
		l.ResponseA, l.ResponseB = 0, 0 // at different rungs
		out = append(out, l)
	}
	return out
}

// drives are those behind the storage of a variant's trials; 0 is not known.
func drives(trials []*result.Trial) float64 { return float64(trials[0].Storage().Drives) }

// ratedApart reports whether the drives of all variants of a side have a rating, and not
// all the same.
func ratedApart(all []sides.Variant, side func(sides.Variant) []*result.Trial) (apart bool) {
	for _, v := range all {
		rated := side(v)[0].Storage().Rated
		if rated == 0 {
			return false
		}
		apart = apart || rated != side(all[0])[0].Storage().Rated
	}
	return apart
}

// behind is how many drives are behind the storage of a variant's trials or, rated, what all of
// them are rated for, in bytes/s.
func behind(trials []*result.Trial, rated bool) float64 {
	if rated {
		return drives(trials) * float64(trials[0].Storage().Rated)
	}
	return drives(trials)
}

// baseOf is the reference of a variant: the first that differs from it in one factor and
// has another published figure, or else the first of all; nil for that one itself. For
// figures that are shares of another variant's, it is the one at 100.
func baseOf(all []sides.Variant, at int) *sides.Variant {
	own, rungs := publishedOf(&all[at])
	ofOthers := own[0].Profile.Unit.Relative
	if ofOthers && isHundred(rungs) {
		return nil
	}
	for i := range all {
		theirs, rungs := publishedOf(&all[i])
		able := i < at
		if ofOthers {
			able = isHundred(rungs)
		}
		if able && theirs[0].Variant.Name != own[0].Variant.Name && differingLevels(all[i].A[0].Variant.Factors, all[at].A[0].Variant.Factors) == 1 {
			return &all[i]
		}
	}
	if first, _ := publishedOf(&all[0]); !ofOthers && first[0].Variant.Name != own[0].Variant.Name {
		return &all[0]
	}
	return nil
}

// publishedOf is the side that is.
func publishedOf(v *sides.Variant) ([]*result.Trial, []rung.Rung) {
	if trial.Published(v.A[0]) {
		return v.A, v.RungsA
	}
	return v.B, v.RungsB
}

// isHundred reports whether others are given as shares of this.
func isHundred(rungs []rung.Rung) bool { return math.Abs(best(rungs).Throughput.Value-100) < 0.1 }

func differingLevels(a, b map[string]string) (n int) {
	for path, level := range a {
		if b[path] != level {
			n++
		}
	}
	return n
}

// best is the rung with the highest throughput; an empty one if there is none.
func best(rungs []rung.Rung) (most rung.Rung) {
	for _, r := range rungs {
		if r.Throughput.Value > most.Throughput.Value {
			most = r
		}
	}
	return most
}

func likenessOf(v *sides.Variant, a, toA, b, toB rung.Rung) Likeness {
	l := Likeness{
		VariantA: v.A[0].Variant.Name, VariantB: v.B[0].Variant.Name,
		A: stats.Ratio(a.Throughput.Value, toA.Throughput.Value), B: stats.Ratio(b.Throughput.Value, toB.Throughput.Value),
		ResponseA: stats.Ratio(a.Mean.Value, toA.Mean.Value), ResponseB: stats.Ratio(b.Mean.Value, toB.Mean.Value),
	}
	l.Off = stats.Ratio(l.B, l.A) - 1
	if l.ResponseA == 0 || l.ResponseB == 0 {
		l.ResponseA, l.ResponseB = 0, 0
	}
	return l
}

// alike is by how much two relative figures may differ and still be called alike.
const alike = 0.1

// shapeText states how many ratios are alike, and which is furthest off.
//
// Needs: Two variants or rungs that both sides have.
func (c *Comparison) shapeText() string {
	near, worst := 0, c.Shape[0]
	for _, l := range c.Shape {
		if math.Abs(l.Off) <= alike {
			near++
		}
		if math.Abs(l.Off) > math.Abs(worst.Off) {
			worst = l
		}
	}
	text := say.F("Compared in shape, because one side is published and comes from other hardware: every figure is relative to another of its own side. %d of %s lie within %s of each other.",
		near, say.Count(len(c.Shape), "ratio"), words.Percent(alike))
	if slices.ContainsFunc(c.Shape, func(l Likeness) bool { return l.Scaled }) {
		text += say.F(" The two share no two rungs, so rungs that are as many times the first of their own side are compared; that first one need not be as near to the limit on both sides.")
	}
	if near == len(c.Shape) {
		return text
	}
	return say.F("%s They lie furthest apart for `%s` and `%s`: %s against %s does %s times with `%s` and %s times with `%s`.",
		text, worst.VariantA, worst.VariantB, worst.At, worst.To, words.Figures(worst.A), c.A, words.Figures(worst.B), c.B)
}
