package report

import (
	"cmp"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/text/words"
)

const stagesNote = "Shares of the time of the whole way in which a stage was at work, waited for the one before it and for the one after it. Of the link, the time at work is the shorter of sending and of waiting at its end."

// stageTables are what each stage of the way did at rungs of each variant whose work has stages.
func stageTables(a *analysis.Analysis, rungs func(analysis.Variant) []rung.Rung) (all []grid) {
	for _, v := range a.Variants {
		for _, r := range rungs(v) {
			if len(resource.Steps(r.Resources)) > 0 {
				all = append(all, stageGrid(a, v, r))
			}
		}
	}
	return all
}

func everyRung(v analysis.Variant) []rung.Rung { return v.Rungs }

// limitingRung is the rung that decides.
func limitingRung(v analysis.Variant) []rung.Rung {
	if r := loadline.Limiting(v.Rungs, v.LoadLine); r != nil {
		return []rung.Rung{*r}
	}
	return nil
}

func stageGrid(a *analysis.Analysis, v analysis.Variant, r rung.Rung) grid {
	g := newGrid("ll", "stage", "of", "bytes", "per "+v.Work.Unit.Name, "at work", "waiting for data", "waiting for room", "limits")
	g.title = rungTitle(a, v, r)
	for _, one := range resource.Steps(r.Resources) {
		s, limits := one.Step, ""
		if s.Named {
			limits = "yes"
		}
		g.add(s.Name, s.Side, words.Bytes(float64(s.Bytes)), words.Seconds(one.Demand), words.Percent(s.Busy), words.Percent(s.Starved), words.Percent(s.Blocked), limits)
	}
	return g
}

// rungTitle is a variant at a rung.
func rungTitle(a *analysis.Analysis, v analysis.Variant, r rung.Rung) string {
	return variantTitle(v) + ", at " + words.Count(r.Instances, cmp.Or(a.Study.Noun, "instance"))
}

// stages writes them at the rung that decides.
func (m *markdown) stages(a *analysis.Analysis) {
	for i, g := range stageTables(a, limitingRung) {
		if i == 0 {
			m.heading("Stages of the way")
		}
		m.line("### %s\n", plain(g.title))
		m.table(g)
		m.line("")
	}
}
