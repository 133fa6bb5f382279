package app

import (
	"context"
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
)

// Checker is an engine that can check its own files.
type Checker interface {
	// Check reads what the server keeps in the target's database and compares:
	// pages with their checksums, tables with their indices, as far as the
	// installation can. The target is Admin's. What it finds wrong is a check that did not pass; the
	// error says why it could not ask, beside what it found until then.
	Check(ctx context.Context, t endpoint.Endpoint) ([]describe.Check, error)
}

// maxExamples bounds the examples of a check.
const maxExamples = 10

// CheckEach asks about each of some things, such as tables, what is wrong with
// it: nothing for one that is sound. Expected and Found count things.
func CheckEach(name string, things []string, ask func(thing string) (wrong []string, err error)) (describe.Check, error) {
	c := describe.Check{Name: name, Expected: int64(len(things))}
	for _, thing := range things {
		wrong, err := ask(thing)
		if err != nil {
			err = fmt.Errorf("%s: %s: %w", name, thing, err)
			c.Uncounted = err.Error()
			return c, err
		}
		if len(wrong) == 0 {
			c.Found++
		}
		for _, w := range wrong[:min(len(wrong), maxExamples-len(c.Examples))] {
			c.Examples = append(c.Examples, thing+": "+w)
		}
	}
	c.Passed = c.Found == c.Expected
	return c, nil
}
