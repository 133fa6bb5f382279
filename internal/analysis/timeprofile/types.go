// Package timeprofile divides the response time of a unit of work into what it is spent on, by
// Little's law: the mean number of threads in a state, over the units of work done in a second, is
// the time that a unit of work spends in it (Little, "A Proof for the Queuing Formula L = λW",
// Operations Research 9(3), 1961). It takes trials and gives seconds with intervals, no sentences.
package timeprofile

import (
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
)

// components are all of them, in the order of the way of a unit of work.
var components = []describe.Component{describe.Running, describe.CPUWait, describe.QuotaWait, describe.MemoryWait, describe.LockWait, describe.NetworkWait, describe.DeviceWait, describe.PeerWait, describe.OtherWait}

// Driver is the role of what makes the load.
const Driver = "driver"

// Storage is the role of the servers of the storage.
const Storage = "storage"

// Breakdown is what the response time of a unit of work is spent on at a rung.
type Breakdown struct {
	Response float64 `json:"response"` // mean response time, s, the median over repetitions
	// Counted reports that states of threads or sessions were measured; else all that is known
	// are the queues of devices.
	Counted bool `json:"counted"`
	// Parts add up to Accounted of Response. They come in the order of components, and each
	// component by role.
	Parts     []Portion      `json:"parts"`
	Accounted stats.Interval `json:"accounted"`         // share of Response; above 1 where something else is counted, too
	Missing   []string       `json:"missing,omitempty"` // roles whose states were not measured, or not of all servers

	shares    map[group][]float64 // of the response time of each repetition
	responses []float64           // of each repetition, s
	waits     map[wait][]float64
	machines  map[group]string // where the CPU is that a group waits for
}

// Portion is one component of one role.
type Portion struct {
	// Role is a role of servers, driver, or storage for the storage's own; empty for what is known
	// of a device alone.
	Role      string             `json:"role,omitempty"`
	Component describe.Component `json:"component"` // running, cpu_wait, quota_wait, device_wait, memory_wait, lock_wait, network_wait, peer_wait or other_wait
	Seconds   stats.Interval     `json:"seconds"`   // per unit of work
	// Resource is the device that a wait for one is for, as resources call it; empty where it
	// is not known, or where there are several alike.
	Resource string `json:"resource,omitempty"`
	Waits    []Wait `json:"waits,omitempty"` // the longest first; part of Seconds
}

// Wait is what sessions of a role wait for, by the name that the server has for it.
type Wait struct {
	Name    string         `json:"name"`    // as the server has it
	Seconds stats.Interval `json:"seconds"` // per unit of work
}

// group is what parts are added up to.
type group struct {
	role      string
	component describe.Component
}

type wait struct {
	group
	name string
}
