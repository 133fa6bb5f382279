package provisioner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"plimsoll/internal/storage/disk"
)

// Devices makes volumes of mode Block: loop devices on files. They go away by themselves
// with the last process that uses them.
type Devices struct {
	dir string

	mu   sync.Mutex
	open map[string]*os.File
}

// NewDevices keeps its files in a directory.
func NewDevices(dir string) *Devices { return &Devices{dir: dir, open: map[string]*os.File{}} }

func (d *Devices) path(name string) string { return filepath.Join(d.dir, name) }

// Make implements Volumes.
func (d *Devices) Make(ctx context.Context, v Volume) (string, error) {
	if !v.Block {
		return "", errors.New("the class has only volumes of mode Block")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, there := d.open[v.Name]; there {
		return d.nodePath(v.Name), nil
	}
	if err := d.file(v); err != nil {
		return "", err
	}
	device, err := disk.AttachLoop(ctx, d.path(v.Name))
	if err != nil {
		return "", err
	}
	if err := d.node(device, v.Name); err != nil {
		return "", errors.Join(err, device.Close())
	}
	d.open[v.Name] = device
	return d.nodePath(v.Name), nil
}

func (d *Devices) nodePath(name string) string { return d.path(name) + ".device" }

// node makes a node of the device that the group disk may open, as udev does on the nodes
// of a real cluster; the machine's own is not changed.
func (d *Devices) node(device *os.File, name string) error {
	const disk = 6
	var at unix.Stat_t
	err := unix.Fstat(int(device.Fd()), &at)
	if err == nil {
		err = os.Remove(d.nodePath(name))
	}
	if err == nil || errors.Is(err, os.ErrNotExist) {
		err = unix.Mknod(d.nodePath(name), unix.S_IFBLK|0o660, int(at.Rdev))
	}
	if err == nil {
		err = errors.Join(os.Chown(d.nodePath(name), 0, disk), os.Chmod(d.nodePath(name), 0o660))
	}
	if err != nil {
		return fmt.Errorf("make the node of a device: %w", err)
	}
	return nil
}

// file makes the empty file of a device.
func (d *Devices) file(v Volume) error {
	f, err := os.OpenFile(d.path(v.Name), os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("make the volume: %w", err)
	}
	return errors.Join(f.Truncate(v.Bytes), f.Close())
}

// Delete implements Volumes.
func (d *Devices) Delete(_ context.Context, name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	device, there := d.open[name]
	if !there {
		return nil
	}
	delete(d.open, name)
	return errors.Join(device.Close(), os.Remove(d.nodePath(name)), os.Remove(d.path(name)))
}

// Close detaches what nothing uses any more.
func (d *Devices) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	for name, device := range d.open {
		errs = append(errs, device.Close())
		delete(d.open, name)
	}
	return errors.Join(errs...)
}
