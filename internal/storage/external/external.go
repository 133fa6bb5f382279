// Package external is the storage of servers that are not ours. Nobody here can hand out a
// volume of it, measure it or cut its power. Results carry the study's description of it.
package external

import (
	"context"
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/storage"
)

// Name is the class's key in studies.
const Name = "external"

// Parameters describe storage that belongs to existing servers.
type Parameters struct {
	Media      string `yaml:"media,omitempty" json:"media,omitempty" jsonschema:"description=What it is made of: nvme; san; gp3"`
	Protection string `yaml:"protection,omitempty" json:"protection,omitempty" jsonschema:"description=How it keeps data when a part fails: raid10; replica 3"`
	FileSystem string `yaml:"file_system,omitempty" json:"file_system,omitempty" jsonschema:"description=File system of the servers' data: xfs"`
	Text       string `yaml:"text" json:"text" jsonschema:"description=What it is in one sentence for people"`
}

// Kind implements storage.Kind.
type Kind struct{}

var _ storage.Kind = Kind{}

// Capabilities are none.
func (Kind) Capabilities() storage.KindCapabilities { return storage.KindCapabilities{} }

// Name returns the registry key.
func (Kind) Name() string { return Name }

// Defaults returns fresh parameters.
func (Kind) Defaults() any { return &Parameters{} }

// Validate wants at least a sentence: results are worth nothing without.
func (Kind) Validate(parameters any) []describe.Problem {
	if parameters.(*Parameters).Text == "" {
		return []describe.Problem{{Path: "text", Text: "must say in a sentence what storage the servers have"}}
	}
	return nil
}

// Usable is everywhere.
func (Kind) Usable(any) error { return nil }

// VolumeKinds are none: only roles that are filled by existing servers can use
// the class.
func (Kind) VolumeKinds(any) []string { return nil }

// Place is elsewhere: the servers have storage of their own.
func (Kind) Place(any) storage.Place { return storage.Place{Elsewhere: true} }

// New returns the class.
func (Kind) New(name string, parameters any, _ storage.Env) (storage.Class, error) {
	return class{name: name, p: *parameters.(*Parameters)}, nil
}

type class struct {
	name string
	p    Parameters
}

// Describe repeats the study.
func (c class) Describe() describe.Storage {
	return describe.Storage{
		Class: Name, Media: c.p.Media, MediaKind: describe.MediaKindIn(c.p.Media), Protection: c.p.Protection, FileSystem: c.p.FileSystem, Text: c.p.Text, Durable: true,
		Notes: []string{"the storage belongs to existing servers and is what the study says of it"},
	}
}

// Capabilities are none.
func (class) Capabilities() storage.Capabilities { return storage.Capabilities{} }

func (c class) noVolumes() error {
	return fmt.Errorf("storage class %s: %s hands out no volumes; it is for existing servers", c.name, Name)
}

// Import has nothing to bring in.
func (c class) Import(context.Context, string, string) error { return nil }

// Provision makes nothing.
func (c class) Provision(context.Context, storage.Claim) (storage.Volume, error) {
	return storage.Volume{}, c.noVolumes()
}

// Clone makes nothing.
func (c class) Clone(context.Context, string, storage.Claim) (storage.Volume, error) {
	return storage.Volume{}, c.noVolumes()
}

func (class) Up(context.Context) error                     { return nil }
func (class) Devices() []describe.Device                   { return nil }
func (class) Nodes() []storage.Node                        { return nil }
func (class) Delete(context.Context, storage.Volume) error { return nil }
func (class) Settle(context.Context) (string, error)       { return "", nil }
func (class) Down(context.Context) error                   { return nil }
