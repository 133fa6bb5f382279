package telemetry

import (
	"bytes"
	"math"
	"slices"
	"strconv"
)

// family is a group of processes and their descendants, the parents before
// their children.
type family struct {
	files     *files
	roots     func() []int
	processes *file // cgroup.procs, when the group has a cgroup
	members   []*process

	listed   []byte // what the list was made from
	children map[int]*file
	age      int // samples since the list was made
}

// relist is after how many samples the whole tree is walked again, although
// the children of its roots are the same.
const relist = 10

func (f *family) close() {
	for _, p := range f.members {
		p.close()
	}
	for _, c := range f.children {
		c.close()
	}
}

// refresh brings the list of members up to date at little cost: from the
// cgroup, or from the list of children of each process.
func (f *family) refresh() {
	if f.processes != nil {
		f.fromCgroup()
		return
	}
	f.age++
	if f.listed != nil && f.age < relist && bytes.Equal(f.rootChildren(), f.listed) {
		return
	}
	f.walk()
}

func (f *family) fromCgroup() {
	text := f.processes.read()
	if f.listed != nil && bytes.Equal(text, f.listed) {
		return
	}
	f.listed = append([]byte{}, text...)
	f.set(pidsIn(f.listed))
}

// pidsIn reads process identifiers that blanks or line ends separate.
func pidsIn(text []byte) []int {
	var pids []int
	for {
		text = bytes.TrimLeft(text, " \n")
		pid, rest, ok := number(text)
		if !ok {
			return pids
		}
		pids, text = append(pids, int(pid)), rest
	}
}

// rootChildren gives the children of the first root, as a cheap sign that the tree has
// not changed; nil makes the tree be walked.
func (f *family) rootChildren() []byte {
	if len(f.members) == 0 {
		return nil
	}
	return f.childrenOf(f.members[0].pid)
}

// walk lists the roots and all their descendants.
func (f *family) walk() {
	f.age = 0
	f.listed = nil
	var pids []int
	if f.roots != nil {
		pids = append(pids, f.roots()...)
	}
	for i := 0; i < len(pids); i++ {
		text := f.childrenOf(pids[i])
		if i == 0 {
			f.listed = append([]byte{}, text...)
		}
		for _, child := range pidsIn(text) {
			if !slices.Contains(pids, child) {
				pids = append(pids, child)
			}
		}
	}
	f.set(pids)
}

func (f *family) childrenOf(pid int) []byte {
	if f.children == nil {
		f.children = map[int]*file{}
	}
	c, ok := f.children[pid]
	if !ok {
		id := strconv.Itoa(pid)
		c = f.files.list("/proc/" + id + "/task/" + id + "/children")
		f.children[pid] = c
	}
	return c.read()
}

// set makes the members those with the given identifiers, in that order.
func (f *family) set(pids []int) {
	before := map[int]*process{}
	for _, p := range f.members {
		before[p.pid] = p
	}
	f.members = f.members[:0]
	for _, pid := range pids {
		p, ok := before[pid]
		if !ok {
			p = newProcess(f.files, pid)
		}
		delete(before, pid)
		f.members = append(f.members, p)
	}
	for pid, p := range before {
		f.forget(pid, p)
	}
}

func (f *family) forget(pid int, p *process) {
	p.close()
	if c, ok := f.children[pid]; ok {
		c.close()
		delete(f.children, pid)
	}
}

// remove drops members that have ended.
func (f *family) remove(gone map[int]bool) {
	if len(gone) == 0 {
		return
	}
	f.listed = nil // have the tree walked at the next sample
	f.members = slices.DeleteFunc(f.members, func(p *process) bool {
		if gone[p.pid] {
			f.forget(p.pid, p)
		}
		return gone[p.pid]
	})
}

// amounts are growing quantities of a process.
type amounts [6]float64

// total adds growing quantities up over the members. A member that has
// ended since the list was made passes its share on to its parent, whose
// numbers were read before; so the sums are then made again without it, and
// are not known if they keep ending.
func (f *family) total(of func(*process) (a amounts, there bool)) (sum amounts) {
	for range 3 {
		sum = amounts{}
		gone := map[int]bool{}
		for _, p := range f.members {
			a, there := of(p)
			if !there {
				gone[p.pid] = true
			}
			for i := range sum {
				sum[i] += a[i]
			}
		}
		if len(gone) == 0 && len(f.members) > 0 {
			return sum
		}
		f.remove(gone)
	}
	return unknownAmounts()
}

func unknownAmounts() (a amounts) {
	for i := range a {
		a[i] = math.NaN()
	}
	return a
}
