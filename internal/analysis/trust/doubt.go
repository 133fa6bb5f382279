package trust

import (
	"slices"

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

// worst is the weight from which a grade is F.
const worst = 6

// Grade turns warnings about a trial into A to F. A caution weighs one, a serious warning
// three. None is A; a weight of six or more, a failed trial, or a trial with most of its
// units of work failed is F. A settled warning rules out A but adds no weight: the verdict
// is the same without it.
func Grade(t *result.Trial, warnings []Warning) string {
	if t.Status != result.Passed || trial.ErrorShare(t) >= mostFailed {
		return "F"
	}
	weight, settled := 0, 0
	for _, w := range warnings {
		if w.Settled {
			settled = max(settled, w.weight())
			continue
		}
		weight += w.weight()
	}
	return []string{"A", "B", "C", "D", "E", "E", "F"}[min(max(weight, settled), worst)]
}

// weight is what a warning counts in a grade. A loss of evidence counts like any doubt that
// it might hide.
func (w Warning) weight() int {
	if w.Kind == Missing && w.Severity == Serious {
		return worst
	}
	return w.Severity.weight()
}
