package model

import (
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
)

// Tile is how many tiles a variant carries whose members have objectives of their own: a
// rung is carried when every member keeps its own.
type Tile struct {
	Variant string   `json:"variant"` // of the study
	Members []string `json:"members"` // as variants of the analysis, in the order of the study
	// Rung is the largest measured number of tiles at which every member keeps its
	// objectives, 0 for none, and Next the smallest above it, 0 where all were kept.
	Rung   int      `json:"rung"`
	Next   int      `json:"next,omitempty"`
	Broken []string `json:"broken,omitempty"` // members that do not keep theirs at Next
	// First is the one of them that breaks at the fewest tiles; missing where none does, or
	// where trials failed and none is to blame.
	First *TileBreak `json:"first,omitempty"`
	// Rungs are the numbers of tiles that were measured, the fewest first.
	Rungs []TileRung `json:"rungs,omitempty"`
	// References are the reference throughputs of the members.
	References []TileReference `json:"references,omitempty"`
	// Peak is the number of tiles with the highest score of those that are carried, 0 where
	// there is no score.
	Peak int `json:"peak,omitempty"`
	// Flat is the first carried number of tiles that the repetitions show to add nothing to the
	// score; 0 for none.
	Flat int `json:"flat,omitempty"`
	// Interference is the effect of the other members, and of more tiles, on each member's
	// response time.
	Interference []Interference `json:"interference,omitempty"`
	// Bursty is the one member with bursts, such as a backup. Costs are their costs for the
	// others at CostsAt tiles: the most that are carried, or else the fewest measured.
	Bursty  string      `json:"bursty,omitempty"`
	CostsAt int         `json:"costs_at,omitempty"`
	Costs   []BurstCost `json:"costs,omitempty"`
	Text    string      `json:"text"` // all that in words
}

// Reach is the bracket of the line of tiles.
func (t Tile) Reach() loadline.Reach {
	l := loadline.LoadLine{Rung: t.Rung, Next: t.Next, Open: t.Next == 0, Unmeasured: t.Rung == 0 && t.Next == 0}
	l.Count.Value = float64(t.Rung)
	return l.Reach()
}

// TileReference is a member's throughput in one reference tile.
type TileReference struct {
	Member     string  `json:"member"`     // its name
	Throughput float64 `json:"throughput"` // in its unit
	Unit       string  `json:"unit"`       // of that
	// Published reports that the study gives the reference; else it comes from the first
	// rung of Variant.
	Published bool   `json:"published,omitempty"`
	Variant   string `json:"variant,omitempty"` // of the study: the first that has a score
}

// TileRung is one number of tiles.
type TileRung struct {
	Tiles int  `json:"tiles"` // so many ran at once
	Kept  bool `json:"kept"`  // every member keeps its objectives
	// Score is the sum over tiles of the geometric mean of the members' throughput, each
	// relative to its reference; 0 where it is not known.
	Score stats.Interval `json:"score"`
	// Each is the score of every tile, in their order; missing where it is not known.
	Each    []float64    `json:"each,omitempty"`
	Members []TileMember `json:"members"` // those that were measured there
}

// TileMember is a member at a number of tiles, all of its instances together.
type TileMember struct {
	Member     string         `json:"member"`     // its name
	Throughput stats.Interval `json:"throughput"` // in its unit
	// Relative is the throughput of its average tile divided by the reference's; 0 if
	// unknown.
	Relative float64        `json:"relative,omitempty"`
	Mean     stats.Interval `json:"mean"`             // response time, s
	P95      stats.Interval `json:"p95"`              // response time, s
	Kept     bool           `json:"kept"`             // its objectives
	Bursts   *rung.Bursts   `json:"bursts,omitempty"` // on and off burst apart; missing without bursts
}

// TileBreak is how a member breaks an objective.
type TileBreak struct {
	Member  string `json:"member"`  // its name
	Variant string `json:"variant"` // that of the analysis
	// At is the number of tiles at which it reaches its limit, interpolated between Rung and
	// Next of the tile; 0 where no measured number is carried, or trials failed.
	At float64 `json:"at"`
	// Shown reports that no other member breaks at so few: it alone is broken at Next, or the
	// intervals of the members' load lines do not meet.
	Shown bool `json:"shown"`
	// Objective is the one that it reaches first; missing where it fails otherwise.
	Objective *rung.ObjectiveResult `json:"objective,omitempty"`
	// Tile is the worst tile, from 1, and Instance the member's instance there, from 0;
	// Tile is 0 if instances are not distinguished.
	Tile     int `json:"tile,omitempty"`
	Instance int `json:"instance,omitempty"`
	// Cause is what limits the member there.
	Cause *diagnose.Cause `json:"cause,omitempty"`
}

// Interference is the effect of the others on a member: its response times alone, in its
// tile, and in the most tiles at which it was measured.
type Interference struct {
	Member string `json:"member"` // its name
	From   int    `json:"from"`   // tiles at the first rung
	To     int    `json:"to"`     // tiles at the largest; From where there is no other
	// Alone are its response times without the other members, with its instances of one tile;
	// missing where that was not measured.
	Alone *Responses `json:"alone,omitempty"`
	Tile  Responses  `json:"tile"` // at From
	Top   Responses  `json:"top"`  // at To
	// TileOverAlone is Tile over Alone, and TopOverAlone Top over Alone: 2 is twice as long.
	TileOverAlone *Responses `json:"tile_over_alone,omitempty"`
	TopOverAlone  *Responses `json:"top_over_alone,omitempty"`
	// Mean and P95 are Top over Tile; 0 where To is From.
	Mean stats.Interval `json:"mean"`
	P95  stats.Interval `json:"p95"`
}

// Responses are response times of units of work, in s, or how many times as long they are as
// others.
type Responses struct {
	Mean stats.Interval `json:"mean"` // of all units of work
	P95  stats.Interval `json:"p95"`  // 95 % of them take no longer
}

// Over is how many times as long as others they are.
func (r Responses) Over(other Responses) Responses {
	return Responses{Mean: stats.Quotient(r.Mean, other.Mean), P95: stats.Quotient(r.P95, other.P95)}
}

// BurstCost is the cost of the one bursty member's bursts for another member.
type BurstCost struct {
	Member string `json:"member"` // the other
	// Response is its mean response time while the bursty member is at work over that while it
	// is not, and Work its throughput: 2 is twice as much. In an open loop it does as much as
	// is asked of it, so that Work tells nothing and is 0.
	Response stats.Interval `json:"response"`
	Work     stats.Interval `json:"work"`
	On       float64        `json:"on"`  // mean response time while it is at work, s
	Off      float64        `json:"off"` // and while it is not, s
	// Blurred is the other member's p99, s, if that is more than a tenth of a burst or of
	// the pause between two: work delayed by a burst then ended after it, so that Response
	// and Work mean nothing and are 0. Else it is 0.
	Blurred float64 `json:"blurred,omitempty"`
	// Burst is the shorter of both, s.
	Burst float64 `json:"burst"`
}
