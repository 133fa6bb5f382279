package local

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"

	"plimsoll/internal/host/peer"
	"plimsoll/internal/platform"
	"plimsoll/internal/text/words"
)

// strangers watches who connects to the servers of a trial that listen on a port of the
// machine, which any of its users can do. The load that others put on a server is measured
// with the rest, so readers of the figures have to know of it.
//
// It looks once a second and misses shorter connections. It does not distinguish programs
// of this process's own user and of root from the run's.
type strangers struct {
	local     *Local
	instances func() []platform.WatchedInstance
	stop      chan struct{}
	done      chan struct{}

	// owned by the goroutine that looks, and then by end
	most map[stranger]int // connections at once
	by   map[stranger]string
	err  error
}

// stranger is a user of the machine at a server.
type stranger struct {
	server string
	at     netip.AddrPort
	uid    int
}

// lookEvery is how often it looks.
const lookEvery = time.Second

// watchStrangers watches until end is called, or ctx ends.
func (l *Local) watchStrangers(ctx context.Context, instances func() []platform.WatchedInstance) *strangers {
	s := &strangers{local: l, instances: instances, stop: make(chan struct{}), done: make(chan struct{}), most: map[stranger]int{}, by: map[stranger]string{}}
	go func() {
		defer close(s.done)
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for s.look() {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			case <-s.stop:
				s.look()
				return
			}
		}
	}()
	return s
}

// look counts the strangers that are there now; false when it cannot.
func (s *strangers) look() bool {
	servers := s.servers()
	if len(servers) == 0 {
		return true
	}
	at := map[netip.AddrPort]bool{}
	for address := range servers {
		at[address] = true
	}
	clients, err := peer.Clients(at)
	if err != nil {
		s.err = err
		return false
	}
	now := map[stranger]int{}
	for _, c := range clients {
		if c.UID == 0 || c.UID == os.Geteuid() || s.local.users.has(c.UID) {
			continue
		}
		who := stranger{servers[c.Server], c.Server, c.UID}
		now[who]++
		if _, known := s.by[who]; !known {
			s.by[who] = programWith(c)
		}
	}
	for who, n := range now {
		s.most[who] = max(s.most[who], n)
	}
	return true
}

// servers are those that listen on a port of the machine, by their addresses.
func (s *strangers) servers() map[netip.AddrPort]string {
	all := map[netip.AddrPort]string{}
	if s.instances == nil {
		return all
	}
	for _, i := range s.instances() {
		if p, ok := i.Process.(*process); ok && p.in == nil && p.place.Port != 0 {
			all[netip.AddrPortFrom(netip.MustParseAddr(host), uint16(p.place.Port))] = i.Name
		}
	}
	return all
}

// end ends the watch, and says who was there.
func (s *strangers) end() (notes []string) {
	close(s.stop)
	<-s.done
	if s.err != nil {
		notes = append(notes, fmt.Sprintf("whether other users of this machine connected to the servers is not known: %v", s.err))
	}
	byName := func(a, b stranger) int {
		return cmp.Or(cmp.Compare(a.server, b.server), a.at.Compare(b.at), cmp.Compare(a.uid, b.uid))
	}
	for _, who := range slices.SortedFunc(maps.Keys(s.most), byName) {
		program := "a program that is not known"
		if name := s.by[who]; name != "" {
			program = strconv.Quote(name)
		}
		notes = append(notes, fmt.Sprintf("user %d of this machine, who is none of the run's, had up to %s at once to %s at %s (%s): what the server did for them is in the figures",
			who.uid, words.Count(s.most[who], "connection"), who.server, who.at, program))
	}
	return notes
}

// programWith is the name of the program that has a client's socket; empty where this user
// may not look, or it has gone.
func programWith(c peer.Client) string {
	processes, err := procfs.AllProcs()
	if err != nil {
		return ""
	}
	socket := fmt.Sprintf("socket:[%d]", c.Inode)
	for _, p := range processes {
		targets, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.PID)) // the pattern is well-formed
		if err != nil {
			continue
		}
		for _, fd := range targets {
			if to, err := os.Readlink(fd); err == nil && to == socket {
				name, _ := p.Comm() // it may have ended
				return strings.TrimSpace(name)
			}
		}
	}
	return ""
}
