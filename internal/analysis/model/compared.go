package model

import (
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Fraction relates a throughput to the best that another run measured for the same
// operation.
type Fraction struct {
	Run        string  `json:"run"`        // that was measured before: a drive, a RAID set, memory
	Variant    string  `json:"variant"`    // of that run, for charts
	Throughput float64 `json:"throughput"` // of it, in Unit
	Unit       string  `json:"unit"`       // the variant's, or MB/s where variants count different things
	Share      float64 `json:"share"`      // of that throughput
	// Shares is Share with its interval, at a level that the fractions of all variants
	// share; without bounds where a side repeated nothing.
	Shares stats.Interval `json:"shares"`
	// Remark says which sizes or counts the two runs differ in: "block 4KiB here and
	// 1MiB there".
	Remark  string      `json:"remark,omitempty"`
	Differs []Differing `json:"-"` // the same in values
}

// Differing is a size or count in which two runs differ.
type Differing struct {
	Name, Here, There string
}

// Pair holds a level of a factor against the first, all else being equal.
type Pair struct {
	Factor string `json:"factor"`           // its path
	From   string `json:"from"`             // the variant with the first level
	To     string `json:"to"`               // the variant with the other level
	Shared string `json:"shared,omitempty"` // the levels that both have, for charts: "write, 4 GB"
	At     int    `json:"at"`               // the largest rung that both measured and one kept, else the largest that both measured
	// Ratio is To's throughput divided by From's at that rung.
	Ratio stats.Interval `json:"ratio"`
}

// Best is a variant's highest throughput within the objectives, or of all rungs if none
// meets them, divided by the resources that it uses. 0 is not known.
type Best struct {
	Rung       int            `json:"rung"`       // where it was measured
	Kept       bool           `json:"kept"`       // within the objectives
	Throughput stats.Interval `json:"throughput"` // same as the rung's
	// Drives are those behind the storage, as it says itself, or else as the bill
	// says.
	Drives float64 `json:"drives,omitempty"`
	// Cores is the CPU that all machines used there for the trial, in cores.
	Cores    float64 `json:"cores,omitempty"`
	PerDrive float64 `json:"per_drive,omitempty"` // throughput over Drives
	PerMoney float64 `json:"per_money,omitempty"` // throughput per 1,000 of the bill, in its currency
	PerCore  float64 `json:"per_core,omitempty"`  // throughput over Cores
	// Rated is the throughput as a share of the drives' rated throughput.
	Rated float64 `json:"rated,omitempty"`
	// Baseline is the throughput as a fraction of another run's.
	Baseline *Fraction `json:"baseline,omitempty"`
}

// Published is a published result to show next to a run's own.
type Published struct {
	Run    *result.Run
	Claims []study.Claim // the authors' conclusions
	Notes  []string      // on the figures, a sentence each
}

// PublishedComparison compares our figures with published ones. Absolute figures differ between
// machines, so each side is relative to its own single instance.
type PublishedComparison struct {
	Name   string        `json:"name"`             // of the reference set
	Source string        `json:"source"`           // its citation
	Curves []GrowthCurve `json:"curves,omitempty"` // ours first; none if either side has a single rung
	Text   []string      `json:"text,omitempty"`   // how the two agree, a sentence each
	Notes  []string      `json:"notes,omitempty"`  // on the published figures
}

// GrowthCurve is how a variant grows.
type GrowthCurve struct {
	Variant   string        `json:"variant"`   // that was measured
	Label     string        `json:"label"`     // for charts
	Published bool          `json:"published"` // it is of the reference set
	Points    []GrowthPoint `json:"points"`    // smallest count first

	Storage string `json:"-"` // the level of the factor
}

// GrowthPoint is one rung divided by the smallest, which counts as one instance. 0 is not
// known.
type GrowthPoint struct {
	Instances  int     `json:"instances"`  // how many ran at once
	Throughput float64 `json:"throughput"` // total, divided by a single instance's
	Response   float64 `json:"response"`   // mean response time over that at the smallest rung
}
