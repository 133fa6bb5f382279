// Package ceph is the storage class of Ceph clusters that Plimsoll stands up itself:
// nodes with real OSDs, each node in its own network and mount namespace, on a switch that
// leads nowhere else, and a monitor and a manager on the host of the clients. Volumes are
// images of the cluster (RBD), with a file system or as raw devices, or directories of
// the cluster's own file system (CephFS), or buckets of its object store (RGW). In an
// existing cluster, volumes are images, subvolumes or buckets of the run's own. It needs root
// and the programs of Ceph.
package ceph

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/storage/peers"
	"plimsoll/internal/storage/s3"
	"plimsoll/internal/text/unit"
)

// Kind makes Ceph clusters.
type Kind struct{}

var _ storage.Kind = Kind{}

// Capabilities are mostly the abilities of its own clusters; buckets of an existing one are cloned as
// class s3 does.
func (k Kind) Capabilities() storage.KindCapabilities {
	class := (&Pool{}).Capabilities()
	class.Clones = s3.Kind{}.Capabilities().Class.Clones
	return storage.KindCapabilities{Checker: k, CheckPath: k.CheckPath, Asks: k.Asks, Lender: k, Events: k.Events, Class: class}
}

// Name is "ceph".
func (Kind) Name() string { return "ceph" }

// Defaults are three nodes with an OSD each and three copies.
func (Kind) Defaults() any {
	return &Parameters{Nodes: 3, OSDs: 1, Memory: leastMemory, Replicas: 3, Access: accessRBD}
}

// Validate reports what no cluster can be.
func (Kind) Validate(parameters any) []describe.Problem {
	p, ok := parameters.(*Parameters)
	if !ok {
		return []describe.Problem{{Text: fmt.Sprintf("the parameters of a Ceph cluster are %T", parameters)}}
	}
	return p.validate()
}

// packages has the package of each program that a cluster needs.
func packages() map[string]string {
	return map[string]string{
		"ceph-mon": "ceph-mon", "monmaptool": "ceph-mon", "ceph-mgr": "ceph-mgr", "ceph-osd": "ceph-osd",
		"ceph": "ceph-common", "rbd": "ceph-common", "rbd-fuse": "rbd-fuse", "nsenter": "util-linux",
	}
}

// clientPackages are the packages with an existing cluster's clients.
func (p *Parameters) clientPackages() map[string]string {
	all := map[string]string{"ceph": "ceph-common"}
	switch {
	case p.Access == accessCephFS:
		all["ceph-fuse"] = "ceph-fuse"
	case p.onImages():
		all["rbd"], all["rbd-fuse"] = "ceph-common", "rbd-fuse"
	case p.Existing.ownUser():
		all["radosgw-admin"] = "radosgw"
	}
	return all
}

// filePackages are those that access by CephFS needs besides.
func filePackages() map[string]string {
	return map[string]string{"ceph-mds": "ceph-mds", "ceph-fuse": "ceph-fuse"}
}

// storePackages are those that access by RGW needs besides.
func storePackages() map[string]string {
	return map[string]string{"radosgw": "radosgw", "radosgw-admin": "radosgw"}
}

// Usable returns an error with everything that this machine lacks for a cluster.
func (Kind) Usable(parameters any) error {
	if os.Geteuid() != 0 {
		return errors.New("a Ceph cluster needs root, for namespaces and mounts; run plimsoll with sudo")
	}
	p, ok := parameters.(*Parameters)
	existing := ok && p.Existing != nil
	programs := packages()
	if existing {
		programs = p.clientPackages()
	}
	if c := doctor.Installed("", "", "", programs); c.Fix != "" {
		return fmt.Errorf("a Ceph cluster needs programs that are %s; %s", c.Found, c.Fix)
	}
	if _, err := os.Stat("/dev/fuse"); err != nil {
		return fmt.Errorf("an image needs /dev/fuse: %w; run: modprobe fuse", err)
	}
	if !ok {
		return nil
	}
	if existing {
		return p.usableExisting()
	}
	if c := doctor.Installed("", "", "", filePackages()); p.Access == accessCephFS && c.Fix != "" {
		return fmt.Errorf("CephFS needs programs that are %s; %s", c.Found, c.Fix)
	}
	if c := doctor.Installed("", "", "", storePackages()); p.Access == accessRGW && c.Fix != "" {
		return fmt.Errorf("buckets need programs that are %s; %s", c.Found, c.Fix)
	}
	if err := disk.FileSystemFor(p.FileSystem).Usable(); err != nil {
		return err
	}
	for _, d := range []*disk.Parameters{p.Disk, p.metadataDisk()} {
		if d == nil {
			continue
		}
		if err := (disk.Kind{}).Usable(d); err != nil {
			return err
		}
	}
	return nil
}

// VolumeKinds follow from the access.
func (Kind) VolumeKinds(parameters any) []string {
	p, ok := parameters.(*Parameters)
	switch {
	case !ok:
		return []string{endpoint.Directory, endpoint.Device, endpoint.Bucket}
	case p.Access == accessDevice:
		return []string{endpoint.Device}
	case p.Access == accessRGW:
		return []string{endpoint.Bucket}
	}
	return []string{endpoint.Directory}
}

// A cluster's needs on the machine (docs/storage/ceph.md).
const (
	controlMemory = 400 << 20 // the monitor and the manager
	mediumMemory  = 24 << 20  // a simulated disk
	clientMemory  = 96 << 20  // an image's rbd-fuse
	fuseMemory    = 300 << 20 // a ceph-fuse; 200 MiB of it are its data cache
	gatewayMemory = 300 << 20 // a radosgw: 40 MiB, and the contents of requests under way
	tablesMemory  = 512 << 20 // the cache of the metadata server, by its configuration
	volumeTime    = 4 * time.Second
)

// Place is how much a cluster holds and takes.
func (Kind) Place(parameters any) storage.Place {
	p, ok := parameters.(*Parameters)
	if !ok {
		return storage.Place{}
	}
	place := storage.Place{VolumeMemory: p.volumeMemory(), VolumeTime: volumeTime, VolumeCapacity: int64(p.ImageSize)}
	if p.Existing != nil {
		place.Elsewhere = true
		return place
	}
	place.Copies, place.Memory = p.copies(), controlMemory+int64(p.all())*int64(p.Memory)
	switch p.Access {
	case accessCephFS:
		place.Memory += tablesMemory + fuseMemory
	case accessRGW:
		place.Memory += int64(len(p.gatewayNames())) * gatewayMemory
	}
	if p.Disk != nil {
		of := disk.Kind{}.Place(p.Disk)
		place.Media, place.MediumMemory = p.all(), mediumMemory
		if p.metadataDisk() != nil {
			place.Media += p.Nodes
		}
		place.Memory += int64(place.Media) * mediumMemory
		place.InMemory, place.Path = of.InMemory, of.Path
		place.Capacity = int64(float64(of.Capacity) * float64(p.all()) * share / p.copies())
	}
	return place
}

// volumeMemory is the memory of a volume's client on this machine.
func (p *Parameters) volumeMemory() int64 {
	switch p.Access {
	case accessCephFS:
		return fuseMemory
	case accessRGW:
		return 0
	}
	return clientMemory
}

// share is how much of its disk an OSD takes: the rest is for the tables of the file
// system below it.
const share = 0.9

// CheckPath refuses characters that ceph.conf takes for more than themselves.
func (Kind) CheckPath(directory string) error {
	for _, r := range directory {
		if r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+@~", r) {
			return fmt.Errorf("OSDs cannot lie below %q: Ceph gives %q a meaning in its configuration", directory, r)
		}
	}
	return nil
}

// New binds the parameters; nothing is made before Up.
func (k Kind) New(name string, parameters any, env storage.Env) (storage.Class, error) {
	if err := describe.Problems(k.Validate(parameters)).Err(); err != nil {
		return nil, err
	}
	if err := k.CheckPath(env.Scratch); err != nil {
		return nil, err
	}
	p := parameters.(*Parameters)
	of := &clients{name: name, p: p, env: env, fs: disk.FileSystemFor(p.FileSystem), images: ownImages, volumes: map[string]*volume{}, golden: map[string]*golden{}}
	if p.Existing != nil && p.Access == accessRGW {
		return borrowStore(borrow(of))
	}
	if p.Existing != nil {
		return borrow(of), nil
	}
	pool := &Pool{clients: of, daemons: map[string]*daemon{}, cut: map[int]bool{}}
	pool.options, pool.patience = []string{"--conf", pool.conf()}, 30*time.Second // on a busy machine
	pool.command = func(ctx context.Context, args ...string) *exec.Cmd {
		return pool.machines.Client().Command(ctx, args...)
	}
	pool.machines = peers.New(peers.Config{
		Pool: name, Env: env, Peers: p.Nodes, CPU: p.CPU * unit.Cores(p.OSDs), Link: p.Link,
		Disks: p.OSDs, DiskName: dataDisk, Disk: p.Disk, Metadata: p.metadataDisk(), Daemon: node(),
	})
	return pool, nil
}

// node keeps the namespaces of a node: its OSDs come and go one by one. OSDs take commands
// on sockets in its own /run.
func node() peers.Daemon {
	return peers.Daemon{
		Name:    "node",
		Prepare: func(r *peers.Peer) error { return safefile.Ensure(r.Dir, 0o711) },
		Command: func(*peers.Peer) []string {
			return []string{"sh", "-c", "mount -t tmpfs plimsoll /run && mkdir /run/plimsoll-node && exec sleep infinity"}
		},
		Answers: func(r *peers.Peer) bool {
			_, err := os.Stat(fmt.Sprintf("/proc/%d/root/run/plimsoll-node", r.PID()))
			return err == nil
		},
	}
}
