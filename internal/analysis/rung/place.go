package rung

import (
	"strconv"
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// machineOf is the machine that the servers of an instance ran on, by their telemetry;
// empty where there is only one, or nothing was observed.
func machineOf(t *result.Trial, instance int) string {
	for _, r := range t.Resources {
		if r.Kind == describe.InstanceKind && r.Machine != "" && r.Machine != result.LocalMachine && numbered(r.Name, instance) {
			return r.Machine
		}
	}
	return ""
}

// numbered reports whether a server has the number of an instance: db-007, worker-007-1.
func numbered(name string, instance int) bool {
	digits := strconv.Itoa(instance)
	number := "-" + strings.Repeat("0", max(0, 3-len(digits))) + digits
	return strings.HasSuffix(name, number) || strings.Contains(name, number+"-")
}
