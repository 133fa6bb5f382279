package command

import (
	"encoding/json"
	"io"

	"plimsoll/internal/text/sanitize"
)

// JSONOut is standard output for JSON text, which keeps its value on any terminal.
func (s *State) JSONOut() io.Writer {
	if s.ascii {
		return sanitize.ASCIIJSON(s.Stdout)
	}
	return s.Stdout
}

// PrintJSON writes one indented JSON value.
func (s *State) PrintJSON(v any) error {
	e := json.NewEncoder(s.JSONOut())
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false) // "p95 <= 200ms" stays readable
	return e.Encode(v)
}
