package analysis

import (
	"math"
	"slices"
	"strings"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/price"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/say/limit"
	"plimsoll/internal/analysis/say/verdict"
	"plimsoll/internal/analysis/say/warning"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// ofAlone analyses what was measured of each member without the others, by its name. Nothing is
// decided by it, so that it refuses no verdict.
func ofAlone(whole *result.Run, running bool) map[string]*Analysis {
	all := map[string]*Analysis{}
	for _, m := range whole.Alone() {
		all[m.Member()], _ = ofMember(m, Options{Running: running})
	}
	return all
}

// joined is one analysis of all members; its variants are the members'. An application
// without a name has nothing to be joined with.
func joined(whole *result.Run, members []*result.Run, all []*Analysis, alone map[string]*Analysis) *Analysis {
	if members[0].Member() == "" {
		return all[0]
	}
	a := *all[0]
	a.Variants, a.Verdict, a.Findings, a.Warnings, a.Trials, a.Pairs, a.Settings = []Variant{}, []Sentence{}, []Finding{}, []trust.Warning{}, nil, nil, nil
	a.Answers, a.Ranking, a.Prices, a.Beside, a.Parts, a.Caveats = nil, nil, nil, notesOf(all), nil, nil
	a.Study.Objectives, a.Study.Dataset, a.Study.Parts = []study.Objective{}, "", whole.Plan.Study.Asks().Parts
	a.Tiles = tilesOf(whole, members, all, alone)
	var workloads, units []string
	for _, t := range a.Tiles {
		a.Answers = append(a.Answers, verdict.TileAnswers(t)...)
	}
	a.Findings = append(a.Findings, requestsOf(members, all, a.Tiles)...)
	for i, one := range all {
		addMember(&a, one, members[i].Member())
		addAlone(&a, alone[members[i].Member()])
		workloads = append(workloads, one.Study.Workload)
		if !slices.Contains(units, one.Study.Unit) {
			units = append(units, one.Study.Unit)
		}
	}
	var unpriced []trust.Warning
	a.Prices, unpriced = tilePrices(a.Tiles, whole.Plan)
	a.Warnings = withWarnings(a.Warnings, unpriced)
	a.Findings = append(a.Findings, say.PriceFindings(a.Prices)...)
	a.Answers = append(a.Answers, verdict.PriceAnswers(a.Prices, whole.Plan.Noun())...)
	a.ResourceKinds = kindsOf(a.Variants)
	warning.Write(a.Warnings)
	answer := verdict.Answer(&a)
	a.Headline, a.Parts, a.Caveats = answer.Headline, answer.Parts, answer.Caveats
	a.Study.Workload = say.Join(workloads)
	a.Study.Unit = strings.Join(units, ", ")
	return &a
}

// tilePrices relates the bill of each variant of the study to the tiles that it carries.
func tilePrices(tiles []Tile, p *plan.Plan) (*price.Prices, []trust.Warning) {
	if p.Study.Prices == nil {
		return nil, nil
	}
	var measured []price.Capacity
	for n, t := range tiles {
		c := price.Capacity{
			Name: t.Variant, Factors: p.Variants[n].Factors, Throughput: float64(t.Rung), At: t.Rung,
			LoadLine: float64(t.Rung), Open: t.Next == 0, Low: float64(t.Rung), High: float64(t.Next - 1),
		}
		if c.Open {
			c.High = math.Inf(1)
		}
		measured = append(measured, c)
	}
	noun := p.Noun()
	return pricesOf(p.Study.Prices, measured, describe.Unit{Name: noun, Plural: noun + "s", Throughput: noun}, noun)
}

// notesOf are those on the study's published results. Their curves do not apply: they
// count tiles, and ours count the instances of each member. Nil if there are no notes.
func notesOf(all []*Analysis) *PublishedComparison {
	for _, one := range all {
		if b := one.Beside; b != nil && len(b.Notes) > 0 {
			return &PublishedComparison{Name: b.Name, Source: b.Source, Notes: b.Notes}
		}
	}
	return nil
}

// requestsOf says what the members of tiles asked of the disks together, where the tiles end. It
// is the same in the trials of each.
func requestsOf(members []*result.Run, all []*Analysis, tiles []Tile) (findings []Finding) {
	for n, t := range tiles {
		first := tileMember{run: members[0], variant: &all[0].Variants[n]}
		for _, count := range []int{t.Next, t.Rung} {
			at := first.at(count)
			if at == nil || at.Requests == nil {
				continue
			}
			f := limit.RequestsAt(t.Variant, say.Count(count, "tile"), *at.Requests)
			f.Trials = at.Trials
			findings = append(findings, f)
			break
		}
	}
	return findings
}

// addMember adds the analysis of a member.
func addMember(a *Analysis, one *Analysis, member string) {
	for _, o := range one.Study.Objectives {
		o.Operation = strings.TrimSpace(member + " " + o.Operation)
		o.Text = member + ": " + o.Text
		a.Study.Objectives = append(a.Study.Objectives, o)
	}
	for _, f := range one.Findings {
		if f.Kind == model.RequestsFinding {
			continue // all members asked for them together; see requestsOf
		}
		f.ID = study.Of(member, f.ID)
		a.Findings = append(a.Findings, f)
	}
	for _, answer := range one.Answers {
		answer.Question = member + ": " + answer.Question
		a.Answers = append(a.Answers, answer)
	}
	for _, s := range one.Settings {
		if s.Name = study.PathOf(member, s.Name); !slices.ContainsFunc(a.Settings, func(have Setting) bool { return have.Name == s.Name }) {
			a.Settings = append(a.Settings, s)
		}
	}
	a.Warnings = withWarnings(a.Warnings, one.Warnings)
	for _, v := range one.Variants {
		v.Label += ", " + member
		a.Variants, a.Ranking = append(a.Variants, v), append(a.Ranking, v.Name)
	}
	a.Verdict, a.Trials, a.Pairs = append(a.Verdict, one.Verdict...), append(a.Trials, one.Trials...), append(a.Pairs, one.Pairs...)
	if one.Grade > a.Grade {
		a.Grade, a.GradeReason, a.Bound = one.Grade, one.GradeReason, one.Bound
	}
}

// addAlone adds the trials of a member without the others, and their doubts; nil is none.
// Their grades do not count in the run's grade, because its verdict is about tiles.
func addAlone(a *Analysis, one *Analysis) {
	if one == nil {
		return
	}
	a.Warnings = withWarnings(a.Warnings, one.Warnings)
	a.Trials = append(a.Trials, one.Trials...)
}

// withWarnings adds those that are not there yet.
func withWarnings(warnings, more []trust.Warning) []trust.Warning {
	all := slices.Clip(warnings)
	for _, w := range more {
		if !slices.ContainsFunc(all, w.Same) {
			all = append(all, w)
		}
	}
	return all
}

// tilesOf finds how many tiles each variant of the study carries.
func tilesOf(whole *result.Run, members []*result.Run, all []*Analysis, alone map[string]*Analysis) []Tile {
	var references []model.TileReference
	tiles := make([]Tile, len(whole.Plan.Variants))
	for n, v := range whole.Plan.Variants {
		var ofMembers []tileMember
		for i, m := range members {
			own := m.Plan.Variants[n]
			at := slices.IndexFunc(all[i].Variants, func(v Variant) bool { return v.Name == own.Name })
			ofMembers = append(ofMembers, tileMember{
				m, all[i].Study, &all[i].Variants[at], passedOf(m, &all[i].Variants[at]), own.Load, rungAlone(alone[m.Member()], own.Name),
			})
		}
		tiles[n] = tileOf(v.Name, ofMembers, references)
		if references == nil { // scores of all variants are relative to the same
			references = tiles[n].References
		}
	}
	return tiles
}

// tileMember is a variant of a member, in the analysis of that member.
type tileMember struct {
	run     *result.Run
	study   StudyInfo
	variant *Variant
	trials  []*result.Trial // of the variant that count and passed, whole
	load    study.Load
	alone   *rung.Rung // what was measured without the others; nil for nothing
}

// rungAlone is what a member does without the others; nil where that was not measured.
func rungAlone(a *Analysis, variant string) *rung.Rung {
	if a == nil {
		return nil
	}
	for _, v := range a.Variants {
		if v.Name == variant {
			return rung.First(v.Rungs)
		}
	}
	return nil
}

// at is what came of its instances in so many tiles; nil where that was not measured.
func (m tileMember) at(tiles int) *rung.Rung {
	for i := range m.variant.Rungs {
		if r := &m.variant.Rungs[i]; m.run.TilesOf(r.Instances) == tiles {
			return r
		}
	}
	return nil
}

// tileOf goes up the rungs until a member misses its objectives. The references are another
// variant's; nil uses its own.
func tileOf(name string, members []tileMember, references []model.TileReference) Tile {
	t := Tile{Variant: name}
	for _, m := range members {
		t.Members = append(t.Members, m.variant.Name)
	}
	var why []string // of those that are broken
	for _, r := range members[0].variant.Rungs {
		n := members[0].run.TilesOf(r.Instances)
		for _, m := range members {
			if at := m.at(n); at == nil || !at.Kept {
				t.Broken = append(t.Broken, m.run.Member())
				why = append(why, verdict.BrokenMember(m.study.Objectives, m.variant, at))
			}
		}
		if t.Next = n; len(t.Broken) > 0 {
			break
		}
		t.Rung, t.Next = n, 0
	}
	setRungs(&t, members)
	setScores(&t, members, references)
	first := firstBroken(&t, members)
	t.Interference = interference(&t, members)
	setCosts(&t, members)
	t.Text = verdict.Tile(t, why, first)
	return t
}
