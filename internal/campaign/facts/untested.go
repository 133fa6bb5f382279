package facts

import (
	"fmt"
	"slices"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
)

// forbidden are the problems of a role's engine that was not tested and is not allowed. A run
// that goes on was allowed to.
func (d describer) forbidden(m Role) []describe.Problem {
	why := app.CapabilitiesOf(m.Engine).Untested
	if why == "" || slices.Contains(d.parts.Untested, m.Spec.Name) {
		return nil
	}
	return []describe.Problem{{Text: fmt.Sprintf("engine %s is untested: %s", m.Spec.Name, why), Hint: "to run it nevertheless, give --untested " + m.Spec.Name}}
}
