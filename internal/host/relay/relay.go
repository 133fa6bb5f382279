// Package relay leads connections that a socket of this machine takes on to a server in
// another network: it is how a program that is on no network of the server reaches it. It
// leads on nobody else's.
package relay

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"

	"github.com/vishvananda/netns"

	"plimsoll/internal/host/peer"
	"plimsoll/internal/host/thread"
)

// Relay is a listener whose connections are led on.
type Relay struct {
	listener *peer.Guard
	busy     sync.WaitGroup

	mu   sync.Mutex
	open map[net.Conn]bool // nil once it is closed
}

// Open listens at an address, such as the path of a socket (unix) or 127.0.0.1:0 (tcp), and
// relays each connection of a permitted user to the server that dial connects to. Other
// connections end at once.
func Open(network, address string, may func(net.Conn) bool, dial func() (net.Conn, error)) (*Relay, error) {
	listener, err := net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	r := &Relay{listener: peer.NewGuard(listener, may, peer.Share(), 0), open: map[net.Conn]bool{}}
	r.busy.Go(func() { r.serve(dial) })
	return r, nil
}

// Address is where it listens.
func (r *Relay) Address() string { return r.listener.Addr().String() }

// DialIn connects to a TCP address from inside a network namespace.
func DialIn(namespace netns.NsHandle, address string) (conn net.Conn, err error) {
	err = thread.Spare(func() (err error) {
		if err := netns.Set(namespace); err != nil {
			return err
		}
		conn, err = net.Dial("tcp", address)
		return err
	})
	return conn, err
}

func (r *Relay) serve(dial func() (net.Conn, error)) {
	for {
		asked, err := r.listener.Accept()
		if err != nil {
			return // it was closed
		}
		r.busy.Go(func() { r.pass(asked.(*peer.Conn), dial) })
	}
}

// pass copies both ways until either ends.
func (r *Relay) pass(asked *peer.Conn, dial func() (net.Conn, error)) {
	defer asked.Close()
	server, err := dial()
	if err != nil {
		return // who asked sees its connection closed
	}
	defer server.Close()
	if !r.enter(asked, server) {
		return
	}
	defer r.leave(asked, server)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, _ = io.Copy(asked.Conn, server) // the kernel copies between connections as they are
		_ = asked.Close()                  // so that the other way ends too
	}()
	_, _ = io.Copy(server, asked.Conn)
	_ = server.Close()
	<-answered
}

// enter notes connections that Close ends; it is false when that has happened.
func (r *Relay) enter(all ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		return false
	}
	for _, c := range all {
		r.open[c] = true
	}
	return true
}

func (r *Relay) leave(all ...net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range all {
		delete(r.open, c)
	}
}

// Close ends it with its connections, and removes the socket.
func (r *Relay) Close() error {
	err := r.listener.Close()
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	r.mu.Lock()
	for c := range r.open {
		_ = c.Close()
	}
	r.open = nil
	r.mu.Unlock()
	r.busy.Wait()
	return err
}
