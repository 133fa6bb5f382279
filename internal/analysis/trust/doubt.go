package trust

import (
	"slices"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/host/caught"
	"plimsoll/internal/result"
)

// doubt is one check of a trial: it returns warnings about its evidence.
type doubt func(e *Evidence, t *result.Trial, m trial.Metrics) []Warning

// doubts are the checks of a trial that passed, each in the file of its
// subject; some are about what its telemetry says.
func doubts(o observed) []doubt {
	return []doubt{
		doubtTelemetry, o.doubtLost, doubtLength, doubtFinished, doubtStonewall, doubtCount, doubtRecords, doubtErrors, doubtAside,
		onEach(doubtDriver), doubtDriverLimit, doubtCeiling, doubtLateness,
		onEach(doubtSteal), onEach(doubtHeat), onEach(doubtClock), onEach(doubtBackground), onEach(doubtMemory),
		onEach(doubtDevices), doubtLimits, doubtQuota, doubtKills, doubtExhausted, doubtCache, doubtDurability, doubtStorage,
		doubtAudit, o.doubtCourse,
	}
}

// Doubts checks every trial. Published figures cannot be checked.
func (e *Evidence) Doubts() (warnings []Warning) {
	each := make([][]Warning, len(e.Run.Trials))
	caught.Each(len(e.Run.Trials), func(i int) {
		each[i] = e.doubtsAbout(e.Run.Trials[i])
	})
	outliers, alone, trends := e.outliers(), e.alone(), e.trends()
	for i, t := range e.Run.Trials {
		if !trial.Published(t) {
			warnings = slices.Concat(warnings, each[i], outliers[t.ID], alone[t.ID], trends[t.ID])
		}
	}
	return warnings
}

// Grades grades trials by the warnings about them. Published figures have no grade.
func Grades(trials []*result.Trial, warnings []Warning) map[string]string {
	about, grades := map[string][]Warning{}, map[string]string{}
	for _, w := range warnings {
		about[w.Trial] = append(about[w.Trial], w)
	}
	for _, t := range trials {
		if !trial.Published(t) {
			grades[t.ID] = Grade(t, about[t.ID])
		}
	}
	return grades
}

// doubted reports whether a trial is doubted: it has figures, and they are its own.
func doubted(t *result.Trial) bool { return t.Status == result.Passed && !trial.Published(t) }

func (e *Evidence) doubtsOf(t *result.Trial) []Warning {
	if !doubted(t) {
		return nil
	}
	m := trial.MetricsOf(t)
	var out []Warning
	for _, d := range doubts(e.observe(t)) {
		out = append(out, d(e, t, m)...)
	}
	for i := range out {
		out[i].Trial = t.ID
	}
	return out
}

// byLevel picks the severity for a value: "" below the first limit.
func byLevel(v, note, caution, serious float64) Severity {
	switch {
	case v >= serious:
		return Serious
	case v >= caution:
		return Caution
	case v >= note:
		return Note
	}
	return ""
}

// Grade turns warnings about a trial into A to F, by how far its figures may be off for them. A
// failed trial is F.
func Grade(t *result.Trial, warnings []Warning) string {
	if t.Status != result.Passed {
		return "F"
	}
	return BoundOf(warnings).Grade()
}

// BoundOf is how far a trial's figure may be off by the warnings about it.
func BoundOf(warnings []Warning) bound.Bound {
	all := make([]bound.Bound, 0, len(warnings))
	for _, w := range warnings {
		if w.Bound != nil {
			all = append(all, *w.Bound)
		}
	}
	return bound.Sum(all...)
}
