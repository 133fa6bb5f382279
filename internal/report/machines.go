package report

import (
	"fmt"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
)

// mostMachines is how many machines a paragraph names one by one.
const mostMachines = 16

// writeMachines lists the machines that the trials ran on in one paragraph, many that are
// alike together; the campaign's own goes without saying.
func writeMachines(l *lines, a *analysis.Analysis) {
	if len(a.Machines) == 0 {
		return
	}
	var parts []string
	for _, some := range alike(a.Machines) {
		name := some[0].Name
		if n := len(some); n > 1 {
			name = fmt.Sprintf("%s from %s to %s", words.Count(n, "machine"), name, some[n-1].Name)
		}
		parts = append(parts, name+" ("+strings.Join(hostFacts(some[0]), ", ")+")")
	}
	l.heading("Machines")
	l.paragraph(dim, strings.Join(parts, "; ")+".")
}

// alike puts machines together that have the same facts, where there are too many to be
// named one by one.
func alike(all []result.Host) (groups [][]result.Host) {
	at := map[string]int{}
	for _, h := range all {
		key := strings.Join(hostFacts(h), "\n")
		i, known := at[key]
		if !known || len(all) <= mostMachines {
			i = len(groups)
			at[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], h)
	}
	return groups
}

// hostFacts are the known facts about a machine, without its name.
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
	g := newGrid("ll", "machine", "roles", "cores", "memory", "simulated")
	for _, h := range a.Machines {
		g.add(h.Name, hostRoles(h), numberOrMissing(h.Cores, words.Exact), size(h.Memory), yesNo(h.Simulated))
	}
	m.table(g)
}
