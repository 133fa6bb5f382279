package peer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// question asks for sockets of TCP: inet_diag_req_v2 of the kernel's
// include/uapi/linux/inet_diag.h, whose ports and addresses are in the order of the network.
type question struct {
	family byte
	states uint32 // a bit for each
	ends          // of one socket; zero for all
}

// Sizes in bytes of inet_diag_req_v2 and inet_diag_msg, and where in the latter things are.
const (
	questionSize = 56
	answerSize   = 72
	uidAt        = 64
	inodeAt      = 68
	// endsAt is where inet_diag_sockid begins in the answer, and asksAt in the question.
	endsAt = 4
	asksAt = 8
	// Within inet_diag_sockid.
	localAt   = 4
	remoteAt  = 20
	cookieAt  = 40
	anyCookie = 0xffffffff
)

func (question) Len() int { return questionSize }

func (q question) Serialize() []byte {
	b := make([]byte, questionSize)
	b[0], b[1] = q.family, unix.IPPROTO_TCP
	binary.NativeEndian.PutUint32(b[4:], q.states)
	id := b[asksAt:]
	binary.BigEndian.PutUint16(id, q.local.Port())
	binary.BigEndian.PutUint16(id[2:], q.remote.Port())
	copy(id[localAt:], q.local.Addr().AsSlice())
	copy(id[remoteAt:], q.remote.Addr().AsSlice())
	binary.NativeEndian.PutUint32(id[cookieAt:], anyCookie)
	binary.NativeEndian.PutUint32(id[cookieAt+4:], anyCookie)
	return b
}

// States of a socket (the kernel's include/net/tcp_states.h): all, and those in which the
// process that connected has it.
const (
	anyState = 0xffffffff
	asClient = 1<<1 | 1<<2 | 1<<4 | 1<<5 | 1<<8 // established, SYN sent, FIN wait 1 and 2, close wait
)

// ask asks the kernel for the user of the socket with these ends (sock_diag(7)), which takes
// the same time however many there are. It fails with ENOENT where there is none.
func ask(e ends) (uid int, err error) {
	request := nl.NewNetlinkRequest(nl.SOCK_DIAG_BY_FAMILY, 0)
	q := question{unix.AF_INET, anyState, e}
	if e.local.Addr().Is6() {
		q.family = unix.AF_INET6
	}
	request.AddData(q)
	answers, err := request.Execute(unix.NETLINK_SOCK_DIAG, nl.SOCK_DIAG_BY_FAMILY)
	if err != nil {
		return 0, fmt.Errorf("ask the kernel whose a connection is: %w", err)
	}
	for _, b := range answers {
		if len(b) >= answerSize && endsIn(b) == e && binary.NativeEndian.Uint32(b[inodeAt:]) != 0 {
			return int(binary.NativeEndian.Uint32(b[uidAt:])), nil
		}
	}
	// A socket that listens at the port is no end of the connection, and one without an inode
	// has been closed by its process: its user is not known any more.
	return 0, errGone
}

// Client is the end of a connection that a process of this machine has.
type Client struct {
	UID    int
	Inode  uint32 // of its socket
	Server netip.AddrPort
}

// Clients lists the connections to servers at some addresses whose clients are on this machine,
// in the network namespace of this process. Its cost grows with the number of the machine's
// connections: about a microsecond each.
func Clients(servers map[netip.AddrPort]bool) (all []Client, err error) {
	for _, family := range []byte{unix.AF_INET, unix.AF_INET6} {
		request := nl.NewNetlinkRequest(nl.SOCK_DIAG_BY_FAMILY, unix.NLM_F_DUMP)
		request.AddData(question{family: family, states: asClient})
		err := request.ExecuteIter(unix.NETLINK_SOCK_DIAG, nl.SOCK_DIAG_BY_FAMILY, func(b []byte) bool {
			if len(b) < answerSize {
				return true
			}
			inode := binary.NativeEndian.Uint32(b[inodeAt:])
			if at := endsIn(b).remote; inode != 0 && servers[at] {
				all = append(all, Client{int(binary.NativeEndian.Uint32(b[uidAt:])), inode, at})
			}
			return true
		})
		if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
			return nil, fmt.Errorf("ask the kernel who is connected: %w", err)
		}
	}
	return all, nil
}

// endsIn are the ends of the socket that an answer is about.
func endsIn(b []byte) ends {
	size := 4
	if b[0] == unix.AF_INET6 {
		size = 16
	}
	id := b[endsAt:]
	at := func(address, port int) netip.AddrPort {
		ip, _ := netip.AddrFromSlice(id[address : address+size]) // the sizes are right
		return plain(netip.AddrPortFrom(ip, binary.BigEndian.Uint16(id[port:])))
	}
	return ends{at(localAt, 0), at(remoteAt, 2)}
}
