package app

import (
	"context"
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
)

// Checker is an engine that can check its own files.
type Checker interface {
	// Check reads everything that the server stores in the target's database and compares:
	// pages with their checksums, tables with their indices, as far as the installation
	// can. The target is Admin's. Corruption it finds is a check that did not pass. An
	// error means that it could not finish; the checks made until then come with it.
	Check(ctx context.Context, t endpoint.Endpoint) ([]describe.Check, error)
}

// maxExamples bounds the examples of a check.
const maxExamples = 10

// CheckEach asks for the defects of each thing, such as a table: none for a sound one.
// Expected and Found count things.
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
