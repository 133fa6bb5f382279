// Package analysis turns results into answers, in pure functions over files:
// per rung the median of the repetitions with its interval, efficiency, the
// load line, scalability, demand and bottleneck, price, comparison and sizing.
// Every formula names its source.
package analysis

import (
	"time"

	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Interval is an estimate with its bounds. Where there is no interval, because
// nothing was repeated, Confidence is 0 and the bounds are null in JSON; Low and
// High are then Value, or the measured rungs beside a load line. High is infinite,
// and null in JSON, where a load line has no upper bound.
type Interval struct {
	Value      float64 `json:"value"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Confidence float64 `json:"confidence,omitempty"` // 0.95
}

// Analysis is everything a report shows. It is embedded in the HTML as JSON.
type Analysis struct {
	Study    StudyInfo       `json:"study"`
	Run      RunInfo         `json:"run"`
	Machine  *result.Machine `json:"machine,omitempty"` // nil for reference results
	Variants []Variant       `json:"variants"`
	// Verdict is the first screen: one sentence per variant, best first.
	Verdict []Sentence `json:"verdict"`
	// Answers are the leading questions, answered.
	Answers  []Answer  `json:"answers,omitempty"`
	Findings []Finding `json:"findings"`
	Warnings []Warning `json:"warnings"`
	// Grade is the worst grade of the trials that the verdict rests on, A-F.
	Grade  string         `json:"grade"`
	Prices *PriceAnalysis `json:"prices,omitempty"`
	// Settings are all those of the study as it was run.
	Settings []Setting   `json:"settings,omitempty"`
	Method   []string    `json:"method"` // how it was measured and computed, a sentence each
	Trials   []TrialInfo `json:"trials"`
}

// StudyInfo heads the report.
type StudyInfo struct {
	Name       string            `json:"name"`
	Title      string            `json:"title"`
	Question   string            `json:"question"`
	Source     string            `json:"source,omitempty"`
	Profile    string            `json:"profile,omitempty"`
	Reduced    bool              `json:"reduced"`
	Workload   string            `json:"workload"`
	Dataset    string            `json:"dataset,omitempty"`
	Unit       string            `json:"unit"` // of throughput: "OPM"
	Noun       string            `json:"noun"` // what a rung counts, singular: "instance"
	Objectives []study.Objective `json:"objectives"`
}

// RunInfo identifies the run.
type RunInfo struct {
	ID        string    `json:"id"`
	Started   time.Time `json:"started,omitzero"`
	Ended     time.Time `json:"ended,omitzero"`
	Plimsoll  string    `json:"plimsoll,omitempty"`
	Reference string    `json:"reference,omitempty"` // citation, for published results
	Simulated bool      `json:"simulated"`           // some media are simulated
}

// Sentence is one conclusion in words, with the finding behind it.
type Sentence struct {
	Variant string `json:"variant"`
	Text    string `json:"text"`
}

// Answer answers a leading question.
type Answer struct {
	Question string `json:"question"`
	Text     string `json:"text"`
	Figure   string `json:"figure,omitempty"` // id of the figure that proves it
}

// Finding is one conclusion with the numbers behind it.
type Finding struct {
	ID       string             `json:"id"`
	Kind     string             `json:"kind"` // load-line, bottleneck, scalability, price, audit, ...
	Variant  string             `json:"variant,omitempty"`
	Rung     int                `json:"rung,omitempty"`
	Text     string             `json:"text"`
	Numbers  map[string]float64 `json:"numbers,omitempty"`
	Trials   []string           `json:"trials,omitempty"`   // IDs that it rests on
	Next     string             `json:"next,omitempty"`     // the experiment that would prove it, in words
	Fragment string             `json:"fragment,omitempty"` // and as a piece of study YAML
	Change   *Change            `json:"change,omitempty"`   // and as one setting
}

// Change is the one setting that an experiment changes.
type Change struct {
	Path  string `json:"path"` // as in a study's matrix
	From  string `json:"from"`
	To    string `json:"to"`
	Rungs []int  `json:"rungs"`
	// Expect is what throughput must do if the finding is right: better, worse
	// or same.
	Expect string `json:"expect"`
}

// Warning is a reason to distrust a trial.
type Warning struct {
	Trial    string `json:"trial,omitempty"`
	Kind     string `json:"kind"`     // driver-saturated, warm-up, cache, ...
	Severity string `json:"severity"` // note, caution, serious
	Text     string `json:"text"`
}

// Variant is one configuration with its rungs, smallest first.
type Variant struct {
	Name        string            `json:"name"`
	Label       string            `json:"label"` // for charts: "hdd, 4 CPU"
	Factors     map[string]string `json:"factors"`
	Media       string            `json:"media"`
	Simulated   bool              `json:"simulated"`
	Description string            `json:"description"`
	Rungs       []Rung            `json:"rungs"`
	LoadLine    LoadLine          `json:"load_line"`
	Scalability *Scalability      `json:"scalability,omitempty"`
}

// Rung is one instance count of a variant, over its repetitions.
type Rung struct {
	Instances   int      `json:"instances"`
	Repetitions int      `json:"repetitions"` // that passed
	Failed      int      `json:"failed"`
	Trials      []string `json:"trials"`
	// Throughput is in the study's unit, committed work only.
	Throughput Interval `json:"throughput"`
	RolledBack float64  `json:"rolled_back"` // share of orders
	Errors     float64  `json:"errors"`      // share of orders
	// ErrorClasses counts them by what went wrong.
	ErrorClasses map[string]int64 `json:"error_classes,omitempty"`
	// Mean is the mean response time of an order in seconds, the median over
	// repetitions; the percentiles come from the merged histograms of all
	// repetitions.
	Mean       Interval                  `json:"mean"`
	P95        Interval                  `json:"p95"`
	Percentile map[string]float64        `json:"percentile"` // p50, p90, p95, p99, p99.9, max
	Operations map[string]OperationStats `json:"operations,omitempty"`
	// Efficiency is throughput per instance over that of the smallest rung.
	Efficiency float64           `json:"efficiency"`
	Objectives []ObjectiveResult `json:"objectives"`
	Kept       bool              `json:"kept"` // every objective
	// Breaks says in a clause what besides the objectives keeps the rung from being
	// kept: a trial that failed under load, an offered rate that was not reached.
	Breaks string `json:"breaks,omitempty"`
	// Resources are ordered by utilisation, highest first.
	Resources []Resource `json:"resources,omitempty"`
	// Bottleneck says what limits here, if anything measured does.
	Bottleneck string    `json:"bottleneck,omitempty"`
	Fairness   *Fairness `json:"fairness,omitempty"`
	Grade      string    `json:"grade,omitempty"`
}

// OperationStats is one operation of a rung. Times are in seconds.
type OperationStats struct {
	PerMinute  float64            `json:"per_minute"`
	Mean       float64            `json:"mean"`
	Percentile map[string]float64 `json:"percentile"`
	Errors     int64              `json:"errors"`
	// Pooled says that the percentiles come from the merged histograms; false
	// means that histograms were missing and the worst repetition stands in.
	Pooled bool `json:"pooled"`
}

// ObjectiveResult is one objective judged at a rung.
type ObjectiveResult struct {
	Text string `json:"text"`
	// Metric is what is limited: mean, p95, errors, ...
	Metric string  `json:"metric,omitempty"`
	Value  float64 `json:"value"` // s or a fraction
	Limit  float64 `json:"limit"`
	Kept   bool    `json:"kept"`
	// Unknown says that the trials did not record the metric, so that the
	// objective counts as not kept.
	Unknown bool `json:"unknown,omitempty"`
}

// Resource is how one resource fared at a rung.
type Resource struct {
	Name        string  `json:"name"`        // "CPU", "disk loop3 (hdd)", "driver CPU"
	Kind        string  `json:"kind"`        // cpu, device, network, memory, node, quota; driver and process are parts of cpu
	Utilisation float64 `json:"utilisation"` // 0..1
	// Demand is seconds of the resource per order, D = U*m/X (Denning and
	// Buzen, "The Operational Analysis of Queueing Network Models", 1978).
	Demand  float64 `json:"demand"`
	Queue   float64 `json:"queue,omitempty"`   // mean requests waiting or in service
	Servers float64 `json:"servers,omitempty"` // cores or actuators
	// Other is the part of Utilisation that nothing of the trial accounts for:
	// neighbours, or the kernel's work for the storage.
	Other float64 `json:"other,omitempty"`
	// Throttled is the share of the periods of its CPU limit in which the limit
	// held it back.
	Throttled float64 `json:"throttled,omitempty"`
	// Await is the mean time of a device's request in seconds, waiting included.
	Await float64 `json:"await,omitempty"`
	// Busy is the share of time in which a device had any request under way.
	Busy float64 `json:"busy,omitempty"`
	// Assumed says on what Servers rests where nobody knows it.
	Assumed string `json:"assumed,omitempty"`
	// Uncertain says that Utilisation is only the most that it can be: the
	// requests' times do not bear out the assumption about Servers.
	Uncertain bool `json:"uncertain,omitempty"`
	// Evidence says in a sentence what the requests' times tell of Servers.
	Evidence string `json:"evidence,omitempty"`
}

// Fairness compares instances of a rung.
type Fairness struct {
	Jain      float64   `json:"jain"`      // Jain's index of throughput, 1 is fair
	Instances []float64 `json:"instances"` // throughput of each, sorted
}

// LoadLine is the largest count that keeps every objective.
type LoadLine struct {
	// Rung is the largest measured rung that kept them, 0 for none.
	Rung int `json:"rung"`
	// Next is the smallest measured rung above Rung, which broke an objective;
	// 0 when the line is open. The line lies in [Rung, Next).
	Next int `json:"next,omitempty"`
	// Count interpolates between that rung and the next, in whole instances.
	Count Interval `json:"count"`
	// Open says that every measured rung kept them: the line lies above.
	Open     bool   `json:"open"`
	Unstable bool   `json:"unstable"`         // a rung failed below one that passed
	Broken   string `json:"broken,omitempty"` // the objective that broke first
	Text     string `json:"text"`
}

// Scalability is the fitted model and its bounds.
type Scalability struct {
	// Holds says that the law describes the rungs. Where it does not, Doubt says
	// why, and its parameters, peak and curve are missing.
	Holds bool   `json:"holds"`
	Doubt string `json:"doubt,omitempty"`
	// Universal Scalability Law, X(N) = lambda*N / (1 + sigma*(N-1) + kappa*N*(N-1))
	// (Gunther, "Guerrilla Capacity Planning", 2007).
	Lambda Interval `json:"lambda,omitzero"`
	Sigma  Interval `json:"sigma,omitzero"`
	Kappa  Interval `json:"kappa,omitzero"`
	PeakAt float64  `json:"peak_at"`          // instances; 0 when there is none
	Peak   float64  `json:"peak"`             // throughput there
	Model  []Point  `json:"model"`            // with the band
	Bounds []Point  `json:"bounds,omitempty"` // asymptotic bounds (Value) per N
	// Beaten says that the bounds were left out because a rung lies above them.
	Beaten string `json:"beaten,omitempty"`
	// Errors are predictions made without a rung against its measurement.
	Errors []Prediction `json:"errors,omitempty"`
	// Network and Response are throughput and response time (s) of the closed
	// queueing network with the demands measured at the rung DemandsFrom; empty
	// without telemetry, and where NetworkErrors, which hold it against the rungs
	// above, show that it does not describe them.
	Network       []Point      `json:"network,omitempty"`
	Response      []Point      `json:"response,omitempty"`
	DemandsFrom   int          `json:"demands_from,omitempty"`
	NetworkErrors []Prediction `json:"network_errors,omitempty"`
	Text          string       `json:"text"`
}

// Point is one point of a curve with its band.
type Point struct {
	N     float64 `json:"n"`
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Prediction compares a model with a measurement.
type Prediction struct {
	N int `json:"n"`
	// FittedTo is the largest rung that the prediction rests on.
	FittedTo  int     `json:"fitted_to"`
	Predicted float64 `json:"predicted"`
	Measured  float64 `json:"measured"`
	Error     float64 `json:"error"` // predicted/measured - 1
}

// PriceAnalysis compares variants by money.
type PriceAnalysis struct {
	Currency string         `json:"currency"`
	Years    float64        `json:"years"`
	Variants []VariantPrice `json:"variants"`
	Text     []string       `json:"text"` // conclusions
	Note     string         `json:"note,omitempty"`
	Unit     string         `json:"unit"` // of throughput
	Noun     string         `json:"noun"` // what a rung counts
	// Configurations join the variants with the same bill, cheapest first.
	Configurations []Configuration `json:"configurations,omitempty"`
}

// Configuration is what one bill buys: the best of the variants that cost the
// same.
type Configuration struct {
	Name        string   `json:"name"`
	Variants    []string `json:"variants"`
	Best        string   `json:"best"` // the variant with the throughput below
	Total       float64  `json:"total"`
	Throughput  float64  `json:"throughput"` // best that keeps the objectives
	At          int      `json:"at"`
	PerUnit     float64  `json:"per_unit"`
	PerInstance float64  `json:"per_instance"`
	LoadLine    float64  `json:"load_line"`
	Open        bool     `json:"open"` // the load line lies at or above that
}

// VariantPrice is one variant's bill.
type VariantPrice struct {
	Variant     string      `json:"variant"`
	Total       float64     `json:"total"`
	Throughput  float64     `json:"throughput"`   // best that keeps the objectives
	At          int         `json:"at"`           // instances there
	PerUnit     float64     `json:"per_unit"`     // total / throughput
	PerInstance float64     `json:"per_instance"` // total / load line
	OnFront     bool        `json:"on_front"`     // Pareto front of price and throughput
	Lines       []PriceLine `json:"lines"`
	PerDrive    float64     `json:"per_drive,omitempty"`    // throughput per drive, items of kind drive
	PerTerabyte float64     `json:"per_terabyte,omitempty"` // total per raw TB (1e12 bytes)
}

// PriceLine is one line of a bill.
type PriceLine struct {
	Name     string  `json:"name"`
	Kind     string  `json:"kind,omitempty"`
	Quantity float64 `json:"quantity"`
	Price    float64 `json:"price"`
	Total    float64 `json:"total"`
}

// TrialInfo lists a trial for tracing numbers back.
type TrialInfo struct {
	ID         string         `json:"id"`
	Order      int            `json:"order"`
	Variant    string         `json:"variant"`
	Rung       int            `json:"rung"`
	Repetition int            `json:"repetition"`
	Status     string         `json:"status"`
	Cause      string         `json:"cause,omitempty"`
	Grade      string         `json:"grade"`
	Throughput float64        `json:"throughput"`
	Mean       float64        `json:"mean"`
	P95        float64        `json:"p95"`
	P99        float64        `json:"p99"`
	Audit      string         `json:"audit,omitempty"`
	Start      time.Time      `json:"start,omitzero"`
	WarmupEnd  float64        `json:"warmup_end"` // s since Start
	End        float64        `json:"end"`
	Events     []result.Event `json:"events,omitempty"`
	Notes      []string       `json:"notes,omitempty"`
}
