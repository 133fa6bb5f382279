package device

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/mounts"
	"plimsoll/internal/storage"
)

// class holds its devices open for itself alone from Up to Down. Nothing of it
// outlives the process: the kernel closes them.
type class struct {
	name string
	p    Parameters
	env  storage.Env

	mu    sync.Mutex
	files []*os.File // by device; nil before Up
	taken []string   // name of the volume on each device, empty when free
}

var _ storage.Class = (*class)(nil)

// Capabilities implements storage.Class.
func (c *class) Capabilities() storage.Capabilities {
	return storage.Capabilities{Remount: c.Remount}
}

// Up claims every device, or none.
func (c *class) Up(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files != nil {
		return nil
	}
	var files []*os.File
	for _, path := range c.p.Devices {
		f, err := claim(path)
		if err != nil {
			return errors.Join(fmt.Errorf("storage class %s: %w", c.name, err), closeAll(files))
		}
		files = append(files, f)
	}
	c.files, c.taken = files, make([]string, len(files))
	return nil
}

func closeAll(files []*os.File) error {
	var all []error
	for _, f := range files {
		all = append(all, f.Close())
	}
	return errors.Join(all...)
}

// Devices lists the study's devices by their kernel names.
func (c *class) Devices() []describe.Device {
	var all []describe.Device
	for _, path := range c.p.Devices {
		name, err := blockDevice(path)
		if err != nil {
			continue // it has vanished since Up
		}
		d := describe.Device{Name: name, Role: "data", Actuators: c.p.Width}
		if d.Actuators == 0 {
			d.Actuators, d.Assumed = mounts.Actuators(name)
		}
		all = append(all, d)
	}
	return all
}

// Nodes are none.
func (c *class) Nodes() []storage.Node { return nil }

// Import has nowhere to keep a golden volume: a device holds one volume.
func (c *class) Import(context.Context, string, string) error { return errNoFiles }

// Clone cannot copy files onto a device without a file system.
func (c *class) Clone(context.Context, string, storage.Claim) (storage.Volume, error) {
	return storage.Volume{}, errNoFiles
}

var errNoFiles = errors.New("a raw device cannot hold files: use a workload that works on devices (blockio), or a storage class with a file system")

// Provision hands out a free device, as its last user left it.
func (c *class) Provision(_ context.Context, claim storage.Claim) (storage.Volume, error) {
	name := claim.Name
	if err := claim.Of(endpoint.Device); err != nil {
		return storage.Volume{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		return storage.Volume{}, fmt.Errorf("%q is not a valid volume name: use letters, digits and hyphens", name)
	}
	if c.files == nil {
		return storage.Volume{}, fmt.Errorf("storage class %s is not up", c.name)
	}
	free := -1
	for i, by := range c.taken {
		if by == name {
			return storage.Volume{}, fmt.Errorf("make volume %s: it exists already", name)
		}
		if by == "" && free < 0 {
			free = i
		}
	}
	if free < 0 {
		return storage.Volume{}, fmt.Errorf("make volume %s: all %d devices of storage class %s are in use; list more devices, or shorten the ladder", name, len(c.files), c.name)
	}
	c.taken[free] = name
	return c.volume(free, name), nil
}

func (c *class) volume(i int, name string) storage.Volume {
	size, _ := c.files[i].Seek(0, io.SeekEnd) // 0 is not known
	return storage.DeviceVolume(name, c.p.Devices[i], size)
}

// Delete frees a device for reuse; its contents stay.
func (c *class) Delete(_ context.Context, v storage.Volume) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, path := range c.p.Devices {
		if path == v.Path && c.files != nil {
			if c.taken[i] == v.Name {
				c.taken[i] = ""
			}
			return nil
		}
	}
	if c.files == nil {
		return nil
	}
	return fmt.Errorf("delete volume %s: %s is not a device of this class", v.Name, v.Path)
}

// Settle writes back what was written through the page cache and drops it.
func (c *class) Settle(context.Context) (string, error) {
	if err := c.drop(); err != nil {
		return "", err
	}
	return "wrote the devices back and dropped them from the page cache", nil
}

// Remount does the same: a device has no file system to mount.
func (c *class) Remount(context.Context) (storage.RemountResult, error) {
	return storage.RemountResult{Done: "wrote the devices back and dropped them from the page cache"}, c.drop()
}

// drop flushes the kernel's buffers of every device and forgets them
// (BLKFLSBUF).
func (c *class) drop() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files == nil {
		return fmt.Errorf("storage class %s is not up", c.name)
	}
	for _, f := range c.files {
		err := f.Sync()
		if err == nil {
			err = unix.IoctlSetInt(int(f.Fd()), unix.BLKFLSBUF, 0)
		}
		if err != nil {
			return fmt.Errorf("write %s back: %w", f.Name(), err)
		}
	}
	return nil
}

// Down gives the devices back.
func (c *class) Down(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := closeAll(c.files)
	c.files, c.taken = nil, nil
	return err
}

// Describe describes the devices.
func (c *class) Describe() describe.Storage {
	d := describe.Storage{
		Class: Name, Media: c.p.Media, Protection: "none", FileSystem: "none", Durable: true,
		Options: map[string]string{"devices": strings.Join(c.p.Devices, ", ")},
		Text:    fmt.Sprintf("%d raw devices: %s.", len(c.p.Devices), strings.Join(c.p.Devices, ", ")),
	}
	if len(c.p.Devices) == 1 {
		d.Text = "The raw device " + c.p.Devices[0] + "."
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, f := range c.files {
		size, _ := f.Seek(0, io.SeekEnd)
		d.Capacity += size
		if c.taken[i] == "" {
			d.Free += size
		}
	}
	if d.Media == "" {
		d.Media = c.media()
	}
	d.MediaKind = describe.MediaKindIn(d.Media)
	return d
}

// media names the first device as far as the kernel knows it.
func (c *class) media() string {
	name, err := blockDevice(c.p.Devices[0])
	switch {
	case err != nil:
		return "not known"
	case mounts.Virtual(name):
		return "virtual disk"
	case mounts.Rotates(name):
		return "rotating disk"
	case strings.HasPrefix(filepath.Base(name), "loop"):
		return "loop device"
	}
	return "flash"
}
