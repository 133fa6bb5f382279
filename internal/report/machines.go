package report

import (
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/result"
	"plimsoll/internal/words"
)

// writeMachines lists the machines that the trials ran on in one paragraph; the
// campaign's own goes without saying.
func writeMachines(l *lines, a *analysis.Analysis) {
	if len(a.Machines) == 0 {
		return
	}
	parts := make([]string, len(a.Machines))
	for i, h := range a.Machines {
		parts[i] = h.Name + " (" + strings.Join(hostFacts(h), ", ") + ")"
	}
	l.heading("Machines")
	l.paragraph(dim, strings.Join(parts, "; ")+".")
}

// hostFacts are what is known of a machine besides its name.
func hostFacts(h result.Host) []string {
	facts := []string{hostRoles(h)}
	if h.Cores > 0 {
		facts = append(facts, words.Exact(h.Cores)+" cores")
	}
	if h.Memory > 0 {
		facts = append(facts, size(h.Memory))
	}
	if h.Simulated {
		facts = append(facts, "simulated")
	}
	return facts
}

func hostRoles(h result.Host) string {
	if len(h.Roles) == 0 {
		return "role unknown"
	}
	return strings.Join(h.Roles, ", ")
}

func (m *markdown) machines(a *analysis.Analysis) {
	if len(a.Machines) == 0 {
		return
	}
	m.heading("Machines")
	m.head(2, "machine", "roles", "cores", "memory", "simulated")
	for _, h := range a.Machines {
		m.row(plains(h.Name, hostRoles(h), known(h.Cores, words.Exact), size(h.Memory), yesNo(h.Simulated))...)
	}
}
