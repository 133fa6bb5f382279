package peers

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"plimsoll/internal/describe"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/directory"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/storage/volumes"
	"plimsoll/internal/text/words"
)

// Disk is a file system that the daemon of a peer keeps its data on.
type Disk struct {
	Class storage.Class
	Path  string
}

// makeDisks makes the file systems of a peer, on simulated disks or in directories.
func (p *Peer) makeDisks(ctx context.Context) error {
	c := p.machines.config
	all := c.Disks
	if c.Metadata != nil {
		all++
	}
	for n := 1; n <= all; n++ {
		class, err := p.newDisk(n)
		if err != nil {
			return err
		}
		p.Disks = append(p.Disks, Disk{Class: class}) // even half up, it has to come down
		if err := class.Up(ctx); err != nil {
			return fmt.Errorf("%s %d: %w", c.DiskName, n, err)
		}
		v, err := class.Provision(ctx, storage.Claim{Name: c.DiskName})
		if err != nil {
			return fmt.Errorf("%s %d: %w", c.DiskName, n, err)
		}
		p.Disks[len(p.Disks)-1].Path = v.Path
	}
	return nil
}

func (p *Peer) newDisk(n int) (storage.Class, error) {
	c := p.machines.config
	env := c.Env
	env.Scratch = filepath.Join(p.Dir, fmt.Sprintf("d%d", n))
	env.Owner = nil // disks belong to the daemons, which are root
	name := fmt.Sprintf("%s-peer%s-%s%d", c.Pool, p.Host.Name, c.DiskName, n)
	if n > c.Disks {
		return disk.Kind{}.New(fmt.Sprintf("%s-peer%s-metadata", c.Pool, p.Host.Name), c.Metadata, env)
	}
	if c.Disk != nil {
		return disk.Kind{}.New(name, c.Disk, env)
	}
	return directory.Kind{}.New(name, &directory.Parameters{Path: "disk"}, env)
}

func (p *Peer) removeDisks(ctx context.Context) error {
	var errs []error
	for _, d := range p.Disks {
		errs = append(errs, d.Class.Down(ctx))
	}
	p.Disks = nil
	return errors.Join(append(errs, p.Group.Remove(ctx))...)
}

// media is the node of the processes that simulate the disks of the peer, if it
// has any: they stand for hardware, and there may be two dozen.
func (p *Peer) media() []storage.Node {
	all := storage.Node{Name: "medium-peer" + p.Host.Name}
	for _, d := range p.Disks {
		for _, n := range d.Class.Nodes() {
			all.PIDs = append(all.PIDs, n.PIDs...)
		}
	}
	if len(all.PIDs) == 0 {
		return nil
	}
	return []storage.Node{all}
}

// DescribeDisk describes each disk, once there is one.
func (m *Machines) DescribeDisk() (d describe.Storage, ok bool) {
	if len(m.peers) == 0 || len(m.peers[0].Disks) == 0 {
		return d, false
	}
	return m.peers[0].Disks[0].Class.Describe(), true
}

// Devices are the devices behind the disks. Directories share the machine's.
func (m *Machines) Devices() (all []describe.Device) {
	for _, peer := range m.peers {
		for n, disk := range peer.Disks {
			for _, d := range disk.Class.Devices() {
				d.Role, d.Owner = m.config.DiskName, "peer"+peer.Host.Name
				if n >= m.config.Disks {
					d.Role, d.Media = "metadata", m.config.Metadata.Media
				}
				if !slices.ContainsFunc(all, func(have describe.Device) bool { return have.Name == d.Name }) {
					all = append(all, d)
				}
			}
		}
	}
	return all
}

// TierWork reports the work of all disks' tiers together.
func (m *Machines) TierWork(ctx context.Context) (sum storage.TierWork, err error) {
	for _, peer := range m.peers {
		for _, d := range peer.Disks {
			count := d.Class.Capabilities().TierWork
			if count == nil {
				continue
			}
			work, err := count(ctx)
			if err != nil {
				return sum, fmt.Errorf("peer %s: %w", peer.Host.Name, err)
			}
			sum = sum.Plus(work)
		}
	}
	return sum, nil
}

// SettleDisks writes back the disks' dirty data and drops it from the page cache.
func (m *Machines) SettleDisks(ctx context.Context) error {
	return m.Each(ctx, func(p *Peer, ctx context.Context) error {
		var errs []error
		for _, d := range p.Disks {
			_, err := d.Class.Settle(ctx)
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	})
}

// DropDisks drops the kernel's caches of the disks: data, names and attributes of their
// files.
func (m *Machines) DropDisks(ctx context.Context) (sum volumes.DropResult, err error) {
	var mu sync.Mutex
	err = m.Each(ctx, func(p *Peer, ctx context.Context) error {
		for n, d := range p.Disks {
			dropped, err := volumes.Drop(ctx, d.Path)
			if err != nil {
				return fmt.Errorf("%s %d: %w", m.config.DiskName, n+1, err)
			}
			mu.Lock()
			sum = sum.Plus(dropped)
			mu.Unlock()
		}
		return nil
	})
	return sum, err
}

// Doubts lists the doubts about the simulated disks, in one sentence: a problem of one disk
// affects all disks of the machine.
func (m *Machines) Doubts(ctx context.Context) []storage.Doubt {
	var names []string
	var sum storage.Doubt
	for _, peer := range m.peers {
		all := peer.doubts(ctx)
		if len(all) == 0 {
			continue
		}
		if names == nil {
			sum.Said = all[0].Said
		}
		for _, d := range all {
			sum.Lost += d.Lost
		}
		names = append(names, "peer"+peer.Host.Name)
	}
	if names == nil {
		return nil
	}
	sum.Said = words.Say("%ss of %s: %s", m.config.DiskName, strings.Join(names, ", "), sum.Said)
	return []storage.Doubt{sum}
}

func (p *Peer) doubts(ctx context.Context) (all []storage.Doubt) {
	for _, d := range p.Disks {
		if doubts := d.Class.Capabilities().Doubts; doubts != nil {
			all = append(all, doubts(ctx)...)
		}
	}
	return all
}
