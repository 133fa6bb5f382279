// Package peers makes the machines of a storage pool on this machine: each is a host on a
// network of the pool with a link, a limit of processors, disks of its own and a daemon in
// its own mount table. It also injects a study's faults: ended processes, power cuts,
// failed links. The storage class that uses the package chooses the daemons and makes the
// volumes.
package peers

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"plimsoll/internal/host/cgroup"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/simnet"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/text/unit"
)

// Config describes the machines of a pool.
type Config struct {
	Pool  string // its name, in names of processes and disks
	Env   storage.Env
	Peers int
	CPU   unit.Cores // limit of each peer, 0 for none
	// Memory is the limit of each peer's daemons with what the kernel caches for them; 0 for none.
	Memory unit.Bytes
	Link   string // rate of every host, such as 1gbit; empty for none
	// Disks is how many each peer has, DiskName the class's name for one: brick.
	Disks    int
	DiskName string
	// Disk is the simulated disk; nil makes directories below the scratch directory.
	Disk *disk.Parameters
	// Metadata is a simulated disk that each peer has after the others; nil for none.
	Metadata *disk.Parameters
	Daemon   Daemon
}

// Daemon is the program that every peer runs.
type Daemon struct {
	Name string
	// Prepare makes the files that the daemon of a peer needs below the peer's directory.
	Prepare func(*Peer) error
	// Command is the program with its arguments.
	Command func(*Peer) []string
	// Answers reports whether the daemon of a peer takes commands.
	Answers func(*Peer) bool
	// Log is the file below the peer's directory whose end errors show.
	Log string
}

// Machines are the peers of a pool and the host of its clients.
type Machines struct {
	config  Config
	network *simnet.Network
	client  simnet.Host
	groups  *cgroup.Tree
	peers   []*Peer

	limits    sync.Mutex // guards unlimited and the limits themselves
	unlimited bool
}

// New binds the configuration; nothing is made before Up.
func New(c Config) *Machines { return &Machines{config: c} }

// id names the machines on this machine; it carries the run's identifier.
func (m *Machines) id() string {
	return journal.Name(m.config.Env.RunID, filepath.Base(m.config.Env.Scratch))
}

// Up makes the hosts and their disks. The daemons are started by Start: all disks are
// mounted before the first peer takes its copy of the mount table.
func (m *Machines) Up(ctx context.Context) error {
	if err := m.makeHosts(ctx); err != nil {
		return err
	}
	return m.Each(ctx, (*Peer).makeDisks)
}

// Start starts all daemons at once and waits until they answer.
func (m *Machines) Start(ctx context.Context) error { return m.Each(ctx, (*Peer).Start) }

func (m *Machines) makeHosts(ctx context.Context) (err error) {
	var names []string
	for i := 1; i <= m.config.Peers; i++ {
		names = append(names, fmt.Sprint(i))
	}
	m.network = simnet.New(m.id(), m.config.Env.Journal)
	if err := m.network.Up(ctx, append(names, "client")); err != nil {
		return err
	}
	hosts := m.network.Hosts()
	m.client = hosts[len(hosts)-1]
	if m.groups, err = cgroup.New(m.id(), m.config.Env.Journal); err != nil {
		return err
	}
	for i, h := range hosts[:m.config.Peers] {
		group, err := m.groups.Group("peer"+h.Name, cgroup.Limits{CPU: float64(m.config.CPU), Memory: int64(m.config.Memory)})
		if err != nil {
			return fmt.Errorf("peer %s: %w", h.Name, err)
		}
		dir := filepath.Join(m.config.Env.Scratch, "p"+h.Name)
		m.peers = append(m.peers, &Peer{Number: i + 1, Host: h, Group: group, Dir: dir, machines: m})
	}
	return m.setLinks()
}

// Down ends the daemons and removes disks, groups and network, as far as they are there.
func (m *Machines) Down(ctx context.Context) error {
	errs := []error{m.Each(ctx, (*Peer).end), m.Each(ctx, (*Peer).removeDisks)}
	if m.groups != nil {
		errs = append(errs, m.groups.Close(ctx))
	}
	if m.network != nil {
		errs = append(errs, m.network.Down())
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	m.peers, m.unlimited = nil, false
	return nil
}

// Peers are all of them, from peer 1.
func (m *Machines) Peers() []*Peer { return m.peers }

// Peer is one of them, counted from 1.
func (m *Machines) Peer(n int) *Peer { return m.peers[n-1] }

// Client is the host of the clients, which has no limit of processors.
func (m *Machines) Client() simnet.Host { return m.client }

// CPULimited reports whether this machine enforces the limits of processors.
func (m *Machines) CPULimited() bool { return m.groups.CPU() }

// MemoryLimited reports whether this machine enforces the limits of memory.
func (m *Machines) MemoryLimited() bool { return m.groups.Memory() }

// Below makes a group for a process that shares the limits of a peer and is not ended
// with its daemon.
func (m *Machines) Below(p *Peer, name string) (*cgroup.Group, error) {
	return m.groups.Below(p.Group.Directories(), name, cgroup.Limits{})
}

// Each does something to all peers side by side.
func (m *Machines) Each(ctx context.Context, do func(*Peer, context.Context) error) error {
	errs := make([]error, len(m.peers))
	var all sync.WaitGroup
	for i, peer := range m.peers {
		all.Go(func() {
			if err := do(peer, ctx); err != nil {
				errs[i] = fmt.Errorf("peer %s: %w", peer.Host.Name, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// Dead names a peer whose daemon has ended.
func (m *Machines) Dead() error {
	for _, peer := range m.peers {
		if err := peer.Dead(); err != nil {
			return fmt.Errorf("peer %s: %w", peer.Host.Name, err)
		}
	}
	return nil
}

// Nodes are the peers, each followed by the processes that simulate its disks.
func (m *Machines) Nodes() (all []storage.Node) {
	for _, peer := range m.peers {
		all = append(all, storage.Node{
			Name: "peer" + peer.Host.Name, PIDs: peer.Group.PIDs(), Cgroups: peer.Group.Directories(),
			Netns: peer.Host.Netns, CPU: float64(m.config.CPU),
		})
		all = append(all, peer.media()...)
	}
	return all
}
