package tables

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/iopath"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
)

// Rows of the tables, a field for each column. The tag csv names it in CSV and parquet in Parquet,
// and in CSV too if there is no other tag; "-" leaves it out there. The value of an optional column
// is missing if it is zero or nil: nothing was measured or recorded. The tag about describes it,
// in the same words as docs/tables.md.

// of is what a row is about.
type of struct {
	Study     string `csv:"study" parquet:"-"`
	Run       string `csv:"-" parquet:"run" about:"name of the run directory"`
	Variant   string `parquet:"variant" about:"name of the variant"`
	Instances int    `parquet:"instances" about:"how many ran at once"`
}

func everyVariant[T any](rows func(of, analysis.Variant) []T) func(*analysis.Analysis) []T {
	return func(a *analysis.Analysis) (all []T) {
		for _, v := range a.Variants {
			all = append(all, rows(of{Study: a.Study.Name, Run: a.Run.ID, Variant: v.Name}, v)...)
		}
		return all
	}
}

func everyRung[T any](rows func(of, analysis.Variant, rung.Rung) []T) func(*analysis.Analysis) []T {
	return everyVariant(func(at of, v analysis.Variant) (all []T) {
		for _, r := range v.Rungs {
			at.Instances = r.Instances
			all = append(all, rows(at, v, r)...)
		}
		return all
	})
}

// low is the lower bound of an interval; nil where it has none.
func low(i stats.Interval) *float64 { return number(i.Low, i.Bounded()) }

func high(i stats.Interval) *float64 { return number(i.High, i.Bounded()) }

// number is a value that may be zero; nil where it is not known.
func number[T any](v T, known bool) *T {
	if !known {
		return nil
	}
	return &v
}

type runRow struct {
	Run       string    `parquet:"run" about:"name of the run directory; joins all tables"`
	Study     string    `parquet:"study" about:"short name of the study"`
	Title     string    `parquet:"title,optional" about:"title of the study"`
	Profile   string    `parquet:"profile,optional" about:"profile that was laid over the study"`
	Reduced   bool      `parquet:"reduced" about:"the profile is smaller than what the study is about"`
	Simulated bool      `parquet:"simulated" about:"some media are simulated"`
	Workload  string    `parquet:"workload" about:"what the users did"`
	Unit      string    `parquet:"unit" about:"unit of throughput"`
	Plimsoll  string    `parquet:"plimsoll,optional" about:"version that measured"`
	Started   time.Time `parquet:"started,optional,timestamp(millisecond:local)" about:"begin of the first trial, UTC"`
	Ended     time.Time `parquet:"ended,optional,timestamp(millisecond:local)" about:"end of the last trial, UTC"`
	Grade     string    `parquet:"grade,optional" about:"how far the answer may be off, A to F"`
	Answer    string    `parquet:"answer,optional" about:"answer to the study's question in a sentence"`
	TooLow    *float64  `parquet:"too_low,optional" about:"by what share of its figure the answer may be too low; null where nothing bounds it"`
	TooHigh   *float64  `parquet:"too_high,optional" about:"by what share it may be too high"`
	Analysed  string    `parquet:"analysed_by,optional" about:"version that analysed and graded"`
}

func runRows(a *analysis.Analysis) []runRow {
	return []runRow{{
		Run: a.Run.ID, Study: a.Study.Name, Title: a.Study.Title, Profile: a.Study.Profile, Reduced: a.Study.Reduced, Simulated: a.Run.Simulated,
		Workload: a.Study.Workload, Unit: a.Study.Unit, Plimsoll: a.Run.Plimsoll, Started: a.Run.Started, Ended: a.Run.Ended, Grade: a.Grade, Answer: a.Headline,
		TooLow: ofBound(a, func(b bound.Bound) float64 { return b.TooLow }), TooHigh: ofBound(a, func(b bound.Bound) float64 { return b.TooHigh }),
		Analysed: a.Run.AnalysedBy,
	}}
}

// ofBound is a part of the bound of an answer; nil where there is none.
func ofBound(a *analysis.Analysis, part func(bound.Bound) float64) *float64 {
	if a.Bound == nil || a.Bound.Open {
		return nil
	}
	return number(part(a.Bound.Bound), true)
}

type variantRow struct {
	Run            string            `parquet:"run" about:"name of the run directory"`
	Variant        string            `parquet:"variant" about:"name of the variant"`
	Label          string            `parquet:"label,optional" about:"what reports call it"`
	Factors        map[string]string `parquet:"factors" about:"levels by path of the study's matrix"`
	Simulated      bool              `parquet:"simulated" about:"its medium is simulated"`
	LineRung       int               `parquet:"line_rung" about:"largest rung that kept every objective, 0 for none"`
	LineNext       int               `parquet:"line_next,optional" about:"smallest rung above it, which broke one; null where none did"`
	LineOpen       bool              `parquet:"line_open" about:"every rung kept them: the load line lies above"`
	BestRung       int               `parquet:"best_rung,optional" about:"rung of the highest throughput, within the objectives where any rung keeps them"`
	BestThroughput float64           `parquet:"best_throughput,optional" about:"that throughput"`
	Unit           string            `parquet:"unit" about:"unit of throughput"`
	Cause          string            `parquet:"cause,optional" about:"kind of what limits: saturated, spent, queueing, driver, users, waiting …"`
	Bottleneck     string            `parquet:"bottleneck,optional" about:"resource that limits, or may"`
	Verdict        string            `parquet:"verdict,optional" about:"verdict in a sentence"`
}

func variantRows(a *analysis.Analysis) (rows []variantRow) {
	for _, v := range a.Variants {
		row := variantRow{
			Run: a.Run.ID, Variant: v.Name, Label: v.Label, Factors: v.Factors, Simulated: v.Simulated, Unit: v.Work.Unit.Throughput,
			LineRung: v.LoadLine.Rung, LineNext: v.LoadLine.Next, LineOpen: v.LoadLine.Open,
		}
		if v.Best != nil {
			row.BestRung, row.BestThroughput = v.Best.Rung, v.Best.Throughput.Value
		}
		for _, f := range a.Findings {
			if f.Kind == model.BottleneckFinding && f.Variant == v.Name && f.Cause != nil {
				row.Cause, row.Bottleneck = string(f.Cause.Kind), f.Cause.Resource
			}
		}
		for _, s := range a.Verdict {
			if s.Variant == v.Name {
				row.Verdict = s.Text
			}
		}
		rows = append(rows, row)
	}
	return rows
}

type rungRow struct {
	of
	Repetitions    int      `parquet:"repetitions" about:"trials that passed"`
	Failed         int      `parquet:"failed" about:"trials that failed"`
	Unit           string   `parquet:"unit" about:"unit of throughput"`
	Throughput     *float64 `parquet:"throughput,optional" about:"median over the repetitions"`
	ThroughputLow  *float64 `parquet:"throughput_low,optional" about:"lower bound of its interval"`
	ThroughputHigh *float64 `parquet:"throughput_high,optional" about:"upper bound of its interval"`
	Stonewalled    float64  `csv:"stonewalled,optional" parquet:"-"`
	Without        float64  `csv:"without_optional,optional" parquet:"-"`
	Payload        float64  `csv:"payload_mb_s,optional" parquet:"-"`
	Mean           float64  `parquet:"mean_s,optional" about:"mean response time in seconds"`
	MeanLow        *float64 `csv:"mean_low_s,optional" parquet:"-"`
	MeanHigh       *float64 `csv:"mean_high_s,optional" parquet:"-"`
	P50            float64  `parquet:"p50_s,optional" about:"median response time in seconds"`
	P90            float64  `csv:"p90_s,optional" parquet:"-"`
	P95            float64  `parquet:"p95_s,optional" about:"95th percentile of the response time in seconds"`
	P99            float64  `parquet:"p99_s,optional" about:"99th percentile of the response time in seconds"`
	P999           float64  `csv:"p99_9_s,optional" parquet:"-"`
	Max            float64  `csv:"max_s,optional" parquet:"-"`
	CorrectedP50   float64  `csv:"p50_corrected_s,optional" parquet:"-"`
	CorrectedP90   float64  `csv:"p90_corrected_s,optional" parquet:"-"`
	CorrectedP95   float64  `csv:"p95_corrected_s,optional" parquet:"-"`
	CorrectedP99   float64  `csv:"p99_corrected_s,optional" parquet:"-"`
	CorrectedP999  float64  `csv:"p99_9_corrected_s,optional" parquet:"-"`
	RolledBack     *float64 `parquet:"rolled_back,optional" about:"share of the units of work that were rolled back"`
	Errors         *float64 `parquet:"errors,optional" about:"share of the units of work that failed"`
	Efficiency     float64  `parquet:"efficiency,optional" about:"throughput per instance over that of the smallest rung"`
	Kept           *bool    `csv:"objectives_kept" parquet:"kept,optional" about:"every objective was kept; null where there is none"`
	Bottleneck     string   `csv:"bottleneck" parquet:"-"`
	Fairness       float64  `csv:"fairness_jain,optional" parquet:"-"`
	Grade          string   `parquet:"grade,optional" about:"how far its throughput may be off, A to F"`
	Faults         string   `csv:"faults" parquet:"-"`
}

func rungRows(at of, v analysis.Variant, r rung.Rung) []rungRow {
	row := rungRow{
		of: at, Repetitions: r.Repetitions, Failed: r.Failed, Unit: v.Work.Unit.Throughput, Kept: number(r.Kept, len(r.Objectives) > 0),
		Bottleneck: r.Bottleneck, Grade: r.Grade, Faults: strings.Join(r.Faults, "; "),
	}
	if r.Fairness != nil {
		row.Fairness = r.Fairness.Jain
	}
	if r.Repetitions == 0 && r.Failed > 0 {
		return []rungRow{row}
	}
	corrected := r.Operations[v.Work.Whole()].Corrected
	row.Throughput, row.ThroughputLow, row.ThroughputHigh = &r.Throughput.Value, low(r.Throughput), high(r.Throughput)
	row.Stonewalled, row.Without, row.Payload = r.Stonewalled.Value, r.Without.Value, r.Payload.Value
	row.Mean, row.MeanLow, row.MeanHigh = r.Mean.Value, low(r.Mean), high(r.Mean)
	row.P50, row.P90, row.P95, row.P99 = r.Percentile["p50"], r.Percentile["p90"], r.P95.Value, r.Percentile["p99"]
	row.P999, row.Max = r.Percentile["p99.9"], r.Percentile["max"]
	row.CorrectedP50, row.CorrectedP90, row.CorrectedP95 = corrected["p50"], corrected["p90"], corrected["p95"]
	row.CorrectedP99, row.CorrectedP999 = corrected["p99"], corrected["p99.9"]
	row.RolledBack, row.Errors, row.Efficiency = &r.RolledBack, &r.Errors, r.Efficiency
	return []rungRow{row}
}

type objectiveRow struct {
	of
	Objective string  `parquet:"objective" about:"the objective as the study has it"`
	Metric    string  `parquet:"metric,optional" about:"what is limited: mean, p95, errors …"`
	Operation string  `parquet:"operation,optional" about:"operation that the metric is of; null for the unit of work"`
	Value     float64 `parquet:"value" about:"what was measured: seconds, or a share"`
	Limit     float64 `parquet:"limit" about:"the limit, as value"`
	Kept      bool    `parquet:"kept" about:"value is within limit, and so is each instance where objectives are of each"`
	Unknown   bool    `parquet:"unknown" about:"the trials did not record the metric"`
}

func objectiveRows(at of, _ analysis.Variant, r rung.Rung) (rows []objectiveRow) {
	for _, o := range r.Objectives {
		rows = append(rows, objectiveRow{at, o.Text, o.Metric, o.Operation, o.Value, o.Limit, o.Kept, o.Unknown})
	}
	return rows
}

type operationRow struct {
	of
	Operation string  `parquet:"operation" about:"name of the operation"`
	PerMinute float64 `parquet:"per_minute" about:"how often it was done"`
	Mean      float64 `parquet:"mean_s,optional" about:"mean response time in seconds"`
	P50       float64 `parquet:"p50_s,optional" about:"median response time in seconds"`
	P95       float64 `parquet:"p95_s,optional" about:"95th percentile of the response time in seconds"`
	P99       float64 `parquet:"p99_s,optional" about:"99th percentile of the response time in seconds"`
	Errors    int64   `parquet:"errors" about:"how many failed"`
}

func operationRows(at of, v analysis.Variant, r rung.Rung) (rows []operationRow) {
	for _, name := range operationNames(v, r) {
		o := r.Operations[name]
		rows = append(rows, operationRow{at, name, o.PerMinute, o.Mean, o.Percentile["p50"], o.Percentile["p95"], o.Percentile["p99"], o.Errors})
	}
	return rows
}

// operationNames lists a rung's operations, the unit of work first.
func operationNames(v analysis.Variant, r rung.Rung) []string {
	names := slices.Sorted(maps.Keys(r.Operations))
	if at := slices.Index(names, v.Work.Whole()); at > 0 {
		names = slices.Insert(slices.Delete(names, at, at+1), 0, v.Work.Whole())
	}
	return names
}

// statisticRow is one figure of an operation.
type statisticRow struct {
	of
	Operation string  `csv:"operation"`
	PerMinute float64 `csv:"per_minute"`
	Errors    int64   `csv:"errors"`
	Statistic string  `csv:"statistic"`
	Seconds   float64 `csv:"seconds"`
}

func statisticRows(at of, v analysis.Variant, r rung.Rung) (rows []statisticRow) {
	for _, name := range operationNames(v, r) {
		o := r.Operations[name]
		add := func(statistic string, seconds float64) {
			rows = append(rows, statisticRow{at, name, o.PerMinute, o.Errors, statistic, seconds})
		}
		add("mean", o.Mean)
		for _, p := range percentiles(o.Percentile) {
			add(p, o.Percentile[p])
		}
		for _, p := range percentiles(o.Corrected) {
			add(p+" corrected", o.Corrected[p])
		}
	}
	return rows
}

// percentiles lists percentiles from the smallest up, "max" and "mean" last.
func percentiles(values map[string]float64) []string {
	names := slices.Sorted(maps.Keys(values))
	first := max(0, slices.IndexFunc(names, func(name string) bool { return name[0] == 'p' }))
	return slices.Concat(names[first:], names[:first])
}

type resourceRow struct {
	of
	Kind        string  `parquet:"kind" about:"its kind: cpu, device, network, quota …"`
	Resource    string  `parquet:"resource" about:"name of the resource"`
	Role        string  `csv:"-" parquet:"role,optional" about:"role of the servers that it belongs to"`
	Machine     string  `parquet:"machine,optional" about:"machine that it belongs to; null for the campaign's own"`
	Utilisation float64 `parquet:"utilisation" about:"share of it that was used"`
	Other       float64 `csv:"other,optional" parquet:"-"`
	Demand      float64 `parquet:"demand_s,optional" about:"seconds of it per unit of work"`
	Queue       float64 `parquet:"queue,optional" about:"mean number of requests waiting or in service"`
	Servers     float64 `parquet:"servers,optional" about:"how many requests it serves at once"`
}

func resourceRows(at of, _ analysis.Variant, r rung.Rung) (rows []resourceRow) {
	for _, o := range r.Resources {
		rows = append(rows, resourceRow{at, string(o.Kind), o.Name, o.Role, o.Machine, o.Utilisation, o.Other, o.Demand, o.Queue, o.Servers})
	}
	return rows
}

type timeRow struct {
	of
	Role      string   `parquet:"role,optional" about:"role of the servers, driver or storage; null for what only devices tell"`
	Component string   `parquet:"component" about:"what the time is spent on: running, cpu_wait, device_wait, lock_wait …"`
	Wait      string   `parquet:"wait,optional" about:"name of a wait; its row is part of the component's, where this is null"`
	Resource  string   `parquet:"resource,optional" about:"device that is waited for"`
	Seconds   float64  `parquet:"seconds" about:"of the response time of a unit of work"`
	Low       *float64 `parquet:"seconds_low,optional" about:"lower bound of its interval"`
	High      *float64 `parquet:"seconds_high,optional" about:"upper bound of its interval"`
	Response  float64  `parquet:"response_s" about:"mean response time that it is part of, in seconds"`
	Counted   bool     `csv:"-" parquet:"counted" about:"states of threads or sessions were measured; else only queues of devices"`
}

func timeRows(at of, _ analysis.Variant, r rung.Rung) (rows []timeRow) {
	if r.Time == nil {
		return nil
	}
	for _, p := range r.Time.Parts {
		add := func(wait string, s stats.Interval) {
			rows = append(rows, timeRow{at, p.Role, string(p.Component), wait, p.Resource, s.Value, low(s), high(s), r.Time.Response, r.Time.Counted})
		}
		add("", p.Seconds)
		for _, w := range p.Waits {
			add(w.Name, w.Seconds)
		}
	}
	return rows
}

type ioRow struct {
	of
	Layer         iopath.Kind `parquet:"layer" about:"that requests pass: application, calls, caused, passed_on or device"`
	Of            string      `parquet:"of,optional" about:"role of the servers, driver, or role of the devices"`
	Direction     string      `parquet:"direction" about:"reads or writes"`
	PerUnit       float64     `parquet:"per_unit,optional" about:"requests a unit of work; null where bytes alone are counted"`
	Bytes         float64     `parquet:"bytes,optional" about:"mean size of a request"`
	BytesPerUnit  float64     `parquet:"bytes_per_unit" about:"bytes a unit of work"`
	Amplification float64     `parquet:"amplification,optional" about:"these bytes over the application's or, where unknown, over what processes caused"`
	Merged        *float64    `parquet:"merged,optional" about:"share of requests that became part of others before the device"`
	Sequential    *float64    `parquet:"sequential,optional" about:"share of requests that begin where an earlier one ended"`
}

func ioRows(at of, _ analysis.Variant, r rung.Rung) (rows []ioRow) {
	if r.IO == nil {
		return nil
	}
	for _, f := range r.IO.Flows() {
		rows = append(rows, ioRow{at, f.Layer.Kind, f.Layer.Of, f.Direction, f.PerUnit, f.Bytes, f.BytesPerUnit, f.Amplification, f.Merged, f.Sequential})
	}
	return rows
}

type stageRow struct {
	of
	Place   int     `csv:"place"`
	Side    string  `csv:"side"`
	Stage   string  `csv:"stage"`
	Bytes   int64   `csv:"bytes"`
	PerUnit float64 `csv:"per_unit_s"`
	Busy    float64 `csv:"busy"`
	Starved float64 `csv:"starved"`
	Blocked float64 `csv:"blocked"`
	Limits  string  `csv:"limits"`
}

func stageRows(at of, _ analysis.Variant, r rung.Rung) (rows []stageRow) {
	for _, one := range resource.Steps(r.Resources) {
		s, limits := one.Step, ""
		if s.Named {
			limits = "yes"
		}
		rows = append(rows, stageRow{at, s.Place, s.Side, s.Name, s.Bytes, one.Demand, s.Busy, s.Starved, s.Blocked, limits})
	}
	return rows
}

// machineRow is a measure of the machines on one side of the storage.
type machineRow struct {
	of
	Side    string  `csv:"side"`
	Measure string  `csv:"measure"`
	Value   float64 `csv:"value"`
}

func machineRows(at of, _ analysis.Variant, r rung.Rung) (rows []machineRow) {
	for _, s := range r.Sides {
		for _, name := range slices.Sorted(maps.Keys(s.Values)) {
			rows = append(rows, machineRow{at, s.Side, name, s.Values[name]})
		}
	}
	return rows
}

// bestRow is a variant's best throughput by the resources used.
type bestRow struct {
	of
	Kept           bool     `csv:"objectives_kept"`
	Unit           string   `csv:"unit"`
	Throughput     float64  `csv:"throughput"`
	ThroughputLow  *float64 `csv:"throughput_low,optional"`
	ThroughputHigh *float64 `csv:"throughput_high,optional"`
	Drives         float64  `csv:"drives,optional"`
	Cores          float64  `csv:"cores,optional"`
	PerDrive       float64  `csv:"per_drive,optional"`
	PerMoney       float64  `csv:"per_1000_of_price,optional"`
	PerCore        float64  `csv:"per_core,optional"`
	OfRated        float64  `csv:"of_rated,optional"`
	OfBaseline     float64  `csv:"of_baseline,optional"`
}

func bestRows(at of, v analysis.Variant) []bestRow {
	b := v.Best
	if b == nil {
		return nil
	}
	share := 0.0
	if b.Baseline != nil {
		share = b.Baseline.Share
	}
	at.Instances = b.Rung
	i := b.Throughput
	return []bestRow{{at, b.Kept, v.Work.Unit.Throughput, i.Value, low(i), high(i), b.Drives, b.Cores, b.PerDrive, b.PerMoney, b.PerCore, b.Rated, share}}
}

// againstRow is a metric at a rung of what a run is held against.
type againstRow struct {
	of
	Against    string   `csv:"against"`
	Other      string   `csv:"other_variant"`
	Metric     string   `csv:"metric"`
	Theirs     float64  `csv:"theirs"`
	TheirsLow  *float64 `csv:"theirs_low,optional"`
	TheirsHigh *float64 `csv:"theirs_high,optional"`
	Change     *float64 `csv:"change,optional"`
	ChangeLow  *float64 `csv:"change_low,optional"`
	ChangeHigh *float64 `csv:"change_high,optional"`
	Verdict    string   `csv:"verdict"`
}

func againstRows(a *analysis.Analysis) (rows []againstRow) {
	for _, g := range a.Against {
		for _, other := range g.Counterparts {
			for _, r := range other.Rungs {
				for _, metric := range analysis.ReferenceMetrics {
					h, known := r.Metrics[metric]
					if !known {
						continue
					}
					row := againstRow{of{a.Study.Name, a.Run.ID, other.Variant, r.Instances}, g.Name, other.Other, metric, h.Theirs.Value, low(h.Theirs), high(h.Theirs), nil, nil, nil, ""}
					if c := h.Change; c != nil {
						row.Change, row.ChangeLow, row.ChangeHigh, row.Verdict = &c.Value, low(*c), high(*c), h.Verdict
					}
					rows = append(rows, row)
				}
			}
		}
	}
	return rows
}

// settingRow is a setting that all variants share, with an empty variant, or that of one.
type settingRow struct {
	Study   string `csv:"study"`
	Setting string `csv:"setting"`
	Variant string `csv:"variant"`
	Value   string `csv:"value"`
}

func settingRows(a *analysis.Analysis) (rows []settingRow) {
	for _, s := range a.Settings {
		if len(s.ByVariant) == 0 {
			rows = append(rows, settingRow{a.Study.Name, s.Name, "", s.Value})
		}
		for _, v := range a.Variants {
			if value, has := s.ByVariant[v.Name]; has {
				rows = append(rows, settingRow{a.Study.Name, s.Name, v.Name, value})
			}
		}
	}
	return rows
}

type trialRow struct {
	Study       string    `csv:"study" parquet:"-"`
	Run         string    `csv:"-" parquet:"run" about:"name of the run directory"`
	Trial       string    `parquet:"trial" about:"variant/rung/repetition; its directory below trials"`
	Position    int       `csv:"position" parquet:"-"`
	Variant     string    `parquet:"variant" about:"name of the variant"`
	Instances   int       `parquet:"instances" about:"how many ran at once"`
	Repetition  int       `parquet:"repetition" about:"from 1"`
	Status      string    `parquet:"status" about:"passed, failed or left out (another attempt replaces it)"`
	Cause       string    `parquet:"cause,optional" about:"why it failed"`
	Grade       string    `parquet:"grade,optional" about:"how far its figures may be off, A to F"`
	Unit        string    `csv:"unit" parquet:"-"`
	Throughput  float64   `parquet:"throughput,optional" about:"in the unit of the variant"`
	Stonewalled float64   `csv:"stonewalled,optional" parquet:"-"`
	Without     float64   `csv:"without_optional,optional" parquet:"-"`
	Payload     float64   `csv:"payload_mb_s,optional" parquet:"-"`
	Mean        float64   `parquet:"mean_s,optional" about:"mean response time of a unit of work in seconds"`
	P95         float64   `parquet:"p95_s,optional" about:"95th percentile of it in seconds"`
	P99         float64   `parquet:"p99_s,optional" about:"99th percentile of it in seconds"`
	Present     *int64    `csv:"-" parquet:"audit_present,optional" about:"acknowledged units of work that its audit found, all there were; null where it did not pass or there was none"`
	Audit       string    `parquet:"audit,optional" about:"outcome of the audit in words"`
	Started     time.Time `csv:"start,optional" parquet:"started,optional,timestamp(millisecond:local)" about:"common start of the drivers, UTC"`
	WarmupEnd   float64   `csv:"warmup_end_s" parquet:"-"`
	End         float64   `csv:"end_s" parquet:"-"`
}

func trialRows(a *analysis.Analysis) (rows []trialRow) {
	units := map[string]string{}
	for _, v := range a.Variants {
		units[v.Name] = v.Work.Unit.Throughput
	}
	for _, t := range a.Trials {
		rows = append(rows, trialRow{
			a.Study.Name, a.Run.ID, t.ID, t.Position, t.Variant, t.Rung, t.Repetition, t.Status, t.Cause, t.Grade, cmp.Or(units[t.Variant], a.Study.Unit),
			t.Throughput, t.Stonewalled, t.Without, t.Payload, t.Mean, t.P95, t.P99, t.Present, t.Audit, t.Start, t.WarmupEnd, t.End,
		})
	}
	return rows
}

type claimRow struct {
	Study   string `csv:"study" parquet:"-"`
	Run     string `csv:"-" parquet:"run" about:"name of the run directory"`
	Source  string `parquet:"source,optional" about:"published results that it belongs to; missing for the study's own"`
	Claim   string `parquet:"claim" about:"predicate on the run's figures"`
	Text    string `parquet:"text,optional" about:"claim in words"`
	Place   string `parquet:"place,optional" about:"where it was published"`
	Outcome string `parquet:"outcome" about:"reproduced, contradicted, not shown or not measured here"`
	Shown   string `parquet:"shown" about:"figures of the run on both sides, or which one is missing"`
}

func claimRows(a *analysis.Analysis) (all []claimRow) {
	for _, c := range a.Claims {
		all = append(all, claimRow{a.Study.Name, a.Run.ID, c.Source, c.Predicate, c.Claim.Text, c.Place, string(c.Outcome), c.Text})
	}
	return all
}
