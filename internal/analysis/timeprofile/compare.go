package timeprofile

import (
	"plimsoll/internal/analysis/stats"
)

// Comparison is what an attribution rests on: the components at the two rungs that it compares.
type Comparison struct {
	*Attribution
	Rows []Row `json:"rows"` // as Growth has them
	// AccountedBefore and AccountedAfter are the shares of the response times that are accounted for.
	AccountedBefore *stats.Interval `json:"accounted_before,omitempty"` // missing where From is 0
	AccountedAfter  stats.Interval  `json:"accounted_after"`
}

// Row is a component at the rungs of a Comparison.
type Row struct {
	Before *stats.Interval `json:"before,omitempty"` // s per unit of work; missing where From is 0
	After  stats.Interval  `json:"after"`            // s per unit of work
}

// Compare gives the components of an attribution at its two rungs; nil where the ladder has not the
// profiles.
func Compare(steps []Step, a *Attribution) *Comparison {
	if a == nil {
		return nil
	}
	l, ok := newLadder(steps, a.From, a.To)
	if !ok {
		return nil
	}
	c := &Comparison{Attribution: a, AccountedAfter: l.to().Accounted}
	for _, g := range a.Growth {
		row := Row{After: l.secondsOf(l.to(), g.cause)}
		if l.first >= 0 {
			before := l.secondsOf(l.profiles[l.first], g.cause)
			row.Before = &before
		}
		c.Rows = append(c.Rows, row)
	}
	if l.first >= 0 {
		c.AccountedBefore = &l.profiles[l.first].Accounted
	}
	return c
}

// secondsOf is what a profile of the ladder has of a cause.
func (l ladder) secondsOf(p *Breakdown, c cause) stats.Interval {
	seconds := stats.Exactly(p.seconds(sharesOf(c)(p)))
	setInterval(l.profiles, p, &seconds, func(of *Breakdown) []float64 { return of.times(sharesOf(c)(of)) })
	return seconds
}
