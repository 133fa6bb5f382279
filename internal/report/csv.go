package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
)

// Table names one of the CSV tables.
type Table string

// The CSV tables.
const (
	TableRungs      Table = "rungs"      // one row per variant and rung
	TableOperations Table = "operations" // one row per variant, rung, operation and statistic
	TableTrials     Table = "trials"     // one row per trial
	TableEfficiency Table = "efficiency" // one row per variant: its best throughput by resource used
	TableMachines   Table = "machines"   // one row per variant, rung, side of the storage and what its machines did
	TableResources  Table = "resources"  // one row per variant, rung and resource
	TableTime       Table = "time"       // one row per variant, rung and part of the response time, and per named wait of it
	TableIO         Table = "io"         // one row per variant, rung, layer that requests for data pass, and direction
	TableStages     Table = "stages"     // one row per variant, rung and stage of the way that items took
	TableAgainst    Table = "against"    // one row per variant, rung and metric of what the run is held against
	TableSettings   Table = "settings"   // one row per setting of the study, and per variant where they differ
)

// tables are the CSV tables in their order, each with what makes its rows.
var tables = []struct {
	name Table
	rows func(*analysis.Analysis) [][]string
}{
	{TableRungs, rungRows}, {TableOperations, operationRows}, {TableTrials, trialRows}, {TableEfficiency, efficiencyRows},
	{TableMachines, machineRows}, {TableResources, resourceRows}, {TableTime, timeRows}, {TableIO, pathRows}, {TableStages, stageRows}, {TableAgainst, againstRows}, {TableSettings, settingRows},
}

// Tables lists the CSV tables.
func Tables() []Table {
	names := make([]Table, len(tables))
	for i, t := range tables {
		names[i] = t.name
	}
	return names
}

// CSV writes one table with a header row. Times are in seconds, shares are
// fractions, throughput is in the study's unit; numbers that are not known are
// empty. Tables are kept apart because each has its own row.
func CSV(w io.Writer, a *analysis.Analysis, table Table) error {
	var rows [][]string
	for _, t := range tables {
		if t.name == table {
			rows = t.rows(a)
		}
	}
	if rows == nil {
		return fmt.Errorf("unknown CSV table %q; choose one of %v", table, Tables())
	}
	for _, row := range rows {
		for i := range row {
			row[i] = asText(row[i])
		}
	}
	writer := csv.NewWriter(w)
	if err := writer.WriteAll(rows); err != nil {
		return fmt.Errorf("writing the CSV table %s: %w", table, err)
	}
	return nil
}

const month = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`

// mistaken are texts that spreadsheets take for something else and change: dates and times
// (1-2, 3/4/26, MAR1, 7:30), numbers that would be written otherwise (3E5, 0012, 50 %, 17 digits
// or more). Numbers of ours have neither exponents nor leading zeros.
var mistaken = regexp.MustCompile(`(?i)^(?:` + strings.Join([]string{
	`\d{1,4}[-/]\d{1,2}(?:[-/]\d{1,4})?`, `\d{1,2}\.\d{1,2}\.\d{1,4}`,
	`\d{1,4}[-/. ]?` + month, month + `[-/. ]?\d{1,4}`,
	`\d+:\d+(?::\d+)?(?: ?[ap]m)?`,
	`\d*\.?\d+e[+-]?\d+`, `0\d+`, `\d{17,}`, `\d+(?:[.,]\d+)? ?%`,
}, "|") + `)$`)

// asText keeps a spreadsheet from taking text for something else: for a formula, which could
// start programs (OWASP, "CSV Injection"), or for what mistaken describes. An apostrophe
// before it says that it is text.
func asText(cell string) string {
	if _, err := strconv.ParseFloat(cell, 64); err == nil && !mistaken.MatchString(cell) || cell == "" {
		return cell
	}
	if strings.ContainsRune("=+-@\t\r", rune(cell[0])) || mistaken.MatchString(cell) {
		return "'" + cell
	}
	return cell
}

// field writes a number so that it reads back to the same value.
func field(v float64) string {
	if !finite(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// knownField writes a number for which zero means "not measured".
func knownField(v float64) string {
	if v == 0 {
		return ""
	}
	return field(v)
}

// rungRows is the table of rungs.
func rungRows(a *analysis.Analysis) [][]string {
	rows := [][]string{{
		"study", "variant", "instances", "repetitions", "failed", "unit",
		"throughput", "throughput_low", "throughput_high", "stonewalled", "without_optional", "payload_mb_s",
		"mean_s", "mean_low_s", "mean_high_s", "p50_s", "p90_s", "p95_s", "p99_s", "p99_9_s", "max_s",
		"p50_corrected_s", "p90_corrected_s", "p95_corrected_s", "p99_corrected_s", "p99_9_corrected_s",
		"rolled_back", "errors", "efficiency", "objectives_kept", "bottleneck", "fairness_jain", "grade", "faults",
	}}
	for _, v := range a.Variants {
		for _, r := range v.Rungs {
			rows = append(rows, rungRow(inTile(a, v), v, r))
		}
	}
	return rows
}

func rungRow(a *analysis.Analysis, v analysis.Variant, r rung.Rung) []string {
	row := []string{
		a.Study.Name, v.Name, strconv.Itoa(r.Instances), strconv.Itoa(r.Repetitions), strconv.Itoa(r.Failed), a.Study.Unit,
	}
	if r.Repetitions == 0 && r.Failed > 0 {
		row = append(row, slices.Repeat([]string{""}, 23)...)
	} else {
		row = append(row, field(r.Throughput.Value), boundField(r.Throughput, r.Throughput.Low), boundField(r.Throughput, r.Throughput.High),
			knownField(r.Stonewalled.Value), knownField(r.Without.Value), knownField(r.Payload.Value),
			knownField(r.Mean.Value), boundField(r.Mean, r.Mean.Low), boundField(r.Mean, r.Mean.High),
			knownField(r.Percentile["p50"]), knownField(r.Percentile["p90"]), knownField(p95(r)), knownField(r.Percentile["p99"]),
			knownField(r.Percentile["p99.9"]), knownField(r.Percentile["max"]),
			correctedField(a, r, "p50"), correctedField(a, r, "p90"), correctedField(a, r, "p95"), correctedField(a, r, "p99"), correctedField(a, r, "p99.9"),
			field(r.RolledBack), field(r.Errors), knownField(r.Efficiency))
	}
	return append(row, judged(r), r.Bottleneck, jain(r), r.Grade, strings.Join(r.Faults, "; "))
}

// correctedField is a percentile with what a stall hid from the users of a closed loop;
// nothing where none did.
func correctedField(a *analysis.Analysis, r rung.Rung, percentile string) string {
	return knownField(r.Operations[a.Study.Work.Whole()].Corrected[percentile])
}

// boundField writes a bound of an interval, nothing where it has none.
func boundField(i stats.Interval, bound float64) string {
	if !i.Bounded() {
		return ""
	}
	return field(bound)
}

// judged says whether the objectives were kept, or nothing where there are
// none.
func judged(r rung.Rung) string {
	if len(r.Objectives) == 0 {
		return ""
	}
	return strconv.FormatBool(r.Kept)
}

func jain(r rung.Rung) string {
	if r.Fairness == nil {
		return ""
	}
	return knownField(r.Fairness.Jain)
}

// operationRows is the long table of operations and percentiles.
func operationRows(a *analysis.Analysis) [][]string {
	rows := [][]string{{"study", "variant", "instances", "operation", "per_minute", "errors", "statistic", "seconds"}}
	for _, v := range a.Variants {
		for _, r := range v.Rungs {
			for _, name := range operationNames(r, a.Study.Work.Whole()) {
				rows = append(rows, statisticRows(a, v, r, name)...)
			}
		}
	}
	return rows
}

// operationNames lists a rung's operations, the unit of work first.
func operationNames(r rung.Rung, whole string) []string {
	names := make([]string, 0, len(r.Operations))
	for name := range r.Operations {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int {
		return cmp.Or(cmp.Compare(boolRank(x != whole), boolRank(y != whole)), cmp.Compare(x, y))
	})
	return names
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

func statisticRows(a *analysis.Analysis, v analysis.Variant, r rung.Rung, name string) [][]string {
	o := r.Operations[name]
	head := []string{a.Study.Name, v.Name, strconv.Itoa(r.Instances), name, field(o.PerMinute), strconv.FormatInt(o.Errors, 10)}
	rows := [][]string{append(slices.Clone(head), "mean", field(o.Mean))}
	for _, p := range percentileNames(o.Percentile) {
		rows = append(rows, append(slices.Clone(head), p, field(o.Percentile[p])))
	}
	for _, p := range percentileNames(o.Corrected) {
		rows = append(rows, append(slices.Clone(head), p+" corrected", field(o.Corrected[p])))
	}
	return rows
}

// percentileNames lists percentiles from the smallest up, "max" last.
func percentileNames(values map[string]float64) []string {
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int {
		return cmp.Or(cmp.Compare(percentileRank(x), percentileRank(y)), cmp.Compare(x, y))
	})
	return names
}

// percentileRank is the percentile as a number, above 100 for the maximum.
func percentileRank(name string) float64 {
	if len(name) > 1 && name[0] == 'p' {
		if v, err := strconv.ParseFloat(name[1:], 64); err == nil {
			return v
		}
	}
	return 101
}

// efficiencyRows has the best throughput of each variant.
func efficiencyRows(a *analysis.Analysis) [][]string {
	rows := [][]string{{"study", "variant", "instances", "objectives_kept", "unit", "throughput", "throughput_low", "throughput_high",
		"drives", "cores", "per_drive", "per_1000_of_price", "per_core", "of_rated", "of_baseline"}}
	for _, v := range a.Variants {
		if b := v.Best; b != nil {
			rows = append(rows, []string{a.Study.Name, v.Name, strconv.Itoa(b.Rung), strconv.FormatBool(b.Kept), v.Work.Unit.Throughput,
				field(b.Throughput.Value), boundField(b.Throughput, b.Throughput.Low), boundField(b.Throughput, b.Throughput.High),
				knownField(b.Drives), knownField(b.Cores), knownField(b.PerDrive), knownField(b.PerMoney), knownField(b.PerCore),
				knownField(b.Rated), knownField(ofBaseline(b))})
		}
	}
	return rows
}

// machineRows is the long table of what the machines on either side did.
func machineRows(a *analysis.Analysis) [][]string {
	rows := [][]string{{"study", "variant", "instances", "side", "measure", "value"}}
	for _, v := range a.Variants {
		for _, r := range v.Rungs {
			for _, s := range r.Sides {
				for _, name := range slices.Sorted(maps.Keys(s.Values)) {
					rows = append(rows, []string{a.Study.Name, v.Name, strconv.Itoa(r.Instances), s.Side, name, field(s.Values[name])})
				}
			}
		}
	}
	return rows
}

// trialRows is the table of trials.
func trialRows(a *analysis.Analysis) [][]string {
	rows := [][]string{{
		"study", "trial", "position", "variant", "instances", "repetition", "status", "cause", "grade",
		"unit", "throughput", "stonewalled", "without_optional", "payload_mb_s", "mean_s", "p95_s", "p99_s", "audit", "start", "warmup_end_s", "end_s",
	}}
	for _, t := range a.Trials {
		start := ""
		if !t.Start.IsZero() {
			start = t.Start.UTC().Format("2006-01-02T15:04:05.000Z")
		}
		rows = append(rows, []string{
			a.Study.Name, t.ID, strconv.Itoa(t.Position), t.Variant, strconv.Itoa(t.Rung), strconv.Itoa(t.Repetition),
			t.Status, t.Cause, t.Grade, trialUnit(a, t), knownField(t.Throughput), knownField(t.Stonewalled), knownField(t.Without), knownField(t.Payload), knownField(t.Mean), knownField(t.P95), knownField(t.P99),
			t.Audit, start, field(t.WarmupEnd), field(t.End),
		})
	}
	return rows
}

// trialUnit is what a trial's throughput is in.
func trialUnit(a *analysis.Analysis, t analysis.TrialInfo) string {
	for _, v := range a.Variants {
		if v.Name == t.Variant {
			return inTile(a, v).Study.Unit
		}
	}
	return a.Study.Unit
}
