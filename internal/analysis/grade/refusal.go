package grade

import (
	"fmt"
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
	Reasons []string
}

// Error names the grades; Reasons has the gravest warnings.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("the verdict is refused: its trials are graded %s, and at least %s was asked for", e.Grade, e.Minimum)
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
	return &RefusedError{Grade: grade, Minimum: minimum, Reasons: Gravest(warnings)}
}

// Gravest gives the texts of the gravest warnings about trials.
func Gravest(warnings []trust.Warning) []string {
	sorted := make([]trust.Warning, 0, len(warnings))
	for _, w := range warnings {
		if w.Severity != trust.Note && (w.Trial != "" || w.Kind == trust.MissingTrial) {
			sorted = append(sorted, w)
		}
	}
	slices.SortStableFunc(sorted, func(v, w trust.Warning) int { return v.Severity.Graver(w.Severity) })
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
