package dvdstore

import (
	"fmt"

	"plimsoll/internal/describe"
)

// maxExamples bounds what a check says of its offenders.
const maxExamples = 10

// tally counts the offenders of one check.
type tally struct {
	name     string
	of       int64 // how many should pass
	bad      int64
	examples []string
}

// tallyAll returns the tally of a check that every one of a number of items must pass.
func tallyAll(name string, of int64) *tally { return &tally{name: name, of: of} }

// tallyNone returns the tally of a check for items that must not exist.
func tallyNone(name string) *tally { return &tally{name: name} }

// offend counts an offender, which the first ones are described of.
func (t *tally) offend(format string, args ...any) {
	t.bad++
	if len(t.examples) < maxExamples {
		t.examples = append(t.examples, fmt.Sprintf(format, args...))
	}
}

// check returns Found as those that passed, or as those that must not exist.
func (t *tally) check() describe.Check {
	found := t.bad
	if t.of > 0 {
		found = t.of - t.bad
	}
	return describe.Check{Name: t.name, Passed: t.bad == 0, Expected: t.of, Found: found, Examples: t.examples}
}
