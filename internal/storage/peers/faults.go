package peers

import (
	"slices"
	"sync"
)

// Faults remember what faults did that no later fault undid.
type Faults struct {
	mu  sync.Mutex
	all []Broken
}

// Broken is what a fault hit: a peer, a link, or what the class calls its parts.
type Broken struct {
	What   string
	Number int
}

// Note adds what a fault hit.
func (f *Faults) Note(what string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if b := (Broken{what, n}); !slices.Contains(f.all, b) {
		f.all = append(f.all, b)
	}
}

// Repaired removes it.
func (f *Faults) Repaired(what string, n int) {
	f.remove(func(b Broken) bool { return b == Broken{what, n} })
}

// RepairedAll removes all faults of a kind that can only be repaired together.
func (f *Faults) RepairedAll(what string) {
	f.remove(func(b Broken) bool { return b.What == what })
}

func (f *Faults) remove(which func(Broken) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = slices.DeleteFunc(f.all, which)
}

// Take returns all and forgets them.
func (f *Faults) Take() []Broken {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.all
	f.all = nil
	return all
}
