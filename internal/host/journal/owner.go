package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// Owner is the part of Plimsoll that leaves objects of some kinds, and the only one that
// removes them. A journal has no say in what it does: its texts and its proofs are code.
type Owner struct {
	// Kinds are unique among all owners. Files of earlier versions have them as they are.
	Kinds []Kind
	// First is the first occasion at which its objects are removed.
	First Occasion
	// Present reports whether an object that only a run directory lists may be there. It is
	// said then how to remove it by hand. Nil is an owner that cannot look and says nothing.
	Present func(runID string, o Object) bool
	// ByHand tells a person how to remove an object, usually by a command.
	ByHand func(runID string, o Object) string
	// Sweep removes registered objects, last made first, and reports each. It is idempotent.
	// It first proves that what it finds was made by the run, or leaves it alone.
	Sweep func(ctx context.Context, s State, objects []Object) []Removal
	// Adopt is an object of a run directory that the user took as their own, as it is
	// registered here. Nil is an owner whose objects stay behind.
	Adopt func(o Object) Object
}

// Leaver is a part, such as a storage class or a platform, that leaves objects of its own.
type Leaver interface {
	Leaves() Owners
}

// Occasion is when objects are removed. Each occasion includes those before it.
type Occasion int

// Occasions.
const (
	AtEnd          Occasion = iota // of a run
	BeforeResuming                 // of a run that was interrupted
	ByClean                        // of a run that does not go on
)

// Owners are the owners of all objects but the machine's, which this package owns. One that has a
// kind of the machine, as in a simulated world, owns it instead.
type Owners []Owner

// all returns the owners in the order of their sweeps: mounts on the machine go before their
// sources.
func (all Owners) all() Owners { return append(Owners{machine}, all...) }

// of finds the owner of a kind among all, -1 for none.
func (all Owners) of(k Kind) int {
	for i := len(all) - 1; i >= 0; i-- {
		if slices.Contains(all[i].Kinds, k) {
			return i
		}
	}
	return -1
}

// Kinds lists the kinds that have an owner, with the machine's.
func (all Owners) Kinds() (kinds []Kind) {
	for _, o := range all.all() {
		kinds = append(kinds, o.Kinds...)
	}
	return kinds
}

// Removal is what Sweep did about one object. Err is nil when it is gone.
type Removal struct {
	Object Object
	Found  bool   // it was still there
	Said   string // the removed thing, if it is not the object
	// Unreached reports that the place of the object was not reached.
	Unreached bool
	Err       error
}

// String says what was removed.
func (r Removal) String() string { return cmp.Or(r.Said, r.Object.String()) }

// Swept records what a sweep removed. The error is what it did not.
func (j *Journal) Swept(done []Removal) error {
	var errs []error
	for _, r := range done {
		if r.Err == nil {
			r.Err = j.Removed(r.Object)
		}
		errs = append(errs, r.Err)
	}
	return errors.Join(errs...)
}

// Each sweeps objects one by one, last made first.
func Each(sweep func(ctx context.Context, runID string, o Object) Removal) func(context.Context, State, []Object) []Removal {
	return func(ctx context.Context, s State, objects []Object) (done []Removal) {
		for _, o := range slices.Backward(objects) {
			r := sweep(ctx, s.RunID, o)
			r.Object = o
			done = append(done, r)
		}
		return done
	}
}

// Sweep has every owner remove the remaining objects of the state for which it is the
// occasion, and reports each. Objects that only a journal lists are named, and left alone; so
// are objects of a kind that nobody owns.
func (all Owners) Sweep(ctx context.Context, s State, at Occasion) (done []Removal) {
	owners := all.all()
	for _, o := range s.Unregistered {
		if r, named := owners.name(s, o, at); named {
			done = append(done, r)
		}
	}
	mine := make([][]Object, len(owners))
	for _, o := range s.Objects {
		i := owners.of(o.Kind)
		switch {
		case i < 0:
			done = append(done, unknown(o))
		case owners[i].First <= at:
			mine[i] = append(mine[i], o)
		}
	}
	for i, objects := range mine {
		if len(objects) > 0 {
			done = append(done, owners[i].Sweep(ctx, s, objects)...)
		}
	}
	return done
}

// name names an object that exists, or may, although no register has it.
func (all Owners) name(s State, o Object, at Occasion) (r Removal, named bool) {
	i := all.of(o.Kind)
	if i < 0 {
		return unknown(o), at == ByClean
	}
	owner := all[i]
	if owner.First > at || owner.Present == nil || !owner.Present(s.RunID, o) {
		return r, false
	}
	why := "no register of this user on this machine has it for this run directory, which was copied, sent or forged, or is of an earlier version of plimsoll"
	if s.Original != "" {
		why = fmt.Sprintf("it is registered for %s, of which this run directory is a copy; clean that one, or, if it is gone, run `plimsoll clean` without a name", s.Original)
	}
	return Removal{Object: o, Found: true, Err: fmt.Errorf("%s; if it is yours: %s", why, owner.ByHand(s.RunID, o))}, true
}

// unknown reports an object of a kind that nobody owns, as a later version may have
// registered it, or somebody made up.
func unknown(o Object) Removal {
	return Removal{Object: o, Err: fmt.Errorf("no part of this version of plimsoll makes a %q: it is left alone; the version that made it removes it", string(o.Kind))}
}

// Adopt is an object of an adopted run directory as it is registered here; ok is false where
// it stays behind.
func (all Owners) Adopt(o Object) (adopted Object, ok bool) {
	i := all.of(o.Kind)
	if i < 0 || all[i].Adopt == nil {
		return o, false
	}
	return all[i].Adopt(o), true
}
