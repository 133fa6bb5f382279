// Package model has the types of an analysis, as reports show them and JSON stores them.
// The neighbouring packages fill them.
package model

import (
	"slices"
	"time"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/items"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/price"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/scale"
	"plimsoll/internal/analysis/tail"
	"plimsoll/internal/analysis/timeprofile"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/analysis/whatif"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Analysis is everything a report shows. It is embedded in the HTML as JSON.
type Analysis struct {
	Study   StudyInfo       `json:"study"`             // the study
	Run     RunInfo         `json:"run"`               // which run answered it
	Machine *result.Machine `json:"machine,omitempty"` // nil for reference results
	// Machines are the others that trials ran on.
	Machines []result.Host `json:"machines,omitempty"`
	Factors  []Factor      `json:"factors,omitempty"` // on which the variants differ
	Variants []Variant     `json:"variants"`          // as in the plan
	// Tiles is how many tiles each variant carries, in a study with members. The variants
	// above are then the members' variants.
	Tiles []Tile `json:"tiles,omitempty"`
	// Ranking names the variants as a reader meets them, the best first; where they
	// count different things, they stand as in the plan.
	Ranking []string `json:"ranking,omitempty"`
	// Lists are the results of a list's items, such as queries, by rung and variant;
	// missing for other work.
	Lists []items.List `json:"lists,omitempty"`
	// Pairs compares the levels of each factor with its first.
	Pairs []Pair `json:"pairs,omitempty"`
	// Parts answer the study's question, part by part; missing where no trial finished. Caveats
	// are what can have changed the answer.
	Parts   []AnswerPart `json:"parts,omitempty"`
	Caveats []Caveat     `json:"caveats,omitempty"`
	// Headline is all parts in one text.
	Headline string `json:"headline,omitempty"`
	// Reply has the numbers of the headline; it is missing if the load lines are the whole
	// answer. Breaking are the variants that meet their objectives at no rung or had list
	// items fail: their figures recommend nothing.
	Breaking []FailingVariant `json:"breaking,omitempty"`
	Reply    *Reply           `json:"answer,omitempty"`
	// Verdict is one sentence per variant; they stand as the variants do.
	Verdict []Sentence `json:"verdict"`
	// Answers are the leading questions, answered.
	Answers  []Answer        `json:"answers,omitempty"`
	Findings []Finding       `json:"findings"` // conclusions, each with its numbers and trials
	Warnings []trust.Warning `json:"warnings"` // reasons to distrust trials, and parts of the run that could not be read
	// Grade says how far the answer may be off, A-F: A at most 5 %, B 10 %, C 25 %, D 50 %, E more, F
	// by as much as nothing tells. It is not above C where the answer could be the opposite.
	Grade string `json:"grade"`
	// GradeReason is the bound behind Grade in a line; empty where nothing is off.
	GradeReason string `json:"grade_reason,omitempty"`
	// Bound is how far the answer may be off, and why; missing where nothing was measured.
	Bound *AnswerBound `json:"bound,omitempty"`
	// Score is how the predictions fared in experiments that followed; missing where none did.
	Score  *PredictionScore `json:"prediction_score,omitempty"`
	Prices *price.Prices    `json:"prices,omitempty"` // missing where the study has no prices
	// Beside compares the results with published ones; missing if there are none.
	Beside *PublishedComparison `json:"beside,omitempty"`
	// Against are an earlier run that the user named, and the study's published results.
	Against []ReferenceResult `json:"against,omitempty"`
	// Claims are the study's own, and the conclusions of the published results that it names.
	Claims []ClaimResult `json:"claims,omitempty"`
	// Settings are all settings of the study as it was run.
	Settings []Setting `json:"settings,omitempty"`
	// ResourceKinds describes the kinds of the resources.
	ResourceKinds map[resource.Kind]resource.KindInfo `json:"resource_kinds,omitempty"`
	Method        []string                            `json:"method"` // how it was measured and computed, a sentence each
	Trials        []TrialInfo                         `json:"trials"` // all of them, those included that another attempt replaces
}

// AnswerPart answers a part of the study's question.
type AnswerPart struct {
	Asks study.Asked `json:"asks"`           // which part
	Text string      `json:"text"`           // the answer
	Sure string      `json:"sure,omitempty"` // how sure it is, with the number of repetitions
}

// Caveat is something that can have changed the answer.
type Caveat struct {
	Kind CaveatKind `json:"kind"` // disturbed or one-machine
	Text string     `json:"text"` // it in a sentence
}

// CaveatKind is a kind of caveat.
type CaveatKind string

// Kinds of caveats.
const (
	Disturbed  CaveatKind = "disturbed"   // others used up what variants ran on
	OneMachine CaveatKind = "one-machine" // streams that were to cross a network did not
)

// AnswerBound is how far the answer may be off: the figure behind it whose bound is the widest.
type AnswerBound struct {
	bound.Bound         // of all doubts together
	Variant     string  `json:"variant,omitempty"`                             // whose figure it is
	Rungs       []int   `json:"rungs,omitempty"`                               // that it was measured at, or between
	Figure      float64 `json:"figure" within:"-1000000000000..1000000000000"` // that was measured
	Unit        string  `json:"unit,omitempty"`                                // of Figure; empty for a ratio
	Low         float64 `json:"low" within:"-1000000000000..1000000000000"`    // the true figure may be as low; without meaning where the bound is open
	High        float64 `json:"high" within:"-1000000000000..1000000000000"`   // or as high
	Turns       bool    `json:"turns,omitempty"`                               // within it the answer could be the opposite
	Doubts      []Doubt `json:"doubts,omitempty"`                              // it is the sum of, the greatest first
	Cure        *Cure   `json:"cure,omitempty"`                                // what shrinks it most for its time; missing where nothing would
	Text        string  `json:"text"`                                          // it in a line
	Range       string  `json:"range,omitempty"`                               // Low to High, with the unit; empty where it is open
	Measured    string  `json:"measured"`                                      // Figure, with the unit
}

// Doubt is what one kind of doubt may have changed of a figure.
type Doubt struct {
	Kind trust.Kind `json:"kind"` // as of the warnings about it
	bound.Bound
	Low    float64  `json:"low" within:"-1000000000000..1000000000000"`  // the true figure may be as low, for it alone
	High   float64  `json:"high" within:"-1000000000000..1000000000000"` // or as high
	Trials []string `json:"trials,omitempty"`                            // that have it; none for the run
	Text   string   `json:"text"`                                        // its subject
	Range  string   `json:"range,omitempty"`                             // Low to High, with the unit; empty where it is open
	Cure   *Cure    `json:"cure,omitempty"`                              // what shrinks it; missing where nothing would
}

// Cure is a change that shrinks a bound.
type Cure struct {
	Left bound.Bound `json:"left"` // the bound that is left
	To   string      `json:"to"`   // its grade
	// Set are settings of the study, PATH=VALUE.
	Set  []string `json:"set,omitempty"`
	Idle bool     `json:"idle,omitempty"` // nothing else may run on the machine
	// Guests reports that other guests of its hypervisor may not take its CPU.
	Guests  bool    `json:"guests,omitempty"`
	Minutes float64 `json:"minutes" within:"0..1000000"` // that such a run takes
	Text    string  `json:"text"`                        // how to do it, with the command

	Of   []trust.Kind `json:"-"` // that it shrinks
	Gain float64      `json:"-"` // by which the bound shrinks
}

// Variant is the one with a name, nil for none.
func (a *Analysis) Variant(name string) *Variant {
	i := slices.IndexFunc(a.Variants, func(v Variant) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return &a.Variants[i]
}

// Decides reports whether the verdict rests on a trial: it is at a load line or at the rung
// above.
func (a *Analysis) Decides(t TrialInfo) bool {
	return slices.ContainsFunc(a.Variants, func(v Variant) bool {
		return v.Name == t.Variant && (t.Rung == v.LoadLine.Rung || t.Rung == v.LoadLine.Next)
	})
}

// StudyInfo heads the report.
type StudyInfo struct {
	Name     string `json:"name"`              // the study's short name
	Title    string `json:"title"`             // for headings
	Question string `json:"question"`          // that the study asks
	Source   string `json:"source,omitempty"`  // of the study: a publication
	Profile  string `json:"profile,omitempty"` // that was laid over the study
	Reduced  bool   `json:"reduced"`           // the profile is smaller than the study's subject
	// Set lists the settings from the command line, for the run or for this report.
	Set      []string `json:"set,omitempty"`
	Workload string   `json:"workload"`          // the work of the users
	Dataset  string   `json:"dataset,omitempty"` // that each instance held, in words
	Unit     string   `json:"unit"`              // of throughput, as in the profile
	Noun     string   `json:"noun"`              // what a rung counts, singular: "instance"
	// Work is the first variant's description of its workload.
	Work       describe.Profile  `json:"work"`
	Objectives []study.Objective `json:"objectives"` // that the load line keeps
	Parts      []study.Asked     `json:"parts"`      // of the question
	// OpenLoop reports that users of every variant offer work at a rate, so that throughput
	// is the offered rate, and variants differ in response times and in the rate kept.
	OpenLoop bool `json:"open_loop,omitempty"`
}

// RunInfo identifies the run.
type RunInfo struct {
	ID       string    `json:"id"`                 // the run directory's name
	Started  time.Time `json:"started,omitzero"`   // begin of the first trial
	Ended    time.Time `json:"ended,omitzero"`     // end of the last trial
	Plimsoll string    `json:"plimsoll,omitempty"` // version that measured
	// AnalysedBy is the version that analysed and graded it, which may be a later one.
	AnalysedBy string `json:"analysed_by,omitempty"`
	Reference  string `json:"reference,omitempty"` // citation, for published results
	Simulated  bool   `json:"simulated"`           // some media are simulated
	// Within says that all streams stayed within one machine; missing where they did not, or it
	// is not known.
	Within *LocalTraffic `json:"within,omitempty"`
}

// LocalTraffic are streams that no network between machines carried.
type LocalTraffic struct {
	Role string `json:"role"` // of the servers that the streams went to
	User string `json:"user"` // the name for one of them
}

// Sentence is one conclusion in words, with the finding behind it.
type Sentence struct {
	Variant string `json:"variant"` // empty where it is about several
	Text    string `json:"text"`    // the conclusion in words
}

// Answer answers a leading question.
type Answer struct {
	Question string `json:"question"`         // as readers ask it
	Text     string `json:"text"`             // a paragraph
	Figure   string `json:"figure,omitempty"` // id of the figure that proves it
}

// FindingKind is what a finding is about.
type FindingKind string

// Kinds of findings.
const (
	LoadLineFinding     FindingKind = "load-line"
	BottleneckFinding   FindingKind = "bottleneck"
	EffectFinding       FindingKind = "effect"       // of an experiment with a factor
	ConfirmationFinding FindingKind = "confirmation" // of an experiment with the bottleneck
	ScalabilityFinding  FindingKind = "scalability"
	SpikeFinding        FindingKind = "spike"
	FairnessFinding     FindingKind = "fairness"
	BalanceFinding      FindingKind = "balance"       // of requests between servers
	RequestsFinding     FindingKind = "disk-requests" // what all applications ask the disks for together
	DeploymentFinding   FindingKind = "deployment"
	PriceFinding        FindingKind = "price"
)

// Finding is one conclusion with the numbers behind it.
type Finding struct {
	ID       string             `json:"id"`                 // unique within the analysis
	Kind     FindingKind        `json:"kind"`               // what it is about
	Variant  string             `json:"variant,omitempty"`  // empty where it is about several
	Rung     int                `json:"rung,omitempty"`     // where it was found, 0 for all rungs
	Text     string             `json:"text"`               // the conclusion in words
	Numbers  map[string]float64 `json:"numbers,omitempty"`  // behind it, by name
	Trials   []string           `json:"trials,omitempty"`   // IDs that it rests on
	Run      string             `json:"run,omitempty"`      // the experiment's run, if these trials are not in this one
	Next     string             `json:"next,omitempty"`     // the experiment that would prove it, in words
	Fragment string             `json:"fragment,omitempty"` // and as a piece of study YAML
	Change   *Change            `json:"change,omitempty"`   // and as one setting
	// Beside are other settings that may relieve the bottleneck.
	Beside []Change `json:"beside,omitempty"`
	// Cause is the cause of a bottleneck, or of a lack of fairness.
	Cause *diagnose.Cause `json:"cause,omitempty"`
	// Outcome is what an experiment or an effect shows: confirmed or refuted, limit (the
	// factor was it) or no-limit, or undecided.
	Outcome Outcome `json:"outcome,omitempty"`
	// Tested are the predictions that an experiment was to test.
	Tested []TestedPrediction `json:"tested,omitempty"`
}

// Outcome is what an experiment, or an effect of a factor, shows.
type Outcome string

// Outcomes.
const (
	Undecided Outcome = "undecided" // the interval allows both, or there is none
	Confirmed Outcome = "confirmed" // throughput did as the finding predicts
	Refuted   Outcome = "refuted"   // it did something else
	WasLimit  Outcome = "limit"     // raising the factor raised throughput
	IsNoLimit Outcome = "no-limit"  // raising it did not, by as much as matters
)

// Change is the one setting that an experiment changes.
type Change struct {
	Path  string `json:"path"`  // as in a study's matrix
	From  string `json:"from"`  // the value that was measured
	To    string `json:"to"`    // the value to measure
	Rungs []int  `json:"rungs"` // where to measure it
	// Expect is what throughput must do if the finding is right: better, worse
	// or same.
	Expect string `json:"expect"`
	// Beside reports that the finding stands whether this change helps or not.
	Beside bool `json:"beside,omitempty"`
	// Predictions are figures that are predicted of the change, at the first of Rungs.
	Predictions []ChangePrediction `json:"predictions,omitempty"`
}

// Variant is one configuration with its rungs, smallest first.
type Variant struct {
	Name        string            `json:"name"`                 // unique within the study
	Label       string            `json:"label"`                // for charts: "hdd, 4 CPU"
	Factors     map[string]string `json:"factors"`              // levels by path of the matrix
	Media       string            `json:"media"`                // as the storage class calls it
	MediaKind   string            `json:"media_kind,omitempty"` // hdd, ssd, nvme or memory, where it is known
	Simulated   bool              `json:"simulated"`            // the medium is simulated
	Description string            `json:"description"`          // of the storage
	// Work is the workload's own description: its unit of work and of throughput, its
	// operations.
	Work        describe.Profile   `json:"work"`
	Rungs       []rung.Rung        `json:"rungs"`                 // smallest first
	LoadLine    loadline.LoadLine  `json:"load_line"`             // the most instances within the objectives
	Best        *Best              `json:"best,omitempty"`        // missing where nothing was measured
	Scalability *scale.Scalability `json:"scalability,omitempty"` // missing where too few rungs were measured
	Topology    *Topology          `json:"topology,omitempty"`    // the system under test; missing if no trial ran
	// Time is what made the response time grow where the line ends, or what it is spent on if the
	// smallest rung misses an objective or the growth shows no cause; missing where that is not known.
	Time *timeprofile.Attribution `json:"time,omitempty"`
	// Tail is what the slowest units of work spend their time on there, where a percentile misses its
	// objective and periods of high response time can be told from the others.
	Tail *tail.Attribution `json:"tail,omitempty"`
	// Predictions are what changes of the resources that limit would do there; missing where the
	// queueing network does not describe it.
	Predictions []whatif.Forecast `json:"predictions,omitempty"`

	Parameters    any     `json:"-"` // of the workload
	Drives, Rated float64 `json:"-"` // same as the storage's
}

// LeftOut is the status of a trial that another attempt replaces.
const LeftOut = "left out"

// TrialInfo lists a trial for tracing numbers back.
type TrialInfo struct {
	ID       string `json:"id"`              // <variant>/<rung>/<repetition>, or as in the plan
	Position int    `json:"position"`        // in the campaign, from 1
	Variant  string `json:"variant"`         // that was measured
	Rung     int    `json:"rung"`            // instances
	Alone    bool   `json:"alone,omitempty"` // of a member without the others of its tile
	// Ran is how many instances worked to the end, where some were set aside; 0 is all.
	Ran         int            `json:"ran,omitempty"`
	Repetition  int            `json:"repetition"`            // from 1
	Status      string         `json:"status"`                // passed, failed or left out
	Cause       string         `json:"cause,omitempty"`       // why it failed
	Grade       string         `json:"grade"`                 // A-F
	Throughput  float64        `json:"throughput"`            // in the study's unit
	Stonewalled float64        `json:"stonewalled,omitempty"` // as of a rung
	Without     float64        `json:"without,omitempty"`     // as of a rung
	Payload     float64        `json:"payload,omitempty"`     // as of a rung
	Ceiling     *rung.Ceiling  `json:"ceiling,omitempty"`     // as of a rung
	Mean        float64        `json:"mean"`                  // response time of a unit of work, s
	P95         float64        `json:"p95"`                   // response time, s
	P99         float64        `json:"p99"`                   // response time, s
	Audit       string         `json:"audit,omitempty"`       // its outcome in words
	Present     *int64         `json:"present,omitempty"`     // acknowledged units of work, if the audit found all of them; missing if it did not pass, or there was none
	Uncounted   bool           `json:"uncounted,omitempty"`   // the audit could not be made: Audit gives the reason
	Start       time.Time      `json:"start,omitzero"`        // common start of the drivers
	WarmupEnd   float64        `json:"warmup_end"`            // s since Start
	End         float64        `json:"end"`                   // s since Start
	Events      []result.Event `json:"events,omitempty"`      // faults and what followed
	Notes       []string       `json:"notes,omitempty"`       // what could not be done as asked
	// SetAside are instances that failed by themselves, as the study tolerates; the first of
	// many.
	SetAside []result.Exclusion `json:"set_aside,omitempty"`
}

// FailingVariant is a variant that meets its objectives at no rung, or had list items fail.
type FailingVariant struct {
	Variant string   `json:"variant"`           // by its name
	Nowhere bool     `json:"nowhere,omitempty"` // it was measured, and no rung keeps the objectives
	Items   []string `json:"items,omitempty"`   // of its list that failed in a repetition or more
}
