package disk

import (
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/storage"
)

// Kind makes classes of simulated media.
type Kind struct{}

var (
	_ storage.Kind  = Kind{}
	_ storage.Class = (*class)(nil)
)

// Capabilities has all abilities of a class, although only classes with a tier have all.
func (k Kind) Capabilities() storage.KindCapabilities {
	return storage.KindCapabilities{Checker: k, Events: k.Events, Class: (&tieredClass{}).Capabilities()}
}

// Capabilities implements storage.Class.
func (c *class) Capabilities() storage.Capabilities {
	return storage.Capabilities{Remount: c.Remount, RemoveLimits: c.RemoveLimits, Doubts: c.Doubts, Power: c}
}

// VolumeKinds are directories alone.
func (Kind) VolumeKinds(any) []string { return []string{endpoint.Directory} }

// Name is "disk".
func (Kind) Name() string { return "disk" }

// Defaults are a hard drive with whichever file system this machine has.
func (Kind) Defaults() any {
	return &Parameters{Media: "hdd-7200", MountOptions: "noatime"}
}

// Validate reports what no medium can be.
func (Kind) Validate(parameters any) []describe.Problem {
	p, ok := parameters.(*Parameters)
	if !ok {
		return []describe.Problem{{Text: fmt.Sprintf("the parameters of a disk are %T", parameters)}}
	}
	return p.validate()
}

// Usable checks whether this machine can simulate media.
func (Kind) Usable(parameters any) error {
	p, ok := parameters.(*Parameters)
	if !ok {
		p = &Parameters{}
	}
	return usable(p.resolve().fs)
}

// Place is where the image of the medium grows as it is written: below the run's work
// directory, or in memory.
func (Kind) Place(parameters any) storage.Place {
	p, ok := parameters.(*Parameters)
	if !ok {
		return storage.Place{}
	}
	r := p.resolve()
	place := storage.Place{Capacity: r.size}
	if r.image == imageMemory {
		place.Path, place.InMemory = storage.MemoryPath, true
	}
	return place
}

// New binds the parameters; nothing is made before Up.
func (k Kind) New(name string, parameters any, env storage.Env) (storage.Class, error) {
	if err := describe.Problems(k.Validate(parameters)).Err(); err != nil {
		return nil, err
	}
	c := newClass(name, parameters.(*Parameters).resolve(), env)
	if c.r.spec.Tier != nil {
		return &tieredClass{class: c}, nil
	}
	return c, nil
}
