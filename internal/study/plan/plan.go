// Package plan turns a study into ordered trials and says what they will cost
// in time, space and memory, before anything happens.
package plan

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/study"
)

// Plan is plan.json.
type Plan struct {
	Study    *study.Study    `json:"study"`
	Variants []study.Variant `json:"variants"`
	Trials   []Trial         `json:"trials"` // in the order in which they run, variants interleaved
	Datasets []Dataset       `json:"datasets"`
	// Facts are what the estimates rest on, by variant; of members by Variant.Title.
	Facts map[string]Facts `json:"facts,omitempty"`
	// StorageMemory is what the servers of all storages need together, in
	// bytes: they stay up between trials.
	StorageMemory int64    `json:"storage_memory,omitempty"`
	Estimate      Estimate `json:"estimate"`
	// Within is when a search for the load line ends, counted from the run's start; 0 is no
	// limit.
	Within time.Duration `json:"within,omitempty"`
	// Problems say why the plan cannot run here; empty when it can.
	Problems []describe.Problem `json:"problems,omitempty"`
	// Notes say what else to know: which fallbacks are taken and why, how a
	// search for the load line goes.
	Notes []string `json:"notes,omitempty"`
}

// Check says what makes a plan that was read from a file no plan.
func (p *Plan) Check() error {
	if p.Study == nil {
		return errors.New("has no study")
	}
	for _, t := range p.Trials {
		if _, known := p.Variant(t.Variant); !known {
			return fmt.Errorf("plans trial %q of a variant that it does not have", t.ID)
		}
		if t.Rung < 1 || t.Repetition < 1 || t.ID != t.id() {
			return fmt.Errorf("plans trial %q with rung %d and repetition %d", t.ID, t.Rung, t.Repetition)
		}
		if t.Alone != "" && (t.Rung != 1 || !p.Study.Has(t.Alone)) {
			return fmt.Errorf("plans trial %q of %q alone, at rung %d", t.ID, t.Alone, t.Rung)
		}
	}
	return nil
}

// Noun is what a rung counts, in the singular: instance, user, or what the workload
// calls a user.
func (p *Plan) Noun() string {
	if len(p.Variants) == 0 {
		return p.Study.Ladder.Noun("")
	}
	first := p.Variants[0]
	if study.HasMembers(first.Members) {
		return "tile"
	}
	return p.Study.Ladder.Noun(p.FactsOf(first).Profile.User)
}

// AlonePrefix stands before the member's name where an identifier of a trial has the rung, if
// the member is measured alone.
const AlonePrefix = "alone-"

// id names the first attempt at a trial.
func (t Trial) id() string {
	rung := strconv.Itoa(t.Rung)
	if t.Alone != "" {
		rung = AlonePrefix + t.Alone
	}
	return fmt.Sprintf("%s/%s/%d", t.Variant, rung, t.Repetition)
}

// Trial is one planned trial.
type Trial struct {
	Position int    `json:"position" within:"0..10000000"` // from 1
	ID       string `json:"id"`                            // <variant>/<rung>/<repetition>, or <variant>/alone-<member>/<repetition>
	Variant  string `json:"variant"`
	Rung     int    `json:"rung" within:"0..1000000"`
	// Alone is the member that is measured without the others of its tile, with its
	// instances of one; empty is the whole tile.
	Alone      string `json:"alone,omitempty"`
	Repetition int    `json:"repetition" within:"0..1000000"`        // from 1
	Attempt    int    `json:"attempt,omitempty" within:"0..1000000"` // 2 when it is measured again
	Seed       uint64 `json:"seed"`

	Duration    time.Duration `json:"duration"` // all of it, nanoseconds
	DiskBytes   int64         `json:"disk_bytes"`
	MemoryBytes int64         `json:"memory_bytes"`
}

// Dataset is one golden volume to be made before the first trial that needs
// it.
type Dataset struct {
	Key         string   `json:"key"`     // empty where every instance is prepared by itself
	Servers     string   `json:"servers"` // that hold it: postgres 15.18
	Description string   `json:"description"`
	Bytes       int64    `json:"bytes"`
	UserBytes   int64    `json:"user_bytes,omitempty"` // that each user of an instance adds
	Files       int64    `json:"files,omitempty"`      // and directories, where there are many
	UserFiles   int64    `json:"user_files,omitempty"` // that each user of an instance adds
	Variants    []string `json:"variants"`
}

// id identifies what instances are cloned from; it is empty where each is prepared by itself.
func (d Dataset) id() string {
	if d.Key == "" {
		return ""
	}
	return d.Servers + "/" + d.Key
}

// Of is the space that the data of an instance with so many users take.
func (d Dataset) Of(users int) int64 { return sum(d.Bytes, times(users, d.UserBytes)) }

// Estimate sums a plan.
type Estimate struct {
	Duration    time.Duration `json:"duration"`
	DiskBytes   int64         `json:"disk_bytes"`   // largest need of any moment
	MemoryBytes int64         `json:"memory_bytes"` // largest need of any trial
	// AtMost is how long a search for the load line (ladder: auto) may take
	// when it uses its whole budget; 0 when the ladder is fixed.
	AtMost time.Duration `json:"at_most,omitempty"`
	// AtLeast is how long it takes when the first rungs settle it; 0 when the ladder is
	// fixed.
	AtLeast time.Duration `json:"at_least,omitempty"`
	// FewestTrials and MostTrials are the numbers of trials, of all variants, in these
	// times; 0 when the ladder is fixed.
	FewestTrials int `json:"fewest_trials,omitempty"`
	MostTrials   int `json:"most_trials,omitempty"`
	// Retries is how many trials may be measured again because something outside
	// spoiled them, and RetryTime how long that may take, besides the rest.
	Retries   int           `json:"retries,omitempty"`
	RetryTime time.Duration `json:"retry_time,omitempty"`
}
