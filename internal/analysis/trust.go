package analysis

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"plimsoll/internal/result"
)

// Severities of warnings.
const (
	Note    = "note"    // good to know
	Caution = "caution" // the figure may be off
	Serious = "serious" // the figure misleads
)

// doubt is one check of a trial: it gives what there is to distrust.
type doubt func(s *subject, t *result.Trial, m metrics) []Warning

// doubts are the checks of a trial that passed, each in the file of its
// subject.
func doubts() []doubt {
	return []doubt{
		doubtTelemetry, doubtLength, doubtOrders, doubtLoop,
		doubtRecords, doubtWaiting, doubtErrors,
		doubtDriver, doubtLateness,
		doubtSteal, doubtHeat, doubtClock, doubtBackground,
		doubtLimits, doubtQuota, doubtCache, doubtDurability, doubtStorage,
		doubtAudit, doubtSteady,
	}
}

// distrust checks every trial and grades it. Published figures cannot be
// checked and have no grade.
func (s *subject) distrust() (warnings []Warning, grades map[string]string) {
	grades = map[string]string{}
	each := make([][]Warning, len(s.run.Trials))
	parallel(len(s.run.Trials), func(i int) {
		each[i] = s.doubtsOf(s.run.Trials[i])
	})
	outliers, alone := s.outliers(), s.alone()
	for i, t := range s.run.Trials {
		if published(t) {
			continue
		}
		all := append(each[i], outliers[t.ID]...)
		all = append(all, alone[t.ID]...)
		warnings = append(warnings, all...)
		grades[t.ID] = grade(t, all)
	}
	return warnings, grades
}

func (s *subject) doubtsOf(t *result.Trial) []Warning {
	if t.Status != result.Passed || published(t) {
		return nil
	}
	m := metricsOf(t)
	var out []Warning
	for _, d := range doubts() {
		out = append(out, d(s, t, m)...)
	}
	for i := range out {
		out[i].Trial = t.ID
	}
	return out
}

// warn makes a list of one warning.
func warn(kind, severity, format string, args ...any) []Warning {
	return []Warning{{Kind: kind, Severity: severity, Text: fmt.Sprintf(format, args...)}}
}

// byLevel picks the severity for a value: "" below the first limit.
func byLevel(v, note, caution, serious float64) string {
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

// grade turns warnings into A to F: a caution weighs one, a serious warning
// three; none is A, and from six on, or for a failed trial, or one with most of
// its orders failed, F.
func grade(t *result.Trial, warnings []Warning) string {
	if t.Status != result.Passed || errorShare(t) >= mostFailed {
		return "F"
	}
	weight := 0
	for _, w := range warnings {
		weight += w.weight()
	}
	return []string{"A", "B", "C", "D", "E", "E", "F"}[min(weight, 6)]
}

// weight is what a warning counts in a grade.
func (w Warning) weight() int {
	return map[string]int{Caution: 1, Serious: 3}[w.Severity]
}

// setGrades writes the grades into the rungs and trials and gives the worst of
// those that the verdict rests on: the trials that passed at the load line and
// at the rung above it.
func setGrades(a *Analysis, grades map[string]string) {
	for i := range a.Trials {
		a.Trials[i].Grade = grades[a.Trials[i].ID]
	}
	for i := range a.Variants {
		v := &a.Variants[i]
		for j := range v.Rungs {
			r := &v.Rungs[j]
			r.Grade = worstGrade(passedTrials(a, r), grades)
			if r.Instances == v.LoadLine.Rung || r.Instances == v.LoadLine.Next {
				a.Grade = max(a.Grade, r.Grade)
			}
		}
	}
}

// passedTrials lists a rung's trials that passed.
func passedTrials(a *Analysis, r *Rung) []string {
	var out []string
	for _, t := range a.Trials {
		if t.Variant != "" && t.Status == string(result.Passed) && slices.Contains(r.Trials, t.ID) {
			out = append(out, t.ID)
		}
	}
	return out
}

func worstGrade(ids []string, grades map[string]string) string {
	worst := ""
	for _, id := range ids {
		worst = max(worst, grades[id])
	}
	return worst
}

// RefusedError says that the trials behind the verdict are graded worse than
// was asked for, and why. The analysis that comes with it is complete; its
// verdict must not be relied on.
type RefusedError struct {
	Grade   string
	Minimum string
	Reasons []string
}

// Error names the grades; Reasons has the gravest warnings.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("the verdict is refused: its trials are graded %s, and at least %s was asked for", e.Grade, e.Minimum)
}

// maxReasons is how many warnings a refusal repeats.
const maxReasons = 3

// refusal is the error for a verdict below the minimum grade, nil when it
// stands. Grades are letters, so a worse one is larger.
func refusal(a *Analysis, minimum string) error {
	minimum = strings.ToUpper(strings.TrimSpace(minimum))
	if minimum == "" || a.Grade == "" || a.Grade <= minimum {
		return nil
	}
	return &RefusedError{Grade: a.Grade, Minimum: minimum, Reasons: gravest(a.Warnings)}
}

func gravest(warnings []Warning) []string {
	rank := map[string]int{Serious: 0, Caution: 1}
	sorted := make([]Warning, 0, len(warnings))
	for _, w := range warnings {
		if _, ok := rank[w.Severity]; ok && (w.Trial != "" || w.Kind == "missing") {
			sorted = append(sorted, w)
		}
	}
	sort.SliceStable(sorted, func(i, j int) bool { return rank[sorted[i].Severity] < rank[sorted[j].Severity] })
	var reasons []string
	for _, w := range sorted {
		reason := w.Text
		if w.Trial != "" {
			reason = w.Trial + ": " + reason
		}
		if len(reasons) < maxReasons {
			reasons = append(reasons, reason)
		}
	}
	return reasons
}
