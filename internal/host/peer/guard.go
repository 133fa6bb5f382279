package peer

import (
	"container/list"
	"errors"
	"net"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Guard is a listener with separate places for trusted connections and for strangers, who
// cannot take the trusted places. It finds out whose a connection is before doing anything
// else for it.
type Guard struct {
	on   net.Listener
	ours func(net.Conn) bool
	// own has an element for each connection of its own, as many as it may have.
	own    chan struct{}
	closed chan struct{}
	once   sync.Once

	mu        sync.Mutex
	most      int        // of strangers
	strangers *list.List // of *Conn, the oldest first
}

// NewGuard guards a listener. It serves up to own trusted connections at once; more wait to
// be accepted. A stranger beyond the number of strangers replaces the oldest stranger,
// whose connection ends; if the number is 0, all strangers' connections end at once.
func NewGuard(on net.Listener, ours func(net.Conn) bool, own, strangers int) *Guard {
	return &Guard{on: on, ours: ours, own: make(chan struct{}, own), closed: make(chan struct{}), most: strangers, strangers: list.New()}
}

// Addr is the listener's address.
func (g *Guard) Addr() net.Addr { return g.on.Addr() }

// Close ends the listener; connections go on.
func (g *Guard) Close() error {
	g.once.Do(func() { close(g.closed) })
	return g.on.Close()
}

// shortage is how long it waits for descriptors or memory, which the end of a connection
// gives back.
const shortage = 10 * time.Millisecond

// Accept returns the next connection that has a place, a *Conn. It fails only when the listener
// does: a connection that its maker gave up, or a want of descriptors, passes.
func (g *Guard) Accept() (net.Conn, error) {
	for {
		raw, err := g.on.Accept()
		if err != nil {
			if !passes(err) {
				return nil, err
			}
			select {
			case <-g.closed:
			case <-time.After(shortage):
			}
			continue
		}
		if c := g.admit(raw); c != nil {
			return c, nil
		}
	}
}

// passes reports whether an error of accept(2) is temporary.
func passes(err error) bool {
	for _, one := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.EINTR} {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
}

// admit gives a connection a place, or ends it.
func (g *Guard) admit(raw net.Conn) *Conn {
	c := &Conn{Conn: raw, guard: g}
	if g.ours(raw) {
		select {
		case g.own <- struct{}{}:
			c.isOwn = true
			return c
		case <-g.closed:
		}
		drop(raw)
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.most == 0 {
		drop(raw)
		return nil
	}
	if g.strangers.Len() >= g.most {
		oldest := g.strangers.Remove(g.strangers.Front()).(*Conn)
		oldest.place = nil
		drop(oldest.Conn)
	}
	c.place = g.strangers.PushBack(c)
	return c
}

// drop ends a connection without leaving anything in the kernel.
func drop(raw net.Conn) {
	if tcp, ok := raw.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = raw.Close()
}

// Conn is a connection that a Guard has let in.
type Conn struct {
	net.Conn
	guard *Guard
	once  sync.Once

	// Of the guard's mu.
	isOwn  bool
	place  *list.Element // among strangers; nil for trusted connections and for strangers who lost it
	closed bool
}

// Own reports whether it is the guard's own.
func (c *Conn) Own() bool {
	c.guard.mu.Lock()
	defer c.guard.mu.Unlock()
	return c.isOwn
}

// Trust makes a stranger's connection one of the guard's own, as when it has shown a token, if
// there is a place for it.
func (c *Conn) Trust() {
	c.guard.mu.Lock()
	defer c.guard.mu.Unlock()
	if c.place == nil || c.closed {
		return
	}
	select {
	case c.guard.own <- struct{}{}:
		c.guard.strangers.Remove(c.place)
		c.isOwn, c.place = true, nil
	default:
	}
}

// Close ends it and gives its place back.
func (c *Conn) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.leave)
	return err
}

func (c *Conn) leave() {
	c.guard.mu.Lock()
	defer c.guard.mu.Unlock()
	c.closed = true
	switch {
	case c.isOwn:
		<-c.guard.own
	case c.place != nil:
		c.guard.strangers.Remove(c.place)
	}
}

// Share is how many connections a guard may have that leads each on over another descriptor:
// so many that they take a quarter of those that this process may open.
func Share() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return leastShare
	}
	return int(max(leastShare, min(limit.Cur, mostDescriptors)/sharesOfAll))
}

const (
	leastShare      = 64
	sharesOfAll     = 8
	mostDescriptors = 1 << 20
)
