package model

import (
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/study"
)

// Reply is what answers the study's question, in numbers. Its sentence is the headline.
type Reply struct {
	Kind     study.Kind `json:"kind"`             // of the question
	Factor   string     `json:"factor,omitempty"` // a path; its levels are compared
	Per      string     `json:"per,omitempty"`    // what throughput is divided by, too: drive, ..., "1,000 USD"
	Currency string     `json:"-"`                // of Per, where that is money
	// Metric is the metric of the values if it is not throughput: a response time in s, or
	// cpu, CPU time in s per unit of work. Less of either is better.
	Metric string `json:"metric,omitempty"`
	// Groups have one value for each level of the factor, all else being equal; of a kind
	// without a factor there is one group of all variants.
	Groups []ReplyGroup `json:"groups,omitempty"`
}

// ByThroughput reports whether throughput answers, in place of the load lines.
func (r *Reply) ByThroughput() bool {
	return r != nil && r.Kind != study.Capacity && r.Kind != study.Survival
}

// ByFactor reports whether figures by factor, per drive or of a rating answer.
func (r *Reply) ByFactor() bool { return r.ByThroughput() && r.Kind != study.Scaling }

// Divided reports whether the figures that answer are throughput over Per: where that is
// known of every variant.
func (r *Reply) Divided() bool {
	for _, g := range r.Groups {
		for _, c := range g.Cells {
			if c.Per.Value <= 0 {
				return false
			}
		}
	}
	return r.Per != "" && r.Metric == ""
}

// Figure is the one of a cell that answers: throughput, over Per where the reply is divided
// by that, or the metric, or the share.
func (r *Reply) Figure(c ReplyCell) stats.Interval {
	if r.Divided() {
		return c.Per
	}
	return c.Value
}

// What names the figures that answer: "OPM per core", "purchase p99".
func (r *Reply) What() string {
	switch {
	case r.Metric == study.CPU:
		return "CPU time per unit of work"
	case r.Metric != "":
		return r.Metric
	case r.Divided():
		return r.Groups[0].Cells[0].Unit + " per " + r.Per
	}
	return r.Groups[0].Cells[0].Unit
}

// ReplyGroup is a group of variants that differ only in the factor.
type ReplyGroup struct {
	Shared string      `json:"shared,omitempty"` // the levels of the other factors: "write, 32 KiB"
	Levels []string    `json:"levels,omitempty"` // the same one by one, of an effect
	Cells  []ReplyCell `json:"cells"`            // in the order of the levels, or of the variants
	// Best is the level that clearly does most, in total, and BestPer over Per; of a metric
	// the one that clearly has the least. Empty where that is not shown.
	Best    string `json:"best,omitempty"`
	BestPer string `json:"best_per,omitempty"`
	// Steps of an effect are the changes of each further level, rung by rung. Capacity has
	// one step: the difference between the two variants that carry most, where both meet
	// the objectives.
	Steps []ReplyStep `json:"steps,omitempty"`
	// Broken reports that no variant of the group keeps its objectives at any rung, so that none
	// is best. Where one does, those that do not have no cell.
	Broken bool `json:"broken,omitempty"`
}

// ReplyCell is one variant.
type ReplyCell struct {
	Variant string         `json:"variant"`         // by its name
	Level   string         `json:"level"`           // of the factor, else of all: for people
	Rung    int            `json:"rung"`            // where its throughput is highest
	Value   stats.Interval `json:"value"`           // throughput there, or the metric; of a fraction its share
	Of      float64        `json:"of,omitempty"`    // divisor: drives, cores, instances
	Per     stats.Interval `json:"per,omitzero"`    // throughput over that
	Unit    string         `json:"unit"`            // of throughput
	Whole   string         `json:"rated,omitempty"` // what a share is of: "their rating", "drive, write"
	// Unrated reports that a fraction's value is throughput, because there is no reference.
	Unrated bool `json:"unrated,omitempty"`
	// First is the throughput at the smallest rung, and Grows says that the highest is
	// clearly more than that. They are of the kind scaling.
	First     *stats.Interval `json:"first,omitempty"`
	FirstRung int             `json:"first_rung,omitempty"` // where that is
	Grows     bool            `json:"grows,omitempty"`
	// Falls reports that the throughput at the last rung is clearly less than at the smallest.
	Falls bool `json:"falls,omitempty"`
	// Linear is the share of linear growth that is left at the highest; Beyond says that it is
	// clearly more than linear, which more of the same cannot give.
	Linear float64 `json:"linear,omitempty"`
	Beyond bool    `json:"beyond,omitempty"`
	// Items is how many items of a list throughput is of, where some failed with one of the
	// variants; 0 is all.
	Items int `json:"items,omitempty"`
	// Audited is how many trials an audit looked through; of the kind survival.
	Audited int `json:"audited,omitempty"`
	Lost    int `json:"lost,omitempty"` // how many of them lost acknowledged work
	// Uncounted counts further trials whose audit could not be made: whether they lost
	// acknowledged work is not known.
	Uncounted int `json:"uncounted,omitempty"`
	// Gone counts further trials without an audit, because the part hit by the fault did
	// not come back and nothing on it could be read.
	Gone int `json:"gone,omitempty"`
	// Losses is the share of trials that lose acknowledged work or do not come back, with its
	// exact interval: few trials leave much open.
	Losses stats.Interval `json:"losses,omitzero"`
	// Away counts the trials that passed without recovery from a fault being seen: the
	// failed part did not answer again, or the storage did not become redundant again.
	Away int `json:"away,omitempty"`
	// Recoveries counts the faults that recovered: the failed part answered again, or the
	// storage became redundant again. Recovered is the longest time from a fault to its
	// recovery, s.
	Recoveries int     `json:"recoveries,omitempty"`
	Recovered  float64 `json:"recovered,omitempty"`
	// Along is the figure that answers, rung by rung; of the kind effect.
	Along []ReplyFigure `json:"along,omitempty"`
}

// ReplyFigure is what answers at a rung: throughput, over Per where that is known of every
// variant, or the metric.
type ReplyFigure struct {
	Rung  int            `json:"rung"`  // where it was measured
	Value stats.Interval `json:"value"` // in the unit of throughput, or s
}

// ReplyStep is what another level of a factor changes at a rung, against the first.
type ReplyStep struct {
	Level string `json:"level"` // the other one, for people
	Rung  int    `json:"rung"`  // where both were measured
	// Throughput is the ratio of throughputs, or of the metric. PerRatio is the ratio of
	// throughput over Per, without bounds.
	Throughput stats.Interval `json:"throughput"`
	PerRatio   float64        `json:"per_ratio,omitempty"`
	// Shown reports that the change of throughput is more than chance, or that published
	// figures are taken as they are; Alike that it is shown to be of no account.
	Shown   bool    `json:"shown,omitempty"`
	Alike   bool    `json:"alike,omitempty"`
	P99From float64 `json:"p99_from,omitempty"` // p99 with the first level, s; 0 where it was not measured
	P99To   float64 `json:"p99_to,omitempty"`   // p99 with the other, s
	// P99Shown reports that the difference of both is more than chance.
	P99Shown bool `json:"p99_shown,omitempty"`
	// Metric is the response time that the study limits, such as mean, in a question of
	// capacity. From and To are its values.
	Metric string  `json:"metric,omitempty"`
	From   float64 `json:"from,omitempty"` // with the first variant, s
	To     float64 `json:"to,omitempty"`   // with the other, s
}
