// Package next chooses what to measure beyond the plan: trials in search of the load line,
// pairs of trials until a difference is decided, second attempts at trials that something
// outside spoiled, and experiments that test a finding. It works from the analysis so far
// and has no state, so that a run can be resumed.
package next

import (
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
)

// Chooser returns the next trial of a run, and why. ok is false if there is none, and why
// is then the result.
type Chooser = func(run *result.Run) (t plan.Trial, why string, ok bool)
