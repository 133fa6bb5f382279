package report

import (
	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/text/words"
)

// stages writes what each stage of the way did at the rung that decides, of each variant whose
// work has stages.
func (m *markdown) stages(a *analysis.Analysis) {
	begun := false
	for _, v := range a.Variants {
		r := loadline.Limiting(v.Rungs, v.LoadLine)
		if r == nil || len(resource.Steps(r.Resources)) == 0 {
			continue
		}
		if !begun {
			m.heading("Stages of the way")
			begun = true
		}
		m.line("### %s, %s\n", plain(variantTitle(v)), plain(words.Count(r.Instances, a.Study.Noun)))
		m.table(stageGrid(v, r))
		m.line("")
	}
}

func stageGrid(v analysis.Variant, r *rung.Rung) grid {
	g := newGrid("ll", "stage", "of", "bytes", "per "+v.Work.Unit.Name, "at work", "waiting for data", "waiting for room", "limits")
	for _, one := range resource.Steps(r.Resources) {
		s, limits := one.Step, ""
		if s.Named {
			limits = "yes"
		}
		g.add(s.Name, s.Side, words.Bytes(float64(s.Bytes)), words.Seconds(one.Demand), words.Percent(s.Busy), words.Percent(s.Starved), words.Percent(s.Blocked), limits)
	}
	return g
}
