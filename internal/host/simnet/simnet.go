// Package simnet makes hosts on one machine: network namespaces joined by a
// bridge that lives in a namespace of its own and leads nowhere else. Links
// have a rate and can be cut and repaired. It takes a name and a number of hosts
// and gives addresses and commands that run on them. It needs root.
package simnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/namespace"
)

// Network is a switch with hosts.
type Network struct {
	name    string // carries the run's identifier
	journal *journal.Journal
	hosts   []Host
	next    int // number of the next host
}

// Host is one machine of the network.
type Host struct {
	Name    string // "1", "2", ..., as in faults
	Netns   string // as ip netns shows it
	Address string // without the prefix
	number  int    // that the address is made of
}

// Subnet is the address range of every network. Networks cannot see each other, nor
// anything outside, so they can all use the same addresses.
const Subnet = "10.199.0.0/16"

// mtu is the size of jumbo frames: a virtual link of 10 Gb/s needs them to reach its rate
// with two cores.
const mtu = 9000

// New names a network; nothing is made before Up. The name is one of the run's
// (journal.Name).
func New(name string, j *journal.Journal) *Network { return &Network{name: name, journal: j} }

// Hosts are the machines that Up made.
func (n *Network) Hosts() []Host { return n.hosts }

// Up makes the switch and the named hosts.
func (n *Network) Up(ctx context.Context, names []string) error {
	if err := n.makeSwitch(); err != nil {
		return fmt.Errorf("make the switch: %w", err)
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := n.Add(name); err != nil {
			return err
		}
	}
	return nil
}

// mostHosts is how many links the kernel lets a bridge have, less one for its
// count, which begins with 1 (BR_MAX_PORTS).
const mostHosts = 1023

// numbers is how many addresses there are: 10.199.0.1 to 10.199.249.250.
const numbers = 250 * 250

// Add adds a host. Its link is named after it, so the name has ten bytes at most. A former
// host's address is not reused soon: others on the network remember the old host for a
// minute (arp(7)).
func (n *Network) Add(name string) (Host, error) {
	if len(n.hosts) >= mostHosts {
		return Host{}, fmt.Errorf("make host %s: the network has %d already, the most that a bridge of the kernel can join", name, mostHosts)
	}
	number := n.freeNumber()
	h := Host{Name: name, Netns: n.name + "." + name, Address: fmt.Sprintf("10.199.%d.%d", number/250, number%250+1), number: number}
	if err := n.makeHost(h); err != nil {
		return Host{}, errors.Join(fmt.Errorf("make host %s: %w", name, err), n.removeNetns(h.Netns))
	}
	n.hosts = append(n.hosts, h)
	return h, nil
}

// freeNumber is the next that no host has.
func (n *Network) freeNumber() int {
	for {
		number := n.next
		n.next = (n.next + 1) % numbers
		if !slices.ContainsFunc(n.hosts, func(h Host) bool { return h.number == number }) {
			return number
		}
	}
}

// Remove removes a host on which no program runs.
func (n *Network) Remove(host Host) error {
	n.hosts = slices.DeleteFunc(n.hosts, func(h Host) bool { return h.Name == host.Name })
	return n.removeNetns(host.Netns)
}

func (n *Network) switchNetns() string { return n.name + ".switch" }

func (n *Network) makeSwitch() error {
	if err := n.makeNetns(n.switchNetns()); err != nil {
		return err
	}
	return inside(n.switchNetns(), func(h *netlink.Handle) error {
		bridge := &netlink.Bridge{LinkAttrs: linkNamed("br0")}
		return errors.Join(up(h, "lo"), h.LinkAdd(bridge), up(h, "br0"))
	})
}

// makeHost joins a namespace to the switch by a pair of virtual links: eth0 in
// the host, its name on the switch.
func (n *Network) makeHost(host Host) error {
	if err := n.makeNetns(host.Netns); err != nil {
		return err
	}
	target, err := netns.GetFromName(host.Netns)
	if err != nil {
		return err
	}
	defer target.Close()
	err = inside(n.switchNetns(), func(h *netlink.Handle) error {
		pair := &netlink.Veth{LinkAttrs: linkNamed(port(host)), PeerName: "eth0", PeerNamespace: netlink.NsFd(target)}
		if err := h.LinkAdd(pair); err != nil {
			return fmt.Errorf("join it to the switch: %w", err)
		}
		bridge, err := h.LinkByName("br0")
		if err != nil {
			return err
		}
		end, err := h.LinkByName(port(host))
		if err != nil {
			return err
		}
		return errors.Join(h.LinkSetMaster(end, bridge), h.LinkSetUp(end))
	})
	if err != nil {
		return err
	}
	return inside(host.Netns, func(h *netlink.Handle) error { return address(h, host.Address) })
}

func address(h *netlink.Handle, ip string) error {
	link, err := h.LinkByName("eth0")
	if err != nil {
		return err
	}
	addr := &netlink.Addr{IPNet: &net.IPNet{IP: net.ParseIP(ip), Mask: net.CIDRMask(16, 32)}}
	return errors.Join(h.LinkSetMTU(link, mtu), h.AddrAdd(link, addr), h.LinkSetUp(link), up(h, "lo"))
}

// port is the link's name on the switch.
func port(h Host) string { return "host-" + h.Name }

func linkNamed(name string) netlink.LinkAttrs {
	a := netlink.NewLinkAttrs()
	a.Name, a.MTU = name, mtu
	return a
}

func up(h *netlink.Handle, name string) error {
	link, err := h.LinkByName(name)
	if err != nil {
		return err
	}
	return h.LinkSetUp(link)
}

func (n *Network) makeNetns(name string) error {
	o := journal.Object{Kind: journal.Netns, Name: name}
	if err := n.journal.Making(o); err != nil {
		return err
	}
	if err := namespace.Make(name); err != nil {
		return err
	}
	return n.journal.Made(o)
}

// inside returns a netlink handle that acts in a namespace.
func inside(name string, do func(*netlink.Handle) error) error {
	ns, err := netns.GetFromName(name)
	if err != nil {
		return fmt.Errorf("network namespace %s: %w", name, err)
	}
	defer ns.Close()
	h, err := netlink.NewHandleAt(ns)
	if err != nil {
		return err
	}
	defer h.Close()
	return do(h)
}

// Path is the file of the host's namespace, as nsenter --net takes it.
func (h Host) Path() string { return namespace.Path(h.Netns) }

// Command runs a program on the host: in its network, with everything else
// as here.
func (h Host) Command(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "nsenter", append([]string{"--net=" + h.Path(), "--"}, args...)...)
}

// Cut takes the host's link down; the programs on it run on.
func (n *Network) Cut(host Host) error { return n.setLink(host, (*netlink.Handle).LinkSetDown) }

// Repair takes the host's link up again.
func (n *Network) Repair(host Host) error { return n.setLink(host, (*netlink.Handle).LinkSetUp) }

func (n *Network) setLink(host Host, set func(*netlink.Handle, netlink.Link) error) error {
	return inside(n.switchNetns(), func(h *netlink.Handle) error {
		link, err := h.LinkByName(port(host))
		if err != nil {
			return fmt.Errorf("link of host %s: %w", host.Name, err)
		}
		return set(h, link)
	})
}

// SetRate limits the host's link to so many bits per second both ways, with a
// token bucket at either end; 0 removes the limit.
func (n *Network) SetRate(host Host, bitsPerSecond uint64) error {
	ends := []struct{ netns, link string }{{n.switchNetns(), port(host)}, {host.Netns, "eth0"}}
	for _, end := range ends {
		err := inside(end.netns, func(h *netlink.Handle) error { return Shape(h, end.link, bitsPerSecond) })
		if err != nil {
			return fmt.Errorf("set the rate of host %s: %w", host.Name, err)
		}
	}
	return nil
}

// Shape puts a token bucket filter on a link (tc-tbf(8)); 0 removes it. The bucket holds
// 4 ms at the rate, or a few jumbo frames if that is more; the queue holds 50 ms.
func Shape(h *netlink.Handle, name string, bitsPerSecond uint64) error {
	link, err := h.LinkByName(name)
	if err != nil {
		return err
	}
	attrs := netlink.QdiscAttrs{LinkIndex: link.Attrs().Index, Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT}
	if bitsPerSecond == 0 {
		err := h.QdiscDel(&netlink.Tbf{QdiscAttrs: attrs})
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EINVAL) {
			return nil // the kernel's words for a link that has no limit
		}
		return err
	}
	bytes := bitsPerSecond / 8
	bucket := max(uint32(bytes/250), 8*mtu)
	return h.QdiscReplace(&netlink.Tbf{
		QdiscAttrs: attrs, Rate: bytes, Buffer: ticks(bytes, bucket), Limit: bucket + uint32(bytes/20), Peakrate: 0,
	})
}

// ticks is how long a bucket takes to fill at the rate, in the kernel's ticks
// of 64 ns (net/sched/sch_tbf.c counts buckets in time).
func ticks(bytesPerSecond uint64, bucket uint32) uint32 {
	return uint32(time.Duration(float64(bucket)/float64(bytesPerSecond)*float64(time.Second)) / 64)
}

// Down removes the hosts and the switch. Programs that still run on them keep
// their namespace alive; end them first.
func (n *Network) Down() error {
	var errs []error
	for _, h := range n.hosts {
		errs = append(errs, n.removeNetns(h.Netns))
	}
	n.hosts, n.next = nil, 0
	return errors.Join(append(errs, n.removeNetns(n.switchNetns()))...)
}

func (n *Network) removeNetns(name string) error {
	if _, err := namespace.Remove(name); err != nil {
		return err
	}
	return n.journal.Removed(journal.Object{Kind: journal.Netns, Name: name})
}
