package rung

import (
	"plimsoll/internal/analysis/iopath"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/timeprofile"
)

// Rung is one instance count of a variant, over its repetitions.
type Rung struct {
	Instances   int `json:"instances"`   // how many there were to be at once
	Repetitions int `json:"repetitions"` // that passed
	Failed      int `json:"failed"`      // trials that failed
	// Ran is how many instances worked to the end in each trial that passed, at least, where
	// some were set aside; 0 is all.
	Ran int `json:"ran,omitempty"`
	// FailedBy are the reasons of those, as far as they are known errors.
	FailedBy []string `json:"failed_by,omitempty"`
	Trials   []string `json:"trials"` // IDs of its trials
	// Faults are those injected in the measured phase of its trials, each once, in order
	// of time: "kill peer 2", "restart peer 2".
	Faults []string `json:"faults,omitempty"`
	// Throughput is in the study's unit, committed work only.
	// Of fixed work it is what was done until the last user finished, and Stonewalled
	// what was done until the first one had, while all were at work.
	Throughput  stats.Interval `json:"throughput"`
	Stonewalled stats.Interval `json:"stonewalled,omitzero"`
	// Without is Throughput without the time that users spent in the operations that
	// Work.Optional names (close, flush).
	Without stats.Interval `json:"without,omitzero"`
	// Payload is what the units of work moved, in MB/s, where they move any and
	// Throughput counts something else.
	Payload stats.Interval `json:"payload,omitzero"`
	// Ceiling is what the drivers did by themselves, against a process that answers their
	// users and keeps nothing: missing where it was not measured.
	Ceiling    *Ceiling `json:"ceiling,omitempty"`
	RolledBack float64  `json:"rolled_back"` // share of the units of work
	Errors     float64  `json:"errors"`      // share of the units of work
	// ErrorClasses counts them by what went wrong.
	ErrorClasses map[string]int64 `json:"error_classes,omitempty"`
	// Mean is the mean response time of a unit of work in seconds, the median over
	// repetitions; the percentiles come from the merged histograms of all
	// repetitions.
	Mean       stats.Interval            `json:"mean"`
	P95        stats.Interval            `json:"p95"`                  // 95th percentile of the response time of a unit of work, s
	Percentile map[string]float64        `json:"percentile"`           // p50, p90, p95, p99, p99.9, max
	Operations map[string]OperationStats `json:"operations,omitempty"` // by name
	// Efficiency is throughput per instance divided by the smallest rung's.
	Efficiency float64           `json:"efficiency"`
	Objectives []ObjectiveResult `json:"objectives"` // judged at this rung
	Kept       bool              `json:"kept"`       // every objective
	// Saving is what saving costs the work that is saved; missing for work that saves nothing.
	Saving *SaveLoss `json:"saving,omitempty"`
	// Bursts is the unit of work on and off burst apart; missing where there are none.
	Bursts *Bursts `json:"bursts,omitempty"`
	// Breaks says in a clause what besides the objectives keeps the rung from being
	// kept: a trial that failed under load, an offered rate that was not reached.
	Breaks string `json:"breaks,omitempty"`
	// Resources are sorted by utilisation, highest first.
	Resources []resource.Resource `json:"resources,omitempty"`
	// Unlisted counts the resources of a kind that are not listed, because a report of many
	// machines lists only the busiest; missing if all are listed.
	Unlisted map[resource.Kind]int `json:"unlisted,omitempty"`
	// Time is what the response time is spent on; missing where nothing is known of that.
	Time *timeprofile.Breakdown `json:"time,omitempty"`
	// IO is how requests for data change on their way from the application to the devices; missing
	// where fewer than two layers are known.
	IO *iopath.Path `json:"io,omitempty"`
	// Requests are what was asked of the devices that the volumes lie on; missing where that is
	// not known, or nothing was.
	Requests *resource.Requests `json:"requests,omitempty"`
	// Bottleneck says what limits here, if anything measured does.
	Bottleneck string            `json:"bottleneck,omitempty"`
	Sides      []Side            `json:"sides,omitempty"`    // the storage's machines and those that use it
	Fairness   *Fairness         `json:"fairness,omitempty"` // missing with one instance
	Passed     []BalancerTraffic `json:"passed,omitempty"`   // to servers behind a balancer, where these are several
	Grade      string            `json:"grade,omitempty"`    // the worst of its trials, A-F
	// Unsteady is what the work of its trials did where it was not steady.
	Unsteady []UnsteadyTrial `json:"unsteady,omitempty"`

	// Break is what Breaks says.
	Break Break `json:"-"`
	// LeftOpen is what its trials do not tell of the machines that they had.
	LeftOpen resource.BlindSpots `json:"-"`
	// UnitsPerSecond are units of work, whatever Throughput counts.
	UnitsPerSecond float64 `json:"-"`
}

// Ceiling is what the drivers of a rung or trial did by themselves.
type Ceiling struct {
	Throughput stats.Interval `json:"throughput"`       // in the study's unit
	Payload    float64        `json:"payload,omitzero"` // MB/s that the units of work moved, where Throughput counts something else
	CPU        float64        `json:"cpu"`              // cores that the drivers used, without what answered
	Used       float64        `json:"used"`             // cores that they used with the store
	// Share is the throughput with the store divided by the drivers' without it.
	Share float64 `json:"share"`
}

// Bursts is the unit of work with bursts on and off apart: a bursty member's own bursts,
// and for another member the times when all bursty members are on, and the rest.
type Bursts struct {
	On  Burst `json:"on"`  // seconds in which users begin work
	Off Burst `json:"off"` // seconds in which they do not
	// Response is the mean response time on burst over that off burst, and Work the throughput:
	// 2 is twice as much. Trials are compared with themselves; 0 where one is not known.
	Response stats.Interval `json:"response"`
	Work     stats.Interval `json:"work"`
}

// Burst is what was done in seconds of one kind. Work belongs to the second in which it ended.
type Burst struct {
	Share      float64            `json:"share"`      // of the measured seconds
	Throughput float64            `json:"throughput"` // in the study's unit, the median over repetitions
	Mean       float64            `json:"mean"`       // response time, s, the median over repetitions
	Percentile map[string]float64 `json:"percentile"` // response times in s, of all repetitions together
}

// OperationStats is one operation of a rung. Times are in seconds.
type OperationStats struct {
	PerMinute  float64            `json:"per_minute"` // how often it was done, for tables
	PerSecond  float64            `json:"-"`          // the same, to compute with
	Mean       float64            `json:"mean"`       // response time, s
	Percentile map[string]float64 `json:"percentile"` // response times in s: p50, p90, p95, p99, p99.9, max
	// Corrected are the percentiles and the mean with what stalls hid from the users of
	// a closed loop; missing where nothing was hidden.
	Corrected map[string]float64 `json:"corrected,omitempty"`
	Errors    int64              `json:"errors"` // how many failed
	// Pooled reports that the percentiles come from the merged histograms; false
	// means that histograms were missing and the worst repetition stands in.
	Pooled bool `json:"pooled"`
}

// ObjectiveResult is one objective judged at a rung.
type ObjectiveResult struct {
	Text string `json:"text"` // as in the study
	// Metric is the limited metric: mean, p95, errors, ...
	Metric string `json:"metric,omitempty"`
	// Operation is the one that the metric is of, empty for the unit of work.
	Operation string  `json:"operation,omitempty"`
	Value     float64 `json:"value"` // s or a fraction
	// Recorded is what was recorded, where Value is corrected for what a stall hid from
	// the users of a closed loop; else 0.
	Recorded float64 `json:"recorded,omitempty"`
	Limit    float64 `json:"limit"` // in the unit of Value
	// Kept reports that Value is within Limit, and that no instance misses it by
	// itself, where the objectives are of each.
	Kept bool `json:"kept"`
	// Unknown reports that the trials did not record the metric, so that the
	// objective counts as not kept.
	Unknown bool `json:"unknown,omitempty"`
	// Worst is the instance that stands worst to the objective; missing where
	// instances were not judged one by one.
	Worst *WorstInstance `json:"worst,omitempty"`
}

// Fairness compares instances of a rung.
type Fairness struct {
	// Jain is Jain's index of the throughput of each instance, averaged over the
	// repetitions: 1 is fair, and 0.5 is as if half of them shared all.
	Jain      float64   `json:"jain"`
	Instances []float64 `json:"instances"` // throughput of each, sorted
	// Uneven is the repetition with the lowest index, where that is more than chance;
	// missing where there is none.
	Uneven *Imbalance `json:"uneven,omitempty"`
}
