// Package price compares variants by cost: each variant's bill by the study's cost model
// and the load that it carries; the Pareto front; the cheapest per unit of work; and the
// number of instances from which the dearer configuration is the cheaper one.
package price

import "slices"

// Prices compares variants by money.
type Prices struct {
	Currency string   `json:"currency"`       // ISO 4217
	Years    float64  `json:"years"`          // that running costs are counted for
	Variants []Bill   `json:"variants"`       // one bill each
	Text     []string `json:"text"`           // conclusions
	Note     string   `json:"note,omitempty"` // of the study on its prices
	Unit     string   `json:"unit"`           // of throughput
	Noun     string   `json:"noun"`           // what a rung counts
	// Configurations join the variants with the same bill, cheapest first.
	Configurations []Configuration `json:"configurations,omitempty"`
}

// Bill gives a variant's bill; nil where there is none.
func (p *Prices) Bill(variant string) *Bill {
	if p == nil {
		return nil
	}
	i := slices.IndexFunc(p.Variants, func(b Bill) bool { return b.Variant == variant })
	if i < 0 {
		return nil
	}
	return &p.Variants[i]
}

// Configuration is what one bill buys: the best of the variants that cost the
// same.
type Configuration struct {
	Name        string   `json:"name"`         // its variants, joined
	Variants    []string `json:"variants"`     // that cost the same
	Best        string   `json:"best"`         // the variant with the throughput below
	Total       float64  `json:"total"`        // of the bill, in the currency
	Throughput  float64  `json:"throughput"`   // best that keeps the objectives
	At          int      `json:"at"`           // instances there
	PerUnit     float64  `json:"per_unit"`     // total / throughput
	PerInstance float64  `json:"per_instance"` // total / load line
	LoadLine    float64  `json:"load_line"`    // the most instances within the objectives of any of its variants
	Open        bool     `json:"open"`         // the load line lies at or above that

	Low  float64 `json:"-"` // of the load line; both 0 where they are not known
	High float64 `json:"-"` // see Low
}

// Bill is one variant's bill.
type Bill struct {
	Variant     string  `json:"variant"`                // whose bill it is
	Total       float64 `json:"total"`                  // of the bill, in the currency
	Throughput  float64 `json:"throughput"`             // best that keeps the objectives
	At          int     `json:"at"`                     // instances there
	PerUnit     float64 `json:"per_unit"`               // total / throughput
	PerInstance float64 `json:"per_instance"`           // total / load line
	OnFront     bool    `json:"on_front"`               // Pareto front of price and throughput
	Lines       []Line  `json:"lines"`                  // of the bill
	PerDrive    float64 `json:"per_drive,omitempty"`    // throughput per drive, items of kind drive
	PerTerabyte float64 `json:"per_terabyte,omitempty"` // total per raw TB (1e12 bytes)
	// Usable is the space for data in bytes, 0 where the study does not say how drives keep data.
	Usable            float64 `json:"usable,omitempty"`
	PerUsableTerabyte float64 `json:"per_usable_terabyte,omitempty"` // total per usable TB (1e12 bytes)
	// Sets is how many such configurations have the usable space of the largest one; EqualTotal
	// and EqualThroughput are their price, and their throughput if it grows with their number.
	Sets            float64 `json:"sets,omitempty"`
	EqualTotal      float64 `json:"equal_total,omitempty"`
	EqualThroughput float64 `json:"equal_throughput,omitempty"`
}

// Line is one line of a bill.
type Line struct {
	Name     string  `json:"name"`           // of the item
	Kind     string  `json:"kind,omitempty"` // drive, server, ...
	Quantity float64 `json:"quantity"`       // how many
	Price    float64 `json:"price"`          // of one
	Total    float64 `json:"total"`          // quantity times price, over all years
}
