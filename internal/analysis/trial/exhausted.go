package trial

import "plimsoll/internal/result"

// Lack is something that the machine or a server ran out of, or that broke.
type Lack struct {
	Says  string // what happened, in the words of a failed trial's reasons
	Units int64  // of work that failed for it
}

// exhausted are the classes of errors that say so.
var exhausted = []struct{ class, says string }{
	{"out-of-space", "no space was left on a file system"}, {"no-file-handles", "the limit of open files was reached"},
	{"no-connections", "a server had no connection slots left"}, {"out-of-memory", "memory ran out"},
	{"input-output", "a device reported I/O errors"}, {"read-only", "a file system or database was read-only"},
}

// Exhausted is what ran out in a trial.
func Exhausted(t *result.Trial) (all []Lack) {
	errors := t.Whole().Errors
	for _, x := range exhausted {
		if n := errors[x.class]; n > 0 {
			all = append(all, Lack{x.says, n})
		}
	}
	return all
}
