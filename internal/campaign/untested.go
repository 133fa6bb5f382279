package campaign

import (
	"fmt"
	"slices"

	"plimsoll/internal/app"
	"plimsoll/internal/study/plan"
)

// forbidden are the problems of a role's engine that was not tested and is not allowed. A run
// that goes on was allowed to.
func (d describer) forbidden(m filledRole) []plan.Problem {
	why := app.CapabilitiesOf(m.engine).Untested
	if why == "" || slices.Contains(d.parts.Untested, m.spec.Name) {
		return nil
	}
	return []plan.Problem{{What: fmt.Sprintf("engine %s is untested: %s", m.spec.Name, why), Hint: "to run it nevertheless, give --untested " + m.spec.Name}}
}

// doubtUntested writes down that an engine was allowed which nobody had tried.
func (t *trial) doubtUntested(m filledRole) {
	why := app.CapabilitiesOf(m.engine).Untested
	doubt := fmt.Sprintf("engine %s is untested, and was allowed by --untested: %s", m.spec.Name, why)
	if why != "" && !slices.Contains(t.result.Doubts, doubt) {
		t.result.Doubts = append(t.result.Doubts, doubt)
	}
}
