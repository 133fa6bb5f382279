package trust

import (
	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Sound leaves out trials whose figures cannot be true, with a warning
// that says which. Results that Plimsoll wrote always are sound; edited ones
// need not be, and one wrong number must not spoil the rest.
func Sound(trials []*result.Trial) (sound []*result.Trial, warnings []Warning) {
	for _, t := range trials {
		if t == nil {
			continue
		}
		if reason := trial.Unsound(t); reason != "" {
			warnings = append(warnings, Warn(Damaged, Serious, DamagedTrial, Name(reason)).Of(t.ID))
			continue
		}
		sound = append(sound, t)
	}
	return sound, warnings
}

// doubtAside: figures without the failed instances describe a smaller system.
func doubtAside(_ *Evidence, t *result.Trial, _ trial.Metrics) []Warning {
	if len(t.SetAside) == 0 {
		return nil
	}
	w := Warn(Excluded, byLevel(SetAsideWeight(t), 0, setAsideCaution, setAsideSerious), ExcludedSome,
		Count(len(t.SetAside)), Count(t.Rung), Count(t.Ran()), All(namedInstances(t.SetAside)...))
	return []Warning{w.By(bound.TooHighBy(stats.Ratio(float64(len(t.SetAside)), float64(t.Rung))))}
}

// soundObjectives leaves out objectives whose limit is no limit.
func soundObjectives(objectives []study.Objective) (sound []study.Objective, warnings []Warning) {
	for _, o := range objectives {
		if !stats.Plausible(o.Limit) {
			warnings = append(warnings, Warn(Damaged, Serious, DamagedObjective, Name(o.Text), Exactly(o.Limit)))
			continue
		}
		sound = append(sound, o)
	}
	return sound, warnings
}
