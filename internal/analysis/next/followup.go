// Package next chooses what is measured beyond the plan: trials in search of
// the load line, pairs of trials until a difference is decided, second attempts
// at trials that something outside spoiled, and experiments that prove a finding.
// It stands on the analysis of what was measured so far and holds no state, so
// that a run can be resumed.
package next

import (
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
)

// Chooser gives the next trial of a run, and why; ok is false when there is none,
// and why then says what was found.
type Chooser = func(run *result.Run) (t plan.Trial, why string, ok bool)
