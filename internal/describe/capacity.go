package describe

import "cmp"

// Space is a file system and what may still be put on it.
type Space struct {
	ID    string // equal for directories of one file system; empty is not known
	Bytes int64  // free for an unprivileged writer; -1 is not known
	Files int64  // free inodes; -1 is not known, or that they are made as needed
	// InMemory reports that the file system has no medium: its files take memory.
	InMemory bool
}

// UnknownSpace is the space of an unknown file system.
func UnknownSpace() Space { return Space{Bytes: -1, Files: -1} }

// Capacity is what a platform has.
type Capacity struct {
	MemoryBytes *int64  // available without swapping; nil is not known
	Cores       float64 // whose time can be used; less than one by a CPU quota
	// OpenFiles is how many files and connections a process of its may have open,
	// and Tasks how many processes and threads can be started; nil is not known.
	OpenFiles, Tasks *int64
	// Notes say what else bounds it, in sentences.
	Notes []string
	// Where is what all of it is, for people: "this machine" where it is empty.
	Where string
	// Placed reports whether every server is placed on one of Nodes, which are the capacity
	// left on each machine that takes servers; there may be none. See describe.Limits.
	Placed bool
	Nodes  []Node
	// Closed say in sentences, one for each kind of pod that no machine takes, why none does.
	Closed []string
	// Refuses says which rule of the platform (a quota) refuses a demand; empty is none.
	// Nil is that there are no rules.
	Refuses func(Demand) string
	// Requests is the share of its limits that a server is kept for itself.
	Requests float64
}

// Node is what a machine has left. 0 of Volumes is not known.
type Node struct {
	Name        string
	MilliCPU    int64 // thousandths of a core
	MemoryBytes int64
	Servers     int            // how many more it takes
	Volumes     map[string]int // how many in all, by provisioner
}

// Place names where all of it is, for people.
func (c Capacity) Place() string { return cmp.Or(c.Where, "this machine") }

// Demand is what instances that run at once, and what drives them, ask of a platform.
type Demand struct {
	Instances int
	Servers   []Limits // of each server of all instances
	Drivers   int
	// Volumes are the volumes of the servers, and of the data sets that they are cloned
	// from.
	Volumes []ClaimedVolume
}

// ClaimedVolume is a volume of a class of the platform's own.
type ClaimedVolume struct {
	StorageClass string
	Bytes        int64
}

// Limits bound an instance. Zero is no limit.
type Limits struct {
	CPU    float64 `json:"cpu,omitempty"`    // cores
	Memory int64   `json:"memory,omitempty"` // bytes
}

// Bound is the memory of a server that needs some bytes: never more than its limit, which
// the platform enforces.
func (l Limits) Bound(need int64) int64 {
	if l.Memory > 0 {
		return min(need, l.Memory)
	}
	return need
}

// Mount is a volume or bucket of each server of a role.
type Mount struct {
	Name  string   // unique in the role: data, archive
	Kinds []string // of volumes that will do, the preferred one first
}
