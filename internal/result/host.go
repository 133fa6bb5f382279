package result

import "slices"

// LocalMachine is what the campaign's own machine is called, whose inventory is
// machine.json. Results leave out its host name unless it is asked for.
const LocalMachine = "local"

// Roles of a machine in a trial.
const (
	ApplicationRole = "application" // it runs servers of instances
	StorageRole     = "storage"     // it holds, or serves, their volumes
	DriverRole      = "driver"      // it runs the users
)

// Host is a machine that took part in a trial.
type Host struct {
	Name   string   `json:"name"`             // as in Series.Machine
	Roles  []string `json:"roles"`            // sorted; empty where none is known
	Cores  float64  `json:"cores,omitempty"`  // 0 where not known
	Memory int64    `json:"memory,omitempty"` // bytes, 0 where not known
	// Limits are the limits of the control groups that everything on it ran in.
	Limits []Limit `json:"limits,omitempty"`
	// Simulated reports that it is no machine of its own, but pretends to be one.
	Simulated bool `json:"simulated,omitempty"`
}

// Is reports whether the machine has a role.
func (h Host) Is(role string) bool { return slices.Contains(h.Roles, role) }

// Only reports whether a role is all that the machine is there for.
func (h Host) Only(role string) bool { return len(h.Roles) == 1 && h.Roles[0] == role }
