package analysis

import (
	"cmp"
	"slices"

	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/say/limit"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// topology describes what a variant's largest trial ran on.
func (s *subject) topology(v *Variant, trials []*result.Trial) *Topology {
	if len(trials) == 0 {
		return nil
	}
	t := s.Whole(slices.MaxFunc(trials, func(a, b *result.Trial) int { return cmp.Compare(a.Rung, b.Rung) }))
	out := &Topology{Parts: say.Parts(s.Subject, t)}
	switch {
	case len(out.Parts) == 0:
		return nil
	case trial.Published(t):
		return out
	}
	out.Limit = limit.GivesOut(v, s.Noun)
	r := loadline.Limiting(v.Rungs, v.LoadLine)
	if out.Limit == "" && r != nil && rung.Failing(r) {
		out.Limit = limit.ErrorsAt(v, r, s.Noun)
	}
	if r != nil && len(r.Resources) > 0 {
		if d := diagnose.Diagnose(v.Rungs, v.LoadLine, r); slices.Contains([]diagnose.Kind{diagnose.Saturated, diagnose.Stolen, diagnose.Queueing}, d.Kind) || d.Kind == diagnose.Spent && d.WaitedFor(0) != nil {
			mark(out, d)
		}
	}
	return out
}

// mark names the bottleneck at the part that it belongs to. What others used up is none.
func mark(o *Topology, d diagnose.Diagnosis) {
	stage := d.Top.Stage()
	at := slices.IndexFunc(o.Parts, func(p Part) bool {
		return p.Stage == stage && (stage != resource.RoleStage || d.Top.Role == p.Name)
	})
	if at >= 0 {
		o.Parts[at].Limit = d.Top.Plain()
	}
}
