package grade

import (
	"slices"
	"strings"

	"plimsoll/internal/analysis/trust"
)

// RefusedError says that the trials behind the verdict are graded worse than
// was asked for, and why. The analysis that comes with it is complete; its
// verdict must not be relied on.
type RefusedError struct {
	Grade   string
	Minimum string
	Reasons []trust.Warning // the gravest
}

// Error names the grades; Reasons has the gravest warnings.
func (e *RefusedError) Error() string {
	return "the verdict is refused: its trials are graded " + e.Grade + ", and at least " + e.Minimum + " was asked for"
}

// maxReasons is how many warnings a refusal repeats.
const maxReasons = 3

// Refusal is the error for a verdict below the minimum grade, nil when it
// stands. Grades are letters, so a worse one is larger.
func Refusal(grade, minimum string, warnings []trust.Warning) error {
	minimum = strings.ToUpper(strings.TrimSpace(minimum))
	if minimum == "" || grade == "" || grade <= minimum {
		return nil
	}
	return &RefusedError{Grade: grade, Minimum: minimum, Reasons: gravest(warnings)}
}

// gravest are the gravest warnings about trials.
func gravest(warnings []trust.Warning) (sorted []trust.Warning) {
	for _, w := range warnings {
		if w.Severity != trust.Note && (w.Trial != "" || w.Kind == trust.MissingTrial) {
			sorted = append(sorted, w)
		}
	}
	slices.SortStableFunc(sorted, func(v, w trust.Warning) int { return v.Severity.Graver(w.Severity) })
	return sorted[:min(len(sorted), maxReasons)]
}
