package objects

import "math/rand/v2"

// content is an object's content. A copy has the content of the key that it was copied
// from.
type content struct {
	file       uint64 // number in stamps; 0 is no object
	generation uint32 // how often that key has been written
	size       int64  // bytes
}

// object is a session's knowledge of a key.
type object struct {
	given  uint32  // receipts of it so far
	acked  uint32  // changes that were acknowledged
	writes uint32  // generations that were used, acknowledged or not
	is     content // of the last change that was acknowledged
	tagged uint32  // value of its tag; 0 is none
	// tried is the content after a failed change: the object has either this or the
	// previous one.
	tried    content
	doubt    bool
	retagged bool // what failed was a tag: the content is not in doubt
	deleted  bool // a deletion failed: the object may be gone as well
}

func (o object) there() bool { return o.is.file != 0 }

// certain reports whether it is known how the key is.
func (o object) certain() bool { return !o.doubt }

// inDoubt is a key after a change that failed and may have been made: how it was, or as
// after. A key in doubt is deleted before anything else is done to it, so that a deletion
// may fail after another change did: what that tried may still be there.
func (o object) inDoubt(verb string, after object) object {
	o.deleted, o.retagged = verb == remove, verb == tag
	if !o.deleted {
		o.tried = after.is
	}
	o.doubt, o.writes = true, after.writes
	return o
}

// ledger is all keys of a session. Numbers of those that are there come first in order, so
// that one can be drawn.
type ledger struct {
	objects []object
	order   []int64 // all numbers
	where   []int64 // in order, by number
	present int64   // how many are there, and certain
}

func newLedger(n int64) *ledger {
	l := &ledger{objects: make([]object, n), order: make([]int64, n), where: make([]int64, n)}
	for i := range l.order {
		l.order[i], l.where[i] = int64(i), int64(i)
	}
	return l
}

// set notes how a key is now.
func (l *ledger) set(number int64, o object) {
	l.objects[number] = o
	usable, at := o.there() && o.certain(), l.where[number]
	switch {
	case usable && at >= l.present:
		l.swap(at, l.present)
		l.present++
	case !usable && at < l.present:
		l.present--
		l.swap(at, l.present)
	}
}

func (l *ledger) swap(i, j int64) {
	l.order[i], l.order[j] = l.order[j], l.order[i]
	l.where[l.order[i]], l.where[l.order[j]] = i, j
}

// drawPresent returns the number of an object that is there, if any is.
func (l *ledger) drawPresent(random *rand.Rand) (number int64, ok bool) {
	if l.present == 0 {
		return 0, false
	}
	return l.order[random.Int64N(l.present)], true
}

// loaded is the content of an object as Prepare leaves it.
func loaded(p *Parameters, volume uint64, s space, number int64) content {
	return content{s.file(number), 1, p.sizeOf(volume, s.file(number), 1)}
}

// sizeOf is the size of a generation of an object: drawn, and the same for all who ask.
func (p *Parameters) sizeOf(volume, file uint64, generation uint32) int64 {
	return p.Sizes.draw(rand.New(rand.NewPCG(volume^file, uint64(generation))))
}
