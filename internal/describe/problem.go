package describe

import "fmt"

// Problem is one impossible part of a configuration, or one reason why a plan cannot run.
type Problem struct {
	Path string `json:"path,omitempty"` // key, or dotted path of keys; empty for the whole
	Text string `json:"what"`           // what was found and what was expected
	Hint string `json:"hint,omitempty"` // what to write or do instead
}

// Problems collects the impossible values of parameters.
type Problems []Problem

// Add notes that a value is impossible; the text says what was found and what was expected.
func (p *Problems) Add(path, format string, args ...any) {
	*p = append(*p, Problem{Path: path, Text: fmt.Sprintf(format, args...)})
}

// Err is the first problem as an error; nil if there is none.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s", p[0].Path, p[0].Text)
}

// Unless notes that a value is impossible if a condition does not hold.
func (p *Problems) Unless(ok bool, path, format string, args ...any) {
	if !ok {
		p.Add(path, format, args...)
	}
}
