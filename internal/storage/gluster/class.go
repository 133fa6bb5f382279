package gluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/clone"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/nfs"
)

// Describe describes the pool.
func (p *Pool) Describe() describe.Storage {
	d := describe.Storage{
		Class: "gluster", Media: "directory", Protection: p.geometry.String(), FileSystem: "fuse.glusterfs",
		Durable: true, Options: p.p.options(),
	}
	for name, value := range p.p.MountOptions {
		d.Options["mount "+name] = value
	}
	if b, ok := p.machines.DescribeDisk(); ok {
		d.Media, d.MediaKind, d.Simulated = b.Media, b.MediaKind, b.Simulated
		if p.p.Disk != nil {
			d.Hints = describe.Below("disk", b.Hints)
		}
		d.Rated = b.Rated
		d.Drives = b.Drives * p.p.Peers * p.p.Bricks
		bricks := int64(p.geometry.Bricks())
		d.Capacity = int64(float64(b.Capacity*bricks) * p.geometry.Efficiency())
		d.Free = int64(float64(b.Free*bricks) * p.geometry.Efficiency())
	}
	d.Hints = append(d.Hints, describe.Hint{Resource: "node", Parameter: "cpu"})
	d.Text = fmt.Sprintf("Gluster pool of %d peers with %d brick(s) each on %s, %s, %s", p.p.Peers, p.p.Bricks, d.Media, p.geometry, p.accessText())
	if p.p.Access == accessNFS {
		d.FileSystem = nfs.FileSystem(p.kernelNFS)
		if !p.kernelNFS {
			d.Notes = append(d.Notes, "this kernel has no NFS client, so Plimsoll uses its own, which runs in user space and costs more CPU")
		}
	}
	if p.p.CPU > 0 {
		d.Text += fmt.Sprintf(", %g CPU per peer", p.p.CPU)
		if !p.machines.CPULimited() {
			d.Notes = append(d.Notes, "the CPU limit of the peers is not enforced on this machine")
		}
	}
	if p.p.Memory > 0 {
		d.Text += fmt.Sprintf(", %s of memory per peer", p.p.Memory)
		if !p.machines.MemoryLimited() {
			d.Notes = append(d.Notes, "the memory limit of the peers is not enforced on this machine")
		}
	}
	if p.p.Deployment == coupled {
		d.Text += ", coupled: instances share the peers' CPU limits and links"
	}
	if p.p.Link != "" {
		d.Text += ", links of " + p.p.Link
	}
	d.Notes = append(d.Notes, "the peers, their network and the instances share this machine's processors and memory")
	return d
}

func (p *Pool) accessText() string {
	switch {
	case p.p.Access != accessNFS:
		return "native client"
	case p.kernelNFS:
		return "NFS version 3 through NFS-Ganesha by the kernel's client"
	}
	return "NFS version 3 through NFS-Ganesha by Plimsoll's own client"
}

// Devices are the disks behind the bricks. Bricks in directories share the
// machine's.
func (p *Pool) Devices() []describe.Device { return p.machines.Devices() }

// Nodes are the peers.
func (p *Pool) Nodes() []storage.Node { return p.machines.Nodes() }

// Import remembers the golden volume; every volume is a file system of its
// own, so that nothing can be shared and clones are copies.
func (p *Pool) Import(_ context.Context, key, source string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.golden == nil {
		p.golden = map[string]string{}
	}
	p.golden[key] = source
	return nil
}

var volumeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// Provision makes a volume and mounts it, without simulated times.
func (p *Pool) Provision(ctx context.Context, claim storage.Claim) (made storage.Volume, err error) {
	name := claim.Name
	if err := claim.Of(endpoint.Directory); err != nil {
		return made, err
	}
	if !volumeName.MatchString(name) {
		return made, fmt.Errorf("%q is not a valid Gluster volume name", name)
	}
	if !p.up {
		return made, errors.New("pool " + p.name + " is not up")
	}
	err = p.prepare(func() error {
		made, err = p.provision(ctx, claim)
		return err
	})
	return made, err
}

// provision makes a volume for a claim. If it fails, it removes what it has made so far.
func (p *Pool) provision(ctx context.Context, claim storage.Claim) (storage.Volume, error) {
	name := claim.Name
	v := &volume{pool: p, name: name, path: filepath.Join(p.env.Scratch, "volumes", name)}
	p.mu.Lock()
	_, twice := p.volumes[name]
	if !twice {
		p.volumes[name] = v
		v.serial = p.serial
		p.serial++
	}
	p.mu.Unlock()
	if twice {
		return storage.Volume{}, fmt.Errorf("volume %s already exists", name)
	}
	data := storage.Volume{Name: name, Path: filepath.Join(v.path, "data")}
	err := v.make(ctx)
	if err == nil {
		err = v.mount(ctx)
	}
	if err == nil {
		err = p.makeData(data, claim)
	}
	if err != nil {
		return storage.Volume{}, p.abandon(ctx, name, fmt.Errorf("make volume %s: %w", name, err))
	}
	data.Cgroups = v.cgroups()
	return data, nil
}

// abandon removes a volume that came to nothing.
func (p *Pool) abandon(ctx context.Context, name string, cause error) error {
	patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return errors.Join(cause, p.delete(patient, name))
}

// makeData makes the directory that instances own; the root of the mount stays
// root's.
func (p *Pool) makeData(v storage.Volume, claim storage.Claim) error {
	if err := unix.Mkdir(v.Path, 0o700); err != nil {
		return fmt.Errorf("make the data directory of volume %s: %w", v.Name, err)
	}
	uid, gid := p.env.Owner.For(claim)
	return unix.Chown(v.Path, uid, gid)
}

// Clone makes a volume and copies the golden one into it, without simulated
// times.
func (p *Pool) Clone(ctx context.Context, key string, claim storage.Claim) (storage.Volume, error) {
	name := claim.Name
	p.mu.Lock()
	source, ok := p.golden[key]
	p.mu.Unlock()
	if !ok {
		return storage.Volume{}, fmt.Errorf("clone volume %s: golden volume %q does not exist", name, key)
	}
	v, err := p.Provision(ctx, claim)
	if err != nil {
		return v, err
	}
	err = p.prepare(func() error {
		if err := unix.Rmdir(v.Path); err != nil {
			return err
		}
		uid, gid := p.env.Owner.For(claim)
		_, err := clone.Tree(ctx, source, v.Path, clone.Options{UID: uid, GID: gid})
		return err
	})
	if err != nil {
		return storage.Volume{}, p.abandon(ctx, name, fmt.Errorf("copy the golden volume into volume %s: %w", name, err))
	}
	return v, nil
}

// Delete removes a volume. Limits that cannot be removed, such as a dead disk's, do not
// stop it.
func (p *Pool) Delete(ctx context.Context, v storage.Volume) error {
	p.mu.Lock()
	own := p.volumes[v.Name]
	p.mu.Unlock()
	if path := filepath.Join(p.env.Scratch, "volumes", v.Name, "data"); v.Path != path {
		return fmt.Errorf("delete volume %s: %s is not a volume of pool %s", v.Name, v.Path, p.name)
	}
	if own == nil {
		return nil
	}
	_ = p.RemoveLimits() // a disk that died reports it at its next use
	return p.delete(ctx, v.Name)
}

func (p *Pool) delete(ctx context.Context, name string) error {
	p.mu.Lock()
	own := p.volumes[name]
	p.mu.Unlock()
	if own == nil {
		return nil
	}
	if err := own.remove(ctx); err != nil {
		return fmt.Errorf("delete volume %s: %w", name, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.volumes, name)
	return nil
}

// sortedVolumes is for messages and faults.
func (p *Pool) sortedVolumes() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.volumes))
}
