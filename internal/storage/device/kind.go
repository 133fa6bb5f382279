// Package device is the storage class of raw block devices: drives, LUNs and
// volumes that the study lists and that belong to the test. Each volume is one
// of them, without a file system. They are overwritten, so the study must say
// `destroy: true`, and a device that is in use or holds anything known is
// refused in any case.
package device

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/storage"
)

// Name is the class's key in studies.
const Name = "device"

// Parameters configure the class.
type Parameters struct {
	Devices []string `yaml:"devices" json:"devices" jsonschema:"description=Block devices by path such as /dev/disk/by-id/...; each instance gets one of them"`
	Destroy bool     `yaml:"destroy" json:"destroy" jsonschema:"description=Everything on the devices may be overwritten; the class is refused without it"`
	Media   string   `yaml:"media,omitempty" json:"media,omitempty" jsonschema:"description=What the devices are in the reader's words"`
	Width   int      `yaml:"width,omitempty" json:"width,omitempty" jsonschema:"minimum=1,description=Requests that one device serves at once (drives of a RAID set or channels); 0 takes what the kernel reports"`
}

// Kind implements storage.Kind.
type Kind struct{}

var _ storage.Kind = Kind{}

// Capabilities are its classes'.
func (Kind) Capabilities() storage.KindCapabilities {
	return storage.KindCapabilities{Class: (&class{}).Capabilities()}
}

// Name returns the registry key.
func (Kind) Name() string { return Name }

// Defaults returns empty parameters.
func (Kind) Defaults() any { return &Parameters{} }

// Validate reports every impossible value.
func (Kind) Validate(parameters any) []describe.Problem {
	p := parameters.(*Parameters)
	var all describe.Problems
	wrong := all.Add
	if len(p.Devices) == 0 {
		wrong("devices", "lists no device; `lsblk -o PATH,SIZE,MODEL` shows this machine's")
	}
	seen := map[string]bool{}
	for _, path := range p.Devices {
		clean := filepath.Clean(path)
		if !strings.HasPrefix(clean, "/dev/") || strings.ContainsAny(path, "\x00\n") {
			wrong("devices", "%q is not the path of a device below /dev", path)
		}
		if seen[clean] {
			wrong("devices", "%s is listed twice", clean)
		}
		seen[clean] = true
	}
	if !p.Destroy {
		wrong("destroy", "must be true: everything on the devices will be overwritten")
	}
	if p.Width < 0 {
		wrong("width", "must be 1 or more requests at once, or 0 for what the kernel reports, got %d", p.Width)
	}
	return all
}

// VolumeKinds are devices alone.
func (Kind) VolumeKinds(any) []string { return []string{endpoint.Device} }

// Usable checks whether every device may be used now.
func (Kind) Usable(parameters any) error {
	for _, path := range parameters.(*Parameters).Devices {
		f, err := claim(path)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// Place is on no file system: a volume is a device, as large as the smallest of
// them.
func (Kind) Place(parameters any) storage.Place {
	place := storage.Place{Elsewhere: true}
	for _, path := range parameters.(*Parameters).Devices {
		if size := sizeOf(path); size > 0 && (place.VolumeCapacity == 0 || size < place.VolumeCapacity) {
			place.VolumeCapacity = size
		}
	}
	return place
}

// sizeOf is the size of a device in bytes, 0 where it is unknown. A pipe of that name keeps nobody
// waiting.
func sizeOf(path string) int64 {
	if info, err := os.Stat(path); err != nil || info.Mode()&(os.ModeDevice|os.ModeCharDevice) != os.ModeDevice {
		return 0
	}
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	size, _ := f.Seek(0, io.SeekEnd) // 0 is not known
	return size
}

// New binds parameters to an environment.
func (Kind) New(name string, parameters any, env storage.Env) (storage.Class, error) {
	return &class{name: name, p: *parameters.(*Parameters), env: env}, nil
}
