package smallfiles

import (
	"math/rand/v2"

	"plimsoll/internal/host/blockcheck"
)

// file is what its worker knows of a file.
type file struct {
	changes  uint32 // acknowledged ones: creations, appends, renames, deletions
	content  uint32 // generation of the content at its creation
	appended uint32 // generation of what was appended; 0 is nothing
	state    uint8
}

// Bits of a file's state.
const (
	present  = 1 << iota // it is there
	moved                // under its other name
	doubtful             // a change failed: nobody can say which of all this is so
)

func (f file) is(bit uint8) bool { return f.state&bit != 0 }

// name is the one that it should have.
func (f file) name(at int64) string { return fileName(at, f.is(moved)) }

// next returns the generation of the next write to the file.
func (f file) next() uint32 { return max(f.content, f.appended)%(blockcheck.Generations-1) + 1 }

// loaded is the generation of what Prepare writes.
const loaded = 1

// beginning is a file as Prepare leaves it.
func beginning(p *Parameters, number int64) file {
	if !p.begins(number) {
		return file{}
	}
	return file{content: loaded, state: present}
}

// begins reports whether Prepare makes a file. Where files are made and
// deleted in turn, every other one is there.
func (p *Parameters) begins(number int64) bool {
	switch {
	case p.Operation == create:
		return false
	case p.Operation == mixed && p.does(create):
		return number%2 == 0
	}
	return true
}

// population is all files of a worker. Numbers of those that are there come
// first in order, so that one can be drawn.
type population struct {
	files []file
	order []int64 // all numbers
	where []int64 // in order, by number
	there int64   // how many are
}

func newPopulation(p *Parameters) *population {
	all := &population{files: make([]file, p.Files)}
	for i := range all.files {
		all.files[i] = beginning(p, int64(i))
	}
	if p.Operation != mixed {
		return all
	}
	all.order, all.where = make([]int64, p.Files), make([]int64, p.Files)
	for i := range all.files {
		all.order[i], all.where[i] = int64(i), int64(i)
	}
	for i := range all.files {
		if all.files[i].is(present) {
			all.sort(int64(i))
		}
	}
	return all
}

// set notes how a file is now.
func (a *population) set(number int64, f file) {
	a.files[number] = f
	if a.order != nil {
		a.sort(number)
	}
}

// sort moves a number to where it belongs: one that is in doubt is as good as
// none, because it has to be made anew.
func (a *population) sort(number int64) {
	f, at := a.files[number], a.where[number]
	usable := f.is(present) && !f.is(doubtful)
	switch {
	case usable && at >= a.there:
		a.swap(at, a.there)
		a.there++
	case !usable && at < a.there:
		a.there--
		a.swap(at, a.there)
	}
}

func (a *population) swap(i, j int64) {
	a.order[i], a.order[j] = a.order[j], a.order[i]
	a.where[a.order[i]], a.where[a.order[j]] = i, j
}

// draw returns the number of a file that is there, or of one that is not; if there
// is none, any.
func (a *population) draw(random *rand.Rand, absent bool) int64 {
	from, to := int64(0), a.there
	if absent {
		from, to = a.there, int64(len(a.order))
	}
	if from == to {
		from, to = 0, int64(len(a.order))
	}
	return a.order[from+random.Int64N(to-from)]
}
