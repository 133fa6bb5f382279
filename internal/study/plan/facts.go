package plan

import (
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/study"
)

// Machine is what the plan has to fit into.
type Machine struct {
	describe.Capacity
	// Space tells of the file system that a directory lies on, or will; nil is not
	// known and not checked.
	Space func(directory string) describe.Space
	// Kept is the directory of data sets that are kept between runs, and Results the
	// directory of runs; empty is not known.
	Kept, Results string
}

// Server is what one server of an instance asks for.
type Server struct {
	MilliCPU    int64 `json:"milli_cpu"`
	MemoryBytes int64 `json:"memory_bytes"`
	// MostMilliCPU and MostMemoryBytes are its limits; 0 is none.
	MostMilliCPU    int64 `json:"most_milli_cpu,omitempty"`
	MostMemoryBytes int64 `json:"most_memory_bytes,omitempty"`
	// Volumes are the storages of its volumes, one for each, by their keys.
	Volumes []string `json:"volumes,omitempty"`
}

// Facts are what the registries of workloads, engines and storage classes
// know about one variant.
type Facts struct {
	// Profile is what the workload says of itself.
	Profile describe.Profile `json:"profile"`
	// Dataset is what each instance is filled with; Variants stays empty.
	Dataset Dataset `json:"dataset"`
	// InstanceMemory is what one instance needs, in bytes.
	InstanceMemory int64 `json:"instance_memory"`
	// Storages are the storages of the variant, by their keys.
	Storages map[string]StorageFacts `json:"storages,omitempty"`
	// Servers are the servers of one instance, if each is placed on a node.
	Servers []Server `json:"servers,omitempty"`
	// Connections are what existing servers have left, and Pooled is how many each
	// instance opens whatever its users; 0 is one for each user.
	Connections []Connections `json:"connections,omitempty"`
	Pooled      int           `json:"pooled,omitempty"`
	// Problems say what the variant's servers would refuse (an unknown setting).
	Problems []describe.Problem `json:"-"`
}

// StorageFacts describe a storage of a variant, and the part of an instance that it holds.
type StorageFacts struct {
	// Place is a directory on the file system that volumes fill; empty where they
	// fill none.
	Place string `json:"place,omitempty"`
	// InMemory reports that volumes live in memory (tmpfs): their space counts
	// as memory.
	InMemory bool `json:"in_memory,omitempty"`
	// Capacity is the most that the class itself can hold (the size of a
	// simulated disk), in bytes; nil is not known.
	Capacity *int64 `json:"capacity,omitempty"`
	// VolumeCapacity is the size of each volume, where it is fixed; nil is not known.
	VolumeCapacity *int64 `json:"volume_capacity,omitempty"`
	// Copies is how many bytes are kept for each byte of a volume; 0 is one.
	Copies float64 `json:"copies,omitempty"`
	// StorageMemory is what the servers of the storage need, and VolumeMemory what the
	// volumes of each instance add to it, in bytes.
	StorageMemory int64 `json:"storage_memory,omitempty"`
	VolumeMemory  int64 `json:"volume_memory,omitempty"`
	// Media is how many simulated media the storage consists of, and
	// MediumMemory what each of them adds to both, in bytes.
	Media        int   `json:"media,omitempty"`
	MediumMemory int64 `json:"medium_memory,omitempty"`
	// VolumeTime is how long the volumes of an instance take to be made and deleted,
	// besides the copying of their contents.
	VolumeTime time.Duration `json:"volume_time,omitempty"`
	ClaimSource
	// ClaimBytes is the size of each volume that is claimed; 0 has it follow from the data
	// of an instance.
	ClaimBytes int64 `json:"claim_bytes,omitempty"`
	// Holds is the part of an instance on it; nil where instances have no volume there.
	Holds *Holding `json:"holds,omitempty"`
}

// ClaimSource is a storage class of the platform from which volumes are claimed.
type ClaimSource struct {
	// Provisioner is who makes them; empty where none is claimed.
	Provisioner  string `json:"provisioner,omitempty"`
	StorageClass string `json:"storage_class,omitempty"`
	// LargestVolume is the largest that the class makes, in bytes; nil is not known.
	LargestVolume *int64 `json:"largest_volume,omitempty"`
}

// Holding is the part of an instance on a storage: of its data set, and what its servers
// store besides.
type Holding struct {
	Bytes       int64 `json:"bytes,omitempty"`
	UserBytes   int64 `json:"user_bytes,omitempty"` // that each user adds
	Files       int64 `json:"files,omitempty"`      // and directories, where there are many
	UserFiles   int64 `json:"user_files,omitempty"` // that each user adds
	Overhead    int64 `json:"overhead,omitempty"`   // of initialised, empty servers, in bytes
	ServerFiles int64 `json:"server_files,omitempty"`
}

// Hold adds a part of an instance to a storage.
func (f *Facts) Hold(storage string, more Holding) {
	s := f.Storages[storage]
	var h Holding
	if s.Holds != nil {
		h = *s.Holds
	}
	s.Holds = &Holding{
		Bytes: sum(h.Bytes, more.Bytes), UserBytes: sum(h.UserBytes, more.UserBytes),
		Files: sum(h.Files, more.Files), UserFiles: sum(h.UserFiles, more.UserFiles),
		Overhead: sum(h.Overhead, more.Overhead), ServerFiles: sum(h.ServerFiles, more.ServerFiles),
	}
	f.Storages[storage] = s
}

// Describer gives a plan what the registries know.
type Describer interface {
	// Usable returns an error if this machine cannot run the class. The error says what is
	// missing and which command fixes it.
	Usable(s study.Storage) error
	// Describe returns the facts of a variant; the error says why it cannot
	// run here (an engine that is not installed).
	Describe(v study.Variant) (Facts, error)
}
