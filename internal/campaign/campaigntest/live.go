package campaigntest

import (
	"maps"
	"slices"
	"sync"
)

// live is what of servers and tasks belongs to the process of a campaign.
type live struct {
	mu  *sync.Mutex
	all map[string]ender
}

// ender is a server or a task. end ends it in the world; exit only for the
// campaign, whose process has ended.
type ender interface {
	end(why error)
	exit()
}

func newLive() live { return live{&sync.Mutex{}, map[string]ender{}} }

func (l live) add(name string, e ender) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all[name] = e
}

func (l live) forget(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all, name)
}

func (l live) get(name string) ender {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all[name]
}

func (l live) fail(name string, why error) bool {
	e := l.get(name)
	if e != nil {
		e.end(why)
	}
	return e != nil
}

func (l live) end(name string) { l.fail(name, nil) }

func (l live) enders() []ender {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Values(l.all))
}

func (l live) stopAll() {
	for _, e := range l.enders() {
		e.end(nil)
	}
}

func (l live) exit() {
	for _, e := range l.enders() {
		e.exit()
	}
}

// server gives one of the running servers: the last by name.
func (l live) server() (last *process) {
	for _, e := range l.enders() {
		if p, ok := e.(*process); ok && (last == nil || p.Name() > last.Name()) {
			last = p
		}
	}
	return last
}
