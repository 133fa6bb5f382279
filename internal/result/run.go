package result

import (
	"context"
	"fmt"
	"iter"
	"path"

	"plimsoll/internal/study/plan"
)

// Run is a run directory as it was found.
type Run struct {
	Dir     string
	ID      string     // the directory's name
	Plan    *plan.Plan // nil when it cannot be read
	Machine *Machine   // nil when it cannot be read
	Trials  []*Trial   // finished ones, in the order in which they ran
	// Unfinished lists trials that were begun and have no result.
	Unfinished []string
	Problems   []Problem

	member string // that it is of; see Members
	weight int    // of that member
	// names are its variants' by those of the whole run, and some says which of the member's
	// trials it has, by the member that was measured alone; nil is all.
	names map[string]string
	some  func(alone string) bool
	room  int64 // bytes of trial.json after which trials shed what Whole reads again
	// ctx ends the reading of its files; nil goes on. A run is what an analysis reads
	// from, like a connection, so that it ends with whom it is for.
	ctx context.Context
}

// Problem is a file of the run that could not be used, and why. The rest of
// the run is still good.
type Problem struct {
	File   string `json:"file"` // below the run directory
	Reason string `json:"reason"`
}

// String gives the file and the reason.
func (p Problem) String() string { return p.File + ": " + p.Reason }

// Trial finds a trial of a member by its identifier, nil when there is none.
func (r *Run) Trial(id string) *Trial {
	for _, t := range r.Trials {
		if t.ID == id {
			return t
		}
	}
	return nil
}

// ended says why nothing more is read; nil while it is.
func (r *Run) ended() error {
	if r.ctx == nil {
		return nil
	}
	return r.ctx.Err()
}

// Whole gives a trial of the run with all that its file holds: the trial itself, but where
// OpenLean kept little of it.
func (r *Run) Whole(t *Trial) (*Trial, error) {
	if err := r.ended(); err != nil { // of trials in memory, too: nobody waits for what they would be read for
		return nil, err
	}
	if !t.lean {
		return t, nil
	}
	tile, err := r.tile(t)
	if err != nil {
		return nil, err
	}
	for _, one := range tile.Trials() {
		if one.ID == t.ID {
			return one, nil
		}
	}
	return nil, fmt.Errorf("read trial %s again: it is another one now", t.ID)
}

// tile gives the whole trial that a trial is of, with all members' parts.
func (r *Run) tile(t *Trial) (*Tile, error) {
	if !t.lean {
		return TileOf(r.Of(t.Tile().ID)...), nil
	}
	if err := r.ended(); err != nil {
		return nil, err
	}
	return readTile(r.Dir, t.Tile().ID)
}

// place is the trial's directory below the run directory.
func (t *Trial) place() string { return path.Join(TrialsDir, t.Tile().ID) }

// safe refuses a trial whose identifier is no place below the run directory.
func (t *Trial) safe() error {
	if !safeID(t.Tile().ID) {
		return fmt.Errorf("%q is not a trial", t.ID)
	}
	return nil
}

// Records iterates a trial's operations.jsonl. A line that cannot be read
// yields an error that names it, and the iteration goes on.
func (r *Run) Records(t *Trial) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if err := t.safe(); err != nil {
			yield(Record{}, fmt.Errorf("read records: %w", err))
			return
		}
		for record, err := range recordsOf(r.Dir, path.Join(t.place(), RecordsFile)) {
			if (err != nil || record.Member == t.Variant.Member) && !yield(record, err) {
				return
			}
		}
	}
}

// Recorded iterates the series that a trial's operations.jsonl gives, as they are among its
// telemetry, too; lines that cannot be read are left out.
func (r *Run) Recorded(t *Trial) iter.Seq2[Series, error] {
	return func(yield func(Series, error) bool) {
		c := newCollector(t.Start, t.Profile.Whole())
		for record, err := range r.Records(t) {
			if err == nil {
				_ = c.record(record) // of a kind, or a histogram, that is damaged
			}
		}
		for _, s := range c.summary().Series {
			if !yield(s, nil) {
				return
			}
		}
	}
}
