// Package sides identifies the two sides of a comparison and matches what both have
// measured: variants, rungs, operations and settings. It judges nothing.
package sides

import (
	"os"

	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// Side is one of the two sides of a comparison: one variant of a run. With an empty Variant
// it is all trials of a run with one variant, or the run's variants with the same names as
// the other side's.
type Side struct {
	Run     *result.Run
	Variant string
	Label   string // for the text; the variant's or run's name when empty
}

// Is reports whether both sides are the same trials of one run, however it was named.
func (s Side) Is(other Side) bool {
	if s.Variant != other.Variant {
		return false
	}
	if s.Run == other.Run || s.Published() && other.Published() && s.Run.ID == other.Run.ID {
		return true
	}
	if s.Run.Dir == "" || other.Run.Dir == "" {
		return false
	}
	da, errA := os.Stat(s.Run.Dir)
	db, errB := os.Stat(other.Run.Dir)
	return errA == nil && errB == nil && os.SameFile(da, db)
}

// Published reports whether the side is a published result.
func (s Side) Published() bool { return trial.AnyPublished(s.Run.Trials) }

// Name is what sentences call the side.
func (s Side) Name() string {
	switch {
	case s.Label != "":
		return s.Label
	case s.Variant != "":
		return s.Variant
	}
	return s.Run.ID
}
