package ceph

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/describe"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/text/words"
)

// Import copies a golden volume into an image of its own and takes a snapshot of it, from
// which clones are made without copying. Where volumes are devices there is nothing to copy
// to, nor where they are buckets.
func (p *Pool) Import(ctx context.Context, key, source string) error {
	if p.p.Access == accessDevice || p.p.Access == accessRGW {
		return errOnlyFiles
	}
	return p.importGolden(key, source, func(g *golden) error {
		if p.p.Access == accessCephFS { // its clones are copies of the source
			return nil
		}
		v := &volume{of: p.clients, pool: p, name: g.name}
		return p.prepare(func() error { return v.bring(ctx, source) })
	})
}

// Provision makes a volume, without simulated times.
func (p *Pool) Provision(ctx context.Context, claim storage.Claim) (storage.Volume, error) {
	return p.makeUnlimited(ctx, claim, func(v *volume) error {
		if p.p.Access == accessRGW {
			return v.makeBucket(ctx)
		}
		return v.empty(ctx, claim)
	})
}

// makeUnlimited makes a volume without simulated times and limits.
func (p *Pool) makeUnlimited(ctx context.Context, claim storage.Claim, do func(*volume) error) (storage.Volume, error) {
	return p.makeVolume(ctx, claim, &volume{of: p.clients, pool: p, name: claim.Name}, func(v *volume) error {
		return p.prepare(func() error { return do(v) })
	})
}

// Clone makes a volume of the snapshot of a golden one, without simulated times.
func (p *Pool) Clone(ctx context.Context, key string, claim storage.Claim) (storage.Volume, error) {
	g, err := p.imported(key, claim)
	if err != nil {
		return storage.Volume{}, err
	}
	return p.makeUnlimited(ctx, claim, func(v *volume) error { return v.filled(ctx, g, claim) })
}

// Delete removes a volume.
func (p *Pool) Delete(ctx context.Context, v storage.Volume) error {
	_ = p.RemoveLimits() // a disk that died reports it at its next use
	return p.clients.Delete(ctx, v)
}

// prepare calls do without simulated latencies and CPU limits, since making volumes is not
// part of the measurement. Both apply from Settle until volumes are next made or deleted.
func (p *Pool) prepare(do func() error) error {
	if err := p.RemoveLimits(); err != nil {
		return err
	}
	return do()
}

// RemoveLimits takes simulated times and limits of the processor off.
func (p *Pool) RemoveLimits() error { return p.machines.RemoveLimits() }

// Settle writes back dirty data on the clients and the OSDs, and drops the caches of both.
func (p *Pool) Settle(ctx context.Context) (string, error) {
	err := p.prepare(func() error {
		if err := p.takesWrites(ctx); err != nil {
			return err
		}
		if err := p.drop(ctx); err != nil {
			return err
		}
		return errors.Join(p.dropOSDs(ctx), p.machines.SettleDisks(ctx), p.machines.SetLimits())
	})
	if err != nil {
		return "", fmt.Errorf("settle Ceph cluster %s: %w", p.name, err)
	}
	return "wrote back dirty pages of clients, dropped them from the page cache and emptied the caches of the OSDs, without simulated timing and CPU limits", nil
}

// takesWrites refuses a cluster that is full: who writes to it waits without an end.
func (p *Pool) takesWrites(ctx context.Context) error {
	s, err := p.look(ctx)
	if text := s.full(); err == nil && text != "" {
		err = fmt.Errorf("the cluster is full (%s), and writes to it wait without an end: give its disks a larger size, or the instances less data", text)
	}
	return err
}

// dropOSDs empties the caches of the OSDs.
func (p *Pool) dropOSDs(ctx context.Context) error {
	var all errgroup.Group
	for n := 1; n <= p.p.all(); n++ {
		if p.running(osdName(n)) {
			all.Go(func() error { return p.ask(ctx, n, "cache drop", nil) })
		}
	}
	return all.Wait()
}

// allocated is how many bytes the OSDs keep.
func (p *Pool) allocated(ctx context.Context) (sum int64) {
	for n := 1; n <= p.p.all(); n++ {
		var counters struct {
			BlueStore struct {
				Allocated int64 `json:"bluestore_allocated"`
			}
		}
		if p.ask(ctx, n, "perf dump", &counters) == nil { // an absent one is left out
			sum += counters.BlueStore.Allocated
		}
	}
	return sum
}

// Devices are the disks below the OSDs.
func (p *Pool) Devices() []describe.Device { return p.machines.Devices() }

// Doubts lists the doubts about the simulated disks, and reports a cluster that has become
// full.
func (p *Pool) Doubts(ctx context.Context) []storage.Doubt {
	all := p.machines.Doubts(ctx)
	if s, err := p.look(ctx); err == nil && s.full() != "" { // a fault may have left none to ask
		all = append(all, storage.Doubt{Said: words.Say("Ceph cluster %s is full after the load (%s): writes to it wait without an end", p.name, s.full())})
	}
	return all
}

// Nodes are the storage nodes and the processes that coordinate them.
func (p *Pool) Nodes() []storage.Node {
	control := storage.Node{Name: "control", Netns: p.machines.Client().Netns}
	p.mu.Lock()
	for _, name := range p.controls() {
		if d := p.daemons[name]; d != nil {
			control.PIDs = append(control.PIDs, d.pid)
		}
	}
	p.mu.Unlock()
	return append(p.machines.Nodes(), control)
}

// Describe describes the cluster.
func (p *Pool) Describe() describe.Storage {
	d := describe.Storage{
		Class: "ceph", Media: "directory", Protection: p.p.protection(), FileSystem: p.fs.Name(), Durable: true,
		Reflink: p.fs.Reflink(),
		Options: map[string]string{
			"client": imageClient, "version": p.version, "failure domain": p.p.apart(),
			"osd_memory_target": p.p.Memory.String(), "placement groups": fmt.Sprint(p.p.placementGroups()),
		},
	}
	for name, value := range p.p.Options {
		d.Options[name] = value
	}
	switch p.p.Access {
	case accessDevice:
		d.FileSystem = "none"
	case accessRGW:
		d.FileSystem, d.Reflink, d.Options["client"] = "none", false, "radosgw"
		d.Options["gateways"] = fmt.Sprint(len(p.p.gatewayNames()))
	case accessCephFS:
		d.FileSystem, d.Reflink, d.Options["client"] = onCephFS, false, fileClient
	}
	if b, ok := p.machines.DescribeDisk(); ok {
		d.Media, d.MediaKind, d.Simulated, d.Rated = b.Media, b.MediaKind, b.Simulated, b.Rated
		if p.p.Disk != nil {
			d.Hints = p.diskHints(b.Hints)
		}
		d.Drives = b.Drives * p.p.all()
		raw := float64(b.Capacity) * share * float64(p.p.all())
		d.Capacity = int64(raw / p.p.copies())
		d.Free = int64((raw - float64(p.allocated(context.Background()))) / p.p.copies())
	}
	d.Hints = append(d.Hints, p.cpuHint())
	d.Text = p.text(d.Media)
	d.Notes = p.notes()
	return d
}

// diskHints suggests how to relieve the disks: a faster medium, more memory for the OSDs to
// cache reads in, or a separate medium for metadata.
func (p *Pool) diskHints(media []describe.Hint) []describe.Hint {
	hints := describe.Of(dataDisk, describe.Below("disk", media))
	hints = append(hints, describe.Hint{
		Resource: "device", Role: dataDisk, Parameter: "memory", From: p.p.Memory.String(), To: (2 * p.p.Memory).String(), Beside: true,
	})
	if m := p.p.metadataDisk(); m != nil {
		return append(hints, describe.Of(metadataDisk, describe.Below("metadata_disk", disk.Faster(m.Media)))...)
	}
	for _, h := range media {
		if h.Parameter == "media" {
			hints = append(hints, describe.Hint{
				Resource: "device", Role: dataDisk, Parameter: "metadata_disk.media", From: noMedium, To: h.To, Beside: true,
			})
		}
	}
	return hints
}

// Roles of disks.
const (
	dataDisk     = "osd"
	metadataDisk = "metadata"
)

// cpuHint names the CPU limit of the nodes. Where each node has one OSD, that is the limit
// of the OSD.
func (p *Pool) cpuHint() describe.Hint {
	h := describe.Hint{Resource: "node", Parameter: "cpu"}
	if p.p.OSDs > 1 && p.p.CPU > 0 {
		h.From, h.To = fmt.Sprint(float64(p.p.CPU)), fmt.Sprint(2*float64(p.p.CPU))
	}
	return h
}

func (p *Pool) text(media string) string {
	parts := []string{fmt.Sprintf("Ceph cluster of %d nodes with %d OSD(s) each on %s", p.p.Nodes, p.p.OSDs, media)}
	if m := p.p.metadataDisk(); m != nil {
		parts = append(parts, "metadata on "+m.Media)
	}
	parts = append(parts, p.p.protection(), fmt.Sprintf("%s of memory per OSD", unit.Bytes(p.p.Memory)))
	if p.p.CPU > 0 {
		parts = append(parts, fmt.Sprintf("%g CPU per OSD", p.p.CPU))
	}
	parts = append(parts, map[string]string{
		accessRBD:    "file systems on images by rbd-fuse and loop devices",
		accessDevice: "images as raw devices by rbd-fuse and loop devices",
		accessCephFS: "CephFS by ceph-fuse",
		accessRGW:    fmt.Sprintf("buckets by %d radosgw", len(p.p.gatewayNames())),
	}[p.p.Access])
	if p.p.Link != "" {
		parts = append(parts, "links of "+p.p.Link)
	}
	return strings.Join(parts, ", ")
}

func (p *Pool) notes() []string {
	all := p.clients.notes()
	if p.p.CPU > 0 && !p.machines.CPULimited() {
		all = append(all, "the CPU limit of the nodes is not enforced on this machine")
	}
	client := throughFUSE
	switch p.p.Access {
	case accessCephFS:
		client = "CephFS is reached through ceph-fuse, which costs more CPU than the kernel's client"
	case accessRGW:
		client = "users reach the gateways through this program, which copies what they send and get; the limit of a node's CPU does not hold for gateways"
	}
	return append(all, client,
		"the nodes, their network, the monitor, the manager and the instances share this machine's processors and memory")
}
