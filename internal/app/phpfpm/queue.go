package phpfpm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// listening is the state TCP_LISTEN of the kernel's net/tcp_states.h, which unix sockets
// have, too.
const listening = 10

// Of the kernel's include/uapi/linux/unix_diag.h: what to show of a socket, and the
// attributes that show it.
const (
	showName    = 1 << 0
	showQueue   = 1 << 4
	nameOf      = 0
	queueOf     = 4
	messageSize = 16
)

// listeners asks for all unix sockets that a process listens on (unix_diag_req).
type listeners struct{}

func (listeners) Len() int { return 24 }

func (r listeners) Serialize() []byte {
	b := make([]byte, r.Len())
	b[0] = unix.AF_UNIX
	binary.NativeEndian.PutUint32(b[4:], 1<<listening)
	binary.NativeEndian.PutUint32(b[12:], showName|showQueue)
	return b
}

// queued is how many connections to a socket its server has not accepted (sock_diag(7)).
func queued(socket string) (waiting float64, err error) {
	request := nl.NewNetlinkRequest(nl.SOCK_DIAG_BY_FAMILY, unix.NLM_F_DUMP)
	request.AddData(listeners{})
	found := false
	err = request.ExecuteIter(unix.NETLINK_SOCK_DIAG, nl.SOCK_DIAG_BY_FAMILY, func(message []byte) bool {
		if len(message) < messageSize {
			return true
		}
		attributes, err := nl.ParseRouteAttr(message[messageSize:])
		if err == nil && named(attributes, socket) {
			waiting, found = queueIn(attributes), true
		}
		return !found
	})
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return 0, fmt.Errorf("ask the kernel for the queue of PHP-FPM: %w", err)
	}
	if !found {
		return 0, fmt.Errorf("ask the kernel for the queue of PHP-FPM: nobody listens on %s", socket)
	}
	return waiting, nil
}

func named(all []syscall.NetlinkRouteAttr, socket string) bool {
	for _, a := range all {
		if a.Attr.Type == nameOf && strings.TrimRight(string(a.Value), "\x00") == socket {
			return true
		}
	}
	return false
}

// queueIn is the first number of unix_diag_rqlen: for a socket that listens the
// connections that wait, as the second is how many may.
func queueIn(all []syscall.NetlinkRouteAttr) float64 {
	for _, a := range all {
		if a.Attr.Type == queueOf && len(a.Value) >= 4 {
			return float64(binary.NativeEndian.Uint32(a.Value))
		}
	}
	return 0
}
