package local

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/vishvananda/netns"

	"plimsoll/internal/host/thread"
)

// relay is a socket by which this process reaches a server in a container: the
// process is on no network of a container, and the server has no socket of its
// own.
type relay struct {
	path     string
	listener net.Listener
	busy     sync.WaitGroup
}

// openRelay makes the way to the server that Ready and meters use.
func (p *process) openRelay() error {
	if p.in == nil || p.socket() != "" || p.place.Port == 0 {
		return nil
	}
	path := filepath.Join(p.place.Runtime, "relay.sock")
	if len(path) > socketPathLimit {
		return fmt.Errorf("the path of a socket, %s, has %d bytes; the limit is %d: use a shorter run identifier", path, len(path), socketPathLimit)
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return fmt.Errorf("make a way to ask %s: %w", p.name, err)
	}
	p.relay = &relay{path: path, listener: listener}
	address := p.endpoint().Address
	p.relay.busy.Go(func() { p.relay.serve(func() (net.Conn, error) { return p.in.dial(address) }) })
	return nil
}

// dial connects to an address of the container's network from inside.
func (c *container) dial(address string) (conn net.Conn, err error) {
	err = thread.Spare(func() (err error) {
		if err := netns.Set(c.network); err != nil {
			return err
		}
		conn, err = net.Dial("tcp", address)
		return err
	})
	return conn, err
}

func (r *relay) serve(dial func() (net.Conn, error)) {
	for {
		asked, err := r.listener.Accept()
		if err != nil {
			return // it was closed
		}
		r.busy.Go(func() { pass(asked, dial) })
	}
}

// pass copies both ways until both have ended.
func pass(asked net.Conn, dial func() (net.Conn, error)) {
	defer asked.Close()
	server, err := dial()
	if err != nil {
		return // who asked sees its connection closed
	}
	defer server.Close()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, _ = io.Copy(asked, server)
		_ = asked.Close() // so that the other way ends too
	}()
	_, _ = io.Copy(server, asked)
	_ = server.Close()
	<-answered
}

// close ends it; the server has ended already.
func (r *relay) close() error {
	err := r.listener.Close() // removes the socket
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	r.busy.Wait()
	return err
}
