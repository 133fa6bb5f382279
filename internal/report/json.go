package report

import (
	"encoding/json"
	"fmt"
	"io"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/say/warning"
)

// SchemaVersion is the version of the JSON that JSON writes and of the data in
// the HTML. It changes when a field changes its meaning or goes away; new
// fields do not change it.
const SchemaVersion = 1

// Document is what JSON writes.
type Document struct {
	Schema   int                `json:"schema"`   // the version of this format
	Analysis *analysis.Analysis `json:"analysis"` // everything the report shows
	// Only the JSON in a page has what follows.
	Decision *Decision          `json:"decision,omitempty"` // its first screen
	Sections map[string]Section `json:"sections,omitempty"` // parts of it, by their ids
	Grades   map[string]string  `json:"grades,omitempty"`   // what each grade allows
	// Warnings are those of the analysis, each once with all its trials, the gravest first.
	Warnings []warning.Group `json:"warnings,omitempty"`
}

// JSON writes the analysis as one indented JSON document. Numbers that are not
// finite are written as null.
func JSON(w io.Writer, a *analysis.Analysis) error {
	return writeJSON(w, "the report", Document{Schema: SchemaVersion, Analysis: withoutHostname(a)})
}

// writeJSON writes a value as one indented JSON document, null where a number is not finite.
func writeJSON(w io.Writer, what string, v any) error {
	data, err := marshal(v)
	if err != nil {
		return fmt.Errorf("writing %s as JSON: %w", what, err)
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(json.RawMessage(data)); err != nil {
		return fmt.Errorf("writing %s as JSON: %w", what, err)
	}
	return nil
}

// withoutHostname leaves the machine's name out: reports are forwarded.
func withoutHostname(a *analysis.Analysis) *analysis.Analysis {
	if a.Machine == nil || a.Machine.Hostname == "" {
		return a
	}
	anonymous, machine := *a, *a.Machine
	machine.Hostname = ""
	anonymous.Machine = &machine
	return &anonymous
}
