package model

import (
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/study"
	"plimsoll/internal/study/claim"
)

// ClaimResult is what a run says of a claim.
type ClaimResult struct {
	study.Claim
	Source      string            `json:"source,omitempty"`      // reference/NAME; empty for the study's own
	Outcome     claim.Outcome     `json:"outcome"`               // reproduced, contradicted, not shown or not measured here
	Comparisons []ClaimComparison `json:"comparisons,omitempty"` // that the claim consists of
	Unread      string            `json:"unread,omitempty"`      // why this version cannot read the predicate
	Text        string            `json:"shown"`                 // what the run shows, in words
}

// ClaimComparison is a comparison of two figures of a claim.
type ClaimComparison struct {
	Left     stats.Interval `json:"left"`           // bounded by all doubts about it
	Operator string         `json:"operator"`       // >=, >, <= or <
	Right    stats.Interval `json:"right"`          // likewise
	Outcome  claim.Outcome  `json:"outcome"`        // of it alone
	Open     bool           `json:"open,omitempty"` // nothing bounds one of the figures
	// Missing says why there is no figure; nil where there are both.
	Missing *claim.Missing `json:"missing,omitempty"`
}
