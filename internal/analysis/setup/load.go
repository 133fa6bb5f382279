package setup

import (
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/scale"
)

// Users is how many units of work the users of an instance keep under way, and
// their think time in seconds.
func (s *Subject) Users(variant string) (users int, think float64) {
	for _, t := range s.Run.Trials {
		if t.Variant.Name == variant && t.Variant.Load.Users > 0 {
			return t.Variant.Load.Users * t.Profile.Together(), t.Variant.Load.ThinkTime.D().Seconds()
		}
	}
	return s.Study.Load.Users, s.Study.Load.ThinkTime.D().Seconds()
}

// OpenLoop reports whether work of a variant falls due by a schedule.
func (s *Subject) OpenLoop(variant string) bool {
	for _, t := range s.Run.Trials {
		if t.Variant.Name == variant && t.Scheduled() {
			return true
		}
	}
	return false
}

// Scale is a variant as the models see it.
func (s *Subject) Scale(v *model.Variant) scale.Variant {
	users, think := s.Users(v.Name)
	return scale.Variant{Name: v.Name, Work: v.Work, Rungs: v.Rungs, Users: users, Think: think, Open: s.OpenLoop(v.Name)}
}
