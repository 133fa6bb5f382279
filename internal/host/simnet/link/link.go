// Package link makes a link of a server's own: two network namespaces of one machine, joined by
// a virtual cable of a rate. Users get connections over it from a unix socket of the server.
package link

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"

	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"plimsoll/internal/host/simnet"
	"plimsoll/internal/host/thread"
)

// Paths of connections.
const (
	// Direct is over whatever is between the server and its users.
	Direct = ""
	// Remote is a link of the server's own on which packets have the size of Ethernet's, as
	// between two machines: the sender's end cuts larger ones.
	Remote = "remote"
	// Local is one as between two virtual machines of a host: large packets pass as they
	// are, unless receive offload is off.
	Local = "local"
)

// Receive offload: whether the receiving end puts packets of a connection together before
// the network stack sees them.
const (
	AsIs = "" // as the kernel has it
	On   = "on"
	Off  = "off"
)

// Link is a link of a server's own: two network namespaces without names, joined by a
// pair of virtual interfaces. They are gone with the process and its last connection.
type Link struct {
	Path           string `json:"path,omitempty"`
	ReceiveOffload string `json:"receive_offload,omitempty"`
	Rate           uint64 `json:"rate,omitempty"` // bits/s; 0 is no limit
}

// ethernet is the MTU of its links.
const ethernet = 1500

// The ends of the link, and the port of the server's.
const (
	userAddress   = "10.198.0.1"
	serverAddress = "10.198.0.2"
	serverPort    = 5201
	interfaces    = "eth0" // the name of either
)

// LiveLink is a link that exists, with the namespaces of its ends.
type LiveLink struct {
	mu            sync.RWMutex // Close waits for whoever uses them
	users, server netns.NsHandle
}

// Make makes the link.
func (l Link) Make() (made *LiveLink, err error) {
	made = &LiveLink{users: netns.None(), server: netns.None()}
	defer func() {
		if err != nil {
			made.Close()
		}
	}()
	if made.users, err = newNamespace(); err != nil {
		return nil, err
	}
	if made.server, err = newNamespace(); err != nil {
		return nil, err
	}
	err = withNamespace(made.users, func(h *netlink.Handle) error {
		a := netlink.NewLinkAttrs()
		a.Name, a.MTU = interfaces, ethernet
		return h.LinkAdd(&netlink.Veth{LinkAttrs: a, PeerName: interfaces, PeerMTU: ethernet, PeerNamespace: netlink.NsFd(made.server)})
	})
	if err != nil {
		return nil, fmt.Errorf("join two namespaces: %w", err)
	}
	for ns, address := range map[netns.NsHandle]string{made.users: userAddress, made.server: serverAddress} {
		if err = l.furnish(ns, address); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// Close lets go of the namespaces. What still goes over the link keeps them.
func (l *LiveLink) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.users.Close()
	_ = l.server.Close()
}

// newNamespace makes a network namespace, which lasts as long as the handle.
func newNamespace() (ns netns.NsHandle, err error) {
	err = thread.Spare(func() error {
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("make a network namespace: %w", err)
		}
		ns, err = netns.Get()
		return err
	})
	return ns, err
}

// at acts in a namespace.
func withNamespace(ns netns.NsHandle, do func(*netlink.Handle) error) error {
	return inside(ns, func() error {
		h, err := netlink.NewHandle()
		if err != nil {
			return err
		}
		defer h.Close()
		return do(h)
	})
}

func inside(ns netns.NsHandle, do func() error) error {
	return thread.Spare(func() error {
		if err := netns.Set(ns); err != nil {
			return fmt.Errorf("enter a network namespace: %w", err)
		}
		return do()
	})
}

// furnish gives an end its address, its offloads and its rate. Both ends are alike,
// because streams go either way.
func (l Link) furnish(ns netns.NsHandle, ip string) error {
	return withNamespace(ns, func(h *netlink.Handle) error {
		end, err := h.LinkByName(interfaces)
		if err != nil {
			return err
		}
		if err := h.AddrAdd(end, &netlink.Addr{IPNet: &net.IPNet{IP: net.ParseIP(ip), Mask: net.CIDRMask(30, 32)}}); err != nil {
			return fmt.Errorf("give it an address: %w", err)
		}
		if err := l.switchOffloads(); err != nil {
			return err
		}
		dropOrphans()
		if l.Rate > 0 {
			if err := simnet.Shape(h, interfaces, l.Rate); err != nil {
				return fmt.Errorf("limit its rate: %w", err)
			}
		}
		return h.LinkSetUp(end)
	})
}

// The kernel's names of features by which interfaces do the work of the network stack.
const (
	coalesces  = "rx-gro" // generic receive offload
	segments   = "tx-tcp-segmentation"
	segmentsV6 = "tx-tcp6-segmentation"
	segmentsIn = "tx-generic-segmentation"
)

// offloads lists the features to switch on or off at both ends.
func (l Link) offloads() map[string]bool {
	want := map[string]bool{}
	if l.ReceiveOffload != AsIs {
		want[coalesces] = l.ReceiveOffload == On
	}
	if l.Path == Remote || l.ReceiveOffload == Off {
		want[segments], want[segmentsV6], want[segmentsIn] = false, false, false
	}
	return want
}

func (l Link) switchOffloads() error {
	want := l.offloads()
	if len(want) == 0 {
		return nil
	}
	tool, err := ethtool.NewEthtool()
	if err != nil {
		return fmt.Errorf("ask for the offloads of the link: %w", err)
	}
	defer tool.Close()
	if err := tool.Change(interfaces, want); err != nil {
		return fmt.Errorf("switch the offloads %v of the link, which this kernel's virtual interfaces do not let anybody do: %w; set receive_offload to as-is", want, err)
	}
	have, err := tool.Features(interfaces)
	if err != nil {
		return fmt.Errorf("ask for the offloads of the link: %w", err)
	}
	for name, on := range want {
		if have[name] != on {
			return fmt.Errorf("the offload %s of this kernel's virtual interfaces cannot be switched (it stays %t): set receive_offload to as-is", name, have[name])
		}
	}
	return nil
}

// orphanRetries is how often the kernel resends the data of a connection that no process
// has open (tcp_orphan_retries, a setting of each network namespace). By default it takes
// minutes to give up. If the other end was killed first and the cable went with it, the
// connection holds its namespace for that long.
const orphanRetries = "3"

// dropOrphans lets connections of killed processes end within seconds. Where the kernel's settings
// are read-only, as in some containers, they end later, which harms no measurement.
func dropOrphans() {
	_ = os.WriteFile("/proc/sys/net/ipv4/tcp_orphan_retries", []byte(orphanRetries), 0)
}

// in acts at one end, unless the link is closed: its descriptor may be another file's by then.
func (l *LiveLink) in(end *netns.NsHandle, do func() error) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if !end.IsOpen() {
		return net.ErrClosed
	}
	return inside(*end, do)
}

// Listen listens at the server's end.
func (l *LiveLink) Listen() (on net.Listener, err error) {
	err = l.in(&l.server, func() error {
		on, err = net.Listen("tcp", fmt.Sprintf("%s:%d", serverAddress, serverPort))
		return err
	})
	return on, err
}

// dial connects from the users' end, and gives the descriptor.
func (l *LiveLink) dial() (fd int, err error) {
	err = l.in(&l.users, func() error {
		if fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err != nil {
			return os.NewSyscallError("socket", err)
		}
		to := &unix.SockaddrInet4{Port: serverPort, Addr: [4]byte(net.ParseIP(serverAddress).To4())}
		if err := unix.Connect(fd, to); err != nil {
			_ = unix.Close(fd)
			return os.NewSyscallError("connect", err)
		}
		return nil
	})
	return fd, err
}

// HandOut gives a connection over the link to who asks for one on a unix socket, and ends
// the conversation.
func (l *LiveLink) HandOut(to *net.UnixConn) {
	defer to.Close()
	fd, err := l.dial()
	if err != nil {
		_, _ = to.Write([]byte(err.Error())) // who asked may be gone
		return
	}
	defer unix.Close(fd)
	_, _, _ = to.WriteMsgUnix([]byte{0}, unix.UnixRights(fd), nil) // who asked may be gone
}

// mostReason bounds what comes in place of a connection, in bytes.
const mostReason = 4096

// Connect asks the socket of a server for a connection over the server's link, which
// comes as a descriptor (unix(7), SCM_RIGHTS).
func Connect(ctx context.Context, path string) (net.Conn, error) {
	control, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	defer control.Close()
	if deadline, ok := ctx.Deadline(); ok {
		if err := control.SetDeadline(deadline); err != nil {
			return nil, err
		}
	}
	text, rights := make([]byte, mostReason), make([]byte, unix.CmsgSpace(4))
	n, got, _, _, err := control.(*net.UnixConn).ReadMsgUnix(text, rights)
	if err != nil {
		return nil, fmt.Errorf("wait for a connection over the server's link: %w", err)
	}
	messages, err := unix.ParseSocketControlMessage(rights[:got])
	if err != nil || len(messages) == 0 {
		return nil, fmt.Errorf("the server gave no connection over its link: %s", text[:n])
	}
	descriptors, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(descriptors[0]), "connection")
	defer file.Close()
	return net.FileConn(file)
}
