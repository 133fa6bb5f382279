package local

import (
	"fmt"
	"net"
	"path/filepath"

	"plimsoll/internal/host/peer"
	"plimsoll/internal/host/relay"
)

// openRelay makes the way to the server that Ready and meters use: this process is on no
// network of a container, and the server has no socket of its own.
func (p *process) openRelay() (err error) {
	if p.in == nil || p.socket() != "" || p.place.Port == 0 {
		return nil
	}
	path := filepath.Join(p.place.Runtime, "relay.sock")
	if len(path) > socketPathLimit {
		return fmt.Errorf("the path of a socket, %s, has %d bytes; the limit is %d: use a shorter run identifier", path, len(path), socketPathLimit)
	}
	address := p.endpoint().Address
	p.relay, err = relay.Open("unix", path, peer.OfThisUser, func() (net.Conn, error) { return relay.DialIn(p.in.network, address) })
	if err != nil {
		return fmt.Errorf("make a way to ask %s: %w", p.name, err)
	}
	return nil
}
