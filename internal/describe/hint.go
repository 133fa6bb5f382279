package describe

import "slices"

// Hint is a parameter of a storage class that the next experiment could
// change, where resources of one kind are the bottleneck.
type Hint struct {
	Resource string `json:"resource"` // kind of the resources: device, node
	// Role limits the hint to devices of one role. Empty for all devices.
	Role string `json:"role,omitempty"`
	// Rate is Reads or Writes where the hint is of devices that read or write about as many
	// bytes/s as they can.
	Rate      string `json:"rate,omitempty"`
	Parameter string `json:"parameter"` // dotted, below the storage: "media", "disk.media"
	// From and To are the present level and one with more capacity. Both are
	// empty where the parameter is the capacity itself, as a limit of CPU is.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Beside reports that the parameter may relieve the resource without adding capacity to
	// it, as a cache does. If it does not help, the resource may still be the bottleneck.
	Beside bool `json:"beside,omitempty"`
}

// What a rate is of.
const (
	Reads  = "reads"
	Writes = "writes"
)

// Of returns the hints, limited to devices of one role.
func Of(role string, hints []Hint) []Hint {
	out := slices.Clone(hints)
	for i := range out {
		out[i].Role = role
	}
	return out
}

// Below returns the hints of a part with their parameters prefixed by its name, for the
// storage that contains it: the medium below a pool's bricks.
func Below(part string, hints []Hint) []Hint {
	out := make([]Hint, len(hints))
	for i, h := range hints {
		h.Parameter = part + "." + h.Parameter
		out[i] = h
	}
	return out
}
