// Package gluster is the storage class of Gluster pools that Plimsoll stands up
// itself: n peers on one machine, each a real glusterd in its own network and
// mount namespace, on a switch that leads nowhere else; a volume of its own for
// every instance, mounted with the native client. It needs root and Debian's
// glusterfs-server.
package gluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/storage/peers"
)

// Kind makes Gluster pools.
type Kind struct{}

var _ storage.Kind = Kind{}

// Capabilities implements storage.Kind.
func (k Kind) Capabilities() storage.KindCapabilities {
	return storage.KindCapabilities{Checker: k, CheckPath: k.CheckPath, Events: k.Events, Class: (&Pool{}).Capabilities()}
}

// VolumeKinds are directories alone.
func (Kind) VolumeKinds(any) []string { return []string{endpoint.Directory} }

// Name is "gluster".
func (Kind) Name() string { return "gluster" }

// Defaults are the pool of the source's container-native storage: three peers,
// three copies.
func (Kind) Defaults() any {
	return &Parameters{Peers: 3, Bricks: 1, Geometry: "replica 3", Access: accessNative, Deployment: decoupled}
}

// Validate reports what no pool can be.
func (Kind) Validate(parameters any) []describe.Problem {
	p, ok := parameters.(*Parameters)
	if !ok {
		return []describe.Problem{{Text: fmt.Sprintf("the parameters of a Gluster pool are %T", parameters)}}
	}
	return p.validate()
}

// Usable returns an error with everything that this machine lacks for a pool.
func (Kind) Usable(parameters any) error {
	if os.Geteuid() != 0 {
		return errors.New("a Gluster pool needs root, for namespaces and mounts; run plimsoll with sudo")
	}
	var missing []string
	for program, pack := range map[string]string{
		"glusterd": "glusterfs-server", "gluster": "glusterfs-server", "gf_attach": "glusterfs-server", "glusterfs": "glusterfs-client",
		"nsenter": "util-linux",
	} {
		if _, err := exec.LookPath(program); err != nil && !strings.Contains(strings.Join(missing, " "), pack) {
			missing = append(missing, pack)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("a Gluster pool needs programs that are not installed; run: apt-get install %s", strings.Join(missing, " "))
	}
	if _, err := os.Stat("/dev/fuse"); err != nil {
		return fmt.Errorf("a Gluster mount needs /dev/fuse: %w; run: modprobe fuse", err)
	}
	if p, ok := parameters.(*Parameters); ok && p.Access == accessNFS {
		if err := nfsUsable(); err != nil {
			return err
		}
	}
	if p, ok := parameters.(*Parameters); ok && p.Disk != nil {
		return disk.Kind{}.Usable(p.Disk)
	}
	return nil
}

// leastPeer is the least limit of a peer's memory: with less, the kernel ends daemons.
const leastPeer = 256 << 20

// A pool's needs on the machine, measured as the proportional set size of Gluster 10 with 1
// and 16 volumes (docs/storage/gluster.md), rounded up.
const (
	peerMemory    = 48 << 20 // management, healing, and the process for bricks
	mediumMemory  = 24 << 20 // a simulated disk
	brickMemory   = 6 << 20  // a volume's part of a brick; 12 MiB in a process of its own
	clientMemory  = 32 << 20 // a native mount
	gatewayMemory = 96 << 20 // a server and a client of NFS
	volumeTime    = 2 * time.Second
	brickTime     = 600 * time.Millisecond // of each further brick of a volume on a peer
)

// Place is how much a pool holds and takes.
func (Kind) Place(parameters any) storage.Place {
	p, ok := parameters.(*Parameters)
	if !ok {
		return storage.Place{}
	}
	g, err := ParseGeometry(p.Geometry)
	if err != nil {
		return storage.Place{}
	}
	place := storage.Place{
		Copies: 1 / g.Efficiency(), Memory: int64(p.Peers) * peerMemory,
		VolumeMemory: int64(g.Bricks())*brickMemory + clientMemory,
		VolumeTime:   volumeTime + time.Duration(max(0, g.Bricks()-p.Peers))*brickTime,
	}
	if p.options()[multiplex] != "on" {
		place.VolumeMemory += int64(g.Bricks()) * brickMemory
	}
	if p.Access == accessNFS {
		place.VolumeMemory += gatewayMemory
	}
	if p.Disk != nil {
		of := disk.Kind{}.Place(p.Disk) // the images of its bricks
		place.Media, place.MediumMemory = p.Peers*p.Bricks, mediumMemory+brickMemory
		if p.options()[multiplex] != "on" {
			place.MediumMemory += brickMemory
		}
		place.Memory += int64(place.Media) * mediumMemory
		place.InMemory, place.Path = of.InMemory, of.Path
		place.Capacity = int64(g.Efficiency() * float64(p.Disk.Size) * float64(g.Bricks()))
	}
	return place
}

// CheckPath refuses characters that Gluster's command line takes for the end of a
// brick's path, or its volume files for quotes, escapes and commands: they are
// written there as they are.
func (Kind) CheckPath(directory string) error {
	for _, r := range directory {
		if r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+@=~[]{}", r) {
			return fmt.Errorf("bricks cannot lie below %q: Gluster gives %q a meaning in its configuration", directory, r)
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
	g, err := ParseGeometry(p.Geometry)
	if err != nil {
		return nil, err
	}
	machines := peers.New(peers.Config{
		Pool: name, Env: env, Peers: p.Peers, CPU: p.CPU, Memory: p.Memory, Link: p.Link,
		Disks: p.Bricks, DiskName: "brick", Disk: p.Disk, Daemon: p.daemon(),
	})
	return &Pool{
		name: name, p: p, geometry: g, env: env, machines: machines,
		volumes: map[string]*volume{}, gateways: make([]sync.Mutex, p.Peers),
	}, nil
}
