package link

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"

	"plimsoll/test/quick"
)

// A connection whose processes were killed while it held data, and whose other end went first,
// does not keep its network namespace for minutes.
func TestOrphansLetGoOfTheLink(t *testing.T) {
	quick.Skip(t, quick.Media)
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root")
	}
	made, err := Link{Path: Remote, Rate: 1e9}.Make()
	must(t, err)
	defer made.Close()
	server, user := connected(t, made)
	must(t, server.SetWriteDeadline(time.Now().Add(time.Second)))
	if _, err := server.Write(make([]byte, 64<<20)); err == nil {
		t.Fatal("64 MiB fit into the buffers of a connection, so that it holds no data")
	}
	gone := watched(t, made.server)
	must(t, withNamespace(made.users, func(h *netlink.Handle) error {
		end, err := h.LinkByName(interfaces)
		if err != nil {
			return err
		}
		return h.LinkDel(end)
	}))
	must(t, server.Close())
	must(t, user.Close())
	made.Close()
	for deadline := time.Now().Add(time.Minute); !gone(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the server's namespace is still there")
		}
	}
}

// connected gives both ends of a connection over a link.
func connected(t *testing.T, made *LiveLink) (server, user net.Conn) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "socket")
	asked, err := net.Listen("unix", path)
	must(t, err)
	defer asked.Close()
	on, err := made.Listen()
	must(t, err)
	defer on.Close()
	go func() {
		if asker, err := asked.Accept(); err == nil {
			made.HandOut(asker.(*net.UnixConn))
		}
	}()
	user, err = Connect(t.Context(), path)
	must(t, err)
	server, err = on.Accept()
	must(t, err)
	return server, user
}

// watched moves a cable's end into a namespace. gone reports whether both are gone.
func watched(t *testing.T, ns netns.NsHandle) (gone func() bool) {
	t.Helper()
	from, err := newNamespace()
	must(t, err)
	t.Cleanup(func() { from.Close() })
	must(t, withNamespace(from, func(h *netlink.Handle) error {
		a := netlink.NewLinkAttrs()
		a.Name = "watch0"
		return h.LinkAdd(&netlink.Veth{LinkAttrs: a, PeerName: "watched", PeerNamespace: netlink.NsFd(ns)})
	}))
	return func() bool {
		var left []netlink.Link
		must(t, withNamespace(from, func(h *netlink.Handle) (err error) { left, err = h.LinkList(); return err }))
		return len(left) == 1
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
