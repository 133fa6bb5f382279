package peers

import (
	"slices"
	"sync"
)

// Faults remember what faults did that no later fault undid.
type Faults struct {
	mu  sync.Mutex
	all []Breakage
}

// Breakage is a part that a fault hit: a peer, a link, or one of the class's own parts.
type Breakage struct {
	What   string
	Number int
}

// Note adds the part that a fault hit.
func (f *Faults) Note(what string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if b := (Breakage{what, n}); !slices.Contains(f.all, b) {
		f.all = append(f.all, b)
	}
}

// Repaired removes it.
func (f *Faults) Repaired(what string, n int) {
	f.remove(func(b Breakage) bool { return b == Breakage{what, n} })
}

// RepairedAll removes all faults of a kind that can only be repaired together.
func (f *Faults) RepairedAll(what string) {
	f.remove(func(b Breakage) bool { return b.What == what })
}

func (f *Faults) remove(which func(Breakage) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = slices.DeleteFunc(f.all, which)
}

// Take returns all and forgets them.
func (f *Faults) Take() []Breakage {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.all
	f.all = nil
	return all
}
