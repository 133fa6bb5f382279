package app

import (
	"fmt"

	"plimsoll/internal/describe"
)

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
