package trial

import (
	"fmt"
	"slices"

	"plimsoll/internal/app"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/study"
)

// describeServers writes what fills the roles into the result.
func (t *trial) describeServers() {
	t.result.Notes = append(t.result.Notes, t.Platform.Abilities().Notes...)
	if d := t.variant.Deployment.OrBare(); d != study.Bare {
		t.note(fmt.Sprintf("deployment %s: users reach the instances over a virtual network, and not by unix sockets", d))
	}
	for _, m := range t.members {
		servers, notes := m.Describe()
		m.result.Servers = append(m.result.Servers, servers...)
		t.result.Notes = append(t.result.Notes, notes...)
		for _, r := range m.Roles {
			t.doubtUntested(r)
		}
	}
}

// doubtUntested writes down that an engine was allowed which nobody had tried.
func (t *trial) doubtUntested(m facts.Role) {
	why := app.CapabilitiesOf(m.Engine).Untested
	doubt := fmt.Sprintf("engine %s is untested, and was allowed by --untested: %s", m.Spec.Name, why)
	if why != "" && !slices.Contains(t.result.Doubts, doubt) {
		t.result.Doubts = append(t.result.Doubts, doubt)
	}
}
