package plan

import (
	"maps"
	"slices"
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
	Volume          bool  `json:"volume,omitempty"` // it has one on the variant's own storage
	// Placed are the storages of its other volumes, one for each, by their keys.
	Placed []string `json:"placed,omitempty"`
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
	// Overhead is the space on disk of an initialised, empty instance.
	Overhead int64 `json:"overhead"`
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
	// Files is the approximate number of files of an instance, without its data set.
	Files int64 `json:"files,omitempty"`
	// Copies is how many bytes are kept for each byte of a volume; 0 is one.
	Copies float64 `json:"copies,omitempty"`
	// StorageMemory is what the servers of the storage need, and VolumeMemory
	// what each volume adds to it, in bytes.
	StorageMemory int64 `json:"storage_memory,omitempty"`
	VolumeMemory  int64 `json:"volume_memory,omitempty"`
	// Media is how many simulated media the storage consists of, and
	// MediumMemory what each of them adds to both, in bytes.
	Media        int   `json:"media,omitempty"`
	MediumMemory int64 `json:"medium_memory,omitempty"`
	// VolumeTime is how long a volume takes to be made and deleted, besides the
	// copying of its contents.
	VolumeTime time.Duration `json:"volume_time,omitempty"`
	// Placed are the further storages that mounts lie on, by their keys, and Unused says
	// that no mount lies on the variant's own.
	Placed map[string]PlacedStorage `json:"placed,omitempty"`
	Unused bool                     `json:"unused,omitempty"`
	// Servers are the servers of one instance, if each is placed on a node.
	Servers []Server `json:"servers,omitempty"`
	ClaimSource
	// ClaimBytes is the size of each volume that is claimed; 0 has it follow from the data
	// of an instance.
	ClaimBytes int64 `json:"claim_bytes,omitempty"`
	// Connections are what existing servers have left, and Pooled is how many each
	// instance opens whatever its users; 0 is one for each user.
	Connections []Connections `json:"connections,omitempty"`
	Pooled      int           `json:"pooled,omitempty"`
	// Problems say what the variant's servers would refuse (an unknown setting).
	Problems []Problem `json:"-"`
}

// PlacedStorage describes a further storage that mounts of a variant use, and the part of
// an instance that is stored there.
type PlacedStorage struct {
	Place          string        `json:"place,omitempty"`           // as Facts has it
	Capacity       *int64        `json:"capacity,omitempty"`        // bytes; nil is not known
	VolumeCapacity *int64        `json:"volume_capacity,omitempty"` // bytes; nil is not known
	StorageMemory  int64         `json:"storage_memory,omitempty"`  // bytes
	VolumeMemory   int64         `json:"volume_memory,omitempty"`   // bytes
	VolumeTime     time.Duration `json:"volume_time,omitempty"`
	InMemory       bool          `json:"in_memory,omitempty"` // as Facts has it
	Copies         float64       `json:"copies,omitempty"`    // as Facts has it
	ClaimSource
	ClaimBytes int64   `json:"claim_bytes,omitempty"` // as Facts has it
	Holds      Holding `json:"holds"`
}

// ClaimSource is a storage class of the platform from which volumes are claimed.
type ClaimSource struct {
	// Provisioner is who makes them; empty where none is claimed.
	Provisioner  string `json:"provisioner,omitempty"`
	StorageClass string `json:"storage_class,omitempty"`
	// LargestVolume is the largest that the class makes, in bytes; nil is not known.
	LargestVolume *int64 `json:"largest_volume,omitempty"`
}

// Holding is the part of an instance that lies on a storage: of its data set, and of
// what its servers have besides.
type Holding struct {
	Bytes       int64 `json:"bytes,omitempty"`
	UserBytes   int64 `json:"user_bytes,omitempty"` // that each user adds
	Files       int64 `json:"files,omitempty"`      // and directories, where there are many
	UserFiles   int64 `json:"user_files,omitempty"` // that each user adds
	Overhead    int64 `json:"overhead,omitempty"`   // of initialised, empty servers, in bytes
	ServerFiles int64 `json:"server_files,omitempty"`
}

// Plus adds up.
func (h Holding) Plus(o Holding) Holding {
	return Holding{
		Bytes: sum(h.Bytes, o.Bytes), UserBytes: sum(h.UserBytes, o.UserBytes),
		Files: sum(h.Files, o.Files), UserFiles: sum(h.UserFiles, o.UserFiles),
		Overhead: sum(h.Overhead, o.Overhead), ServerFiles: sum(h.ServerFiles, o.ServerFiles),
	}
}

// places are directories on the file systems that volumes fill.
func (f Facts) places() (all []string) {
	if f.Place != "" && !f.Unused {
		all = append(all, f.Place)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Placed)) {
		if place := f.Placed[name].Place; place != "" {
			all = append(all, place)
		}
	}
	return all
}

// volumeMemory is what the volumes of an instance add to the memory of the storages'
// servers, and volumeTime how long they take to be made and deleted.
func (f Facts) volumeMemory() int64 {
	all := f.VolumeMemory
	for _, s := range f.Placed {
		all = sum(all, s.VolumeMemory)
	}
	return all
}

func (f Facts) volumeTime() time.Duration {
	all := f.VolumeTime
	for _, s := range f.Placed {
		all = sum(all, s.VolumeTime)
	}
	return all
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
