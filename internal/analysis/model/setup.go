package model

import "plimsoll/internal/analysis/resource"

// Topology is the path of a variant's work from the users to the media, and the machines on
// the way.
type Topology struct {
	Parts []Part `json:"parts"` // in the order of the stages
	// Limit is what limits, or that this is not known, in a clause; empty where nothing
	// was sampled.
	Limit string `json:"limit,omitempty"`
}

// Part is one thing, or several alike, on that way.
type Part struct {
	Stage resource.Stage `json:"stage"`          // driver, role, storage, media or machine
	Name  string         `json:"name"`           // "2 drivers", "db", "3 storage servers", "hdd-7200", "one machine"
	Text  string         `json:"text,omitempty"` // details: "postgres 15.7, 0.5 CPU and 256 MiB each"
	// Simulated reports that it only pretends to be what its name says.
	Simulated bool `json:"simulated,omitempty"`
	// Limit names the resource of it that is the bottleneck; empty for all other parts.
	Limit string `json:"limit,omitempty"`
}

// Setting is one setting of the study as it was run: Value if all variants have the same,
// or else ByVariant and Values for the variants that have it.
type Setting struct {
	Name      string            `json:"name"`                 // dotted, as in a study's matrix
	Value     string            `json:"value,omitempty"`      // where all variants have the same
	ByVariant map[string]string `json:"by_variant,omitempty"` // the value of each variant where they differ
	Values    []SettingValue    `json:"values,omitempty"`     // the same in words
}

// SettingValue is a value that some variants have.
type SettingValue struct {
	Value string   `json:"value"`         // as a study writes it
	For   string   `json:"for,omitempty"` // which variants: "ssd", "read and reread"; empty where the value says it
	Which []string `json:"-"`             // the same one by one
}

// Factor is an axis of the study's matrix on which the variants differ.
type Factor struct {
	Path string `json:"path"`           // as in the matrix: workload.parameters.file_size
	Name string `json:"name"`           // for charts: "file size"
	Unit string `json:"unit,omitempty"` // of the levels' values: B for sizes; empty for plain numbers
	// Levels ascend where all of them are numbers above 0; else they stand as in
	// the plan, and have no values.
	Levels []Level `json:"levels"`
}

// Level is one setting of a factor.
type Level struct {
	Level string  `json:"level"`           // as in Variant.Factors
	Label string  `json:"label"`           // for charts
	Value float64 `json:"value,omitempty"` // bytes or a number; 0 where it is neither
}
