package local

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// host is where servers listen: on this machine only.
const host = "127.0.0.1"

// users is the network from which bare servers are reached.
const users = host + "/32"

// Ports are taken from below the range that Linux gives to outgoing connections (32768 on):
// any such connection could occupy a port.
const (
	lowestPort = 20000
	portRange  = 12000
)

// ports hands out loopback ports, no port to two servers at once.
type ports struct {
	mu    sync.Mutex
	taken map[int]bool
}

func newPorts() *ports { return &ports{taken: map[int]bool{}} }

// take finds a port that nobody listens on, the preferred one if it is not 0
// and free. Another program can still be faster; the server's start is then
// tried again with another.
func (p *ports) take(preferred int) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if preferred != 0 && !p.taken[preferred] && isFree(preferred) {
		p.taken[preferred] = true
		return preferred, nil
	}
	first := rand.IntN(portRange)
	for i := range portRange {
		port := lowestPort + (first+i)%portRange
		if !p.taken[port] && isFree(port) {
			p.taken[port] = true
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free loopback port from %d to %d", lowestPort, lowestPort+portRange-1)
}

func (p *ports) giveBack(port int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.taken, port)
}

func isFree(port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return false
	}
	_ = l.Close()
	return true
}
