// Package iopath follows requests for data from the application down to the devices: how many there
// are in each layer, how large and how sequential. It takes trials and gives numbers, no sentences.
package iopath

import "plimsoll/internal/describe"

// Kind is a layer that requests pass, or that counts them.
type Kind string

// The layers, from the application down.
const (
	Application Kind = "application" // as the workload says that it makes them
	Calls       Kind = "calls"       // read(2), write(2) and the like, on sockets too; without asynchronous I/O
	Caused      Kind = "caused"      // what processes read and wrote past the page cache; bytes alone
	PassedOn    Kind = "passed_on"   // as the file system or the pool hands them to the kernel's queue of a device
	Device      Kind = "device"      // as the device gets them, after merges
)

// Path has the known layers of a rung.
type Path struct {
	Layers []Layer `json:"layers"` // from the application down
	// Text says where requests change most on their way; missing where the evidence carries no
	// sentence.
	Text string `json:"text,omitempty"`
}

// Layer is what passes one layer.
type Layer struct {
	Kind   Kind   `json:"layer"`            // application, calls, caused, passed_on or device
	Of     string `json:"of,omitempty"`     // role of the servers, driver, or role of the devices
	Reads  *Flow  `json:"reads,omitempty"`  // missing where there were none, or nothing counts them
	Writes *Flow  `json:"writes,omitempty"` // as reads
}

// Flow is the reads or the writes of a layer. Figures are medians over repetitions.
type Flow struct {
	PerUnit      float64 `json:"per_unit,omitzero"` // requests a unit of work; missing of a layer that counts bytes alone
	Bytes        float64 `json:"bytes,omitzero"`    // mean size of a request
	BytesPerUnit float64 `json:"bytes_per_unit"`    // bytes a unit of work
	// Amplification is the bytes over the application's bytes or, where these are unknown, over what
	// processes caused; missing where neither is known.
	Amplification float64 `json:"amplification,omitzero"`
	// Merged is the share of requests that became part of others before the device.
	Merged *float64 `json:"merged,omitempty"`
	// Sequential is the share of requests that begin where an earlier one ended; missing where
	// nothing saw their places.
	Sequential *float64 `json:"sequential,omitempty"`

	requests    []float64 // of each repetition, in its measured phase
	sizes       []float64 // mean of each
	sequentials []float64 // of each; empty where not known
}

// flow gives the reads or the writes of a layer.
func (l Layer) flow(reads bool) *Flow {
	if reads {
		return l.Reads
	}
	return l.Writes
}

// Passing is the reads or the writes of a layer, with what they are of.
type Passing struct {
	Layer     Layer
	Direction string // describe.Reads or describe.Writes
	*Flow
}

// Flows are the reads and the writes of each layer that has them, from the application down.
func (p *Path) Flows() (all []Passing) {
	for _, l := range p.Layers {
		for _, one := range []Passing{{l, describe.Reads, l.Reads}, {l, describe.Writes, l.Writes}} {
			if one.Flow != nil {
				all = append(all, one)
			}
		}
	}
	return all
}

// Move is how requests change between two layers.
type Move struct {
	Reads    bool // else writes
	From, To *Flow
	// Known reports that the workload itself says what From is; else From is what reaches the
	// kernel's queue.
	Known bool
}
