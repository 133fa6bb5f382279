// Package tables writes the results of many runs as tables in Parquet, for DuckDB, pandas and the
// like: it takes analyses and gives files. docs/tables.md describes every column.
package tables

import (
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/timeprofile"
)

// Tables are the rows of all of them.
type Tables struct {
	runs       []runRow
	variants   []variantRow
	rungs      []rungRow
	objectives []objectiveRow
	operations []operationRow
	resources  []resourceRow
	times      []timeRow
	io         []ioRow
	trials     []trialRow
}

// table is one of them.
type table struct {
	name  string // of the file without .parquet
	about string // what a row is
	row   reflect.Type
	write func(*Tables, io.Writer) error
}

var allTables = []table{
	{"runs", "a run", reflect.TypeFor[runRow](), func(t *Tables, w io.Writer) error { return writeRows(w, t.runs) }},
	{"variants", "a variant of a run, with its load line", reflect.TypeFor[variantRow](), func(t *Tables, w io.Writer) error { return writeRows(w, t.variants) }},
	{"rungs", "a rung of a variant, over its repetitions", reflect.TypeFor[rungRow](), func(t *Tables, w io.Writer) error { return writeRows(w, t.rungs) }},
	{"objectives", "an objective at a rung", reflect.TypeFor[objectiveRow](), func(t *Tables, w io.Writer) error { return writeRows(w, t.objectives) }},
	{"operations", "an operation at a rung", reflect.TypeFor[operationRow](), func(t *Tables, w io.Writer) error { return writeRows(w, t.operations) }},
	{"resources", "a resource at a rung", reflect.TypeFor[resourceRow](), func(t *Tables, w io.Writer) error { return writeRows(w, t.resources) }},
	{"times", "a part of the response time at a rung, or a named wait of one", reflect.TypeFor[timeRow](), func(t *Tables, w io.Writer) error { return writeRows(w, t.times) }},
	{"io", "the reads or the writes of a layer at a rung", reflect.TypeFor[ioRow](), func(t *Tables, w io.Writer) error { return writeRows(w, t.io) }},
	{"trials", "a trial", reflect.TypeFor[trialRow](), func(t *Tables, w io.Writer) error { return writeRows(w, t.trials) }},
}

// Names lists the names of the tables.
func Names() (names []string) {
	for _, t := range allTables {
		names = append(names, t.name)
	}
	return names
}

// Column is one of a table.
type Column struct{ Name, About string }

// Columns lists a table's columns, in order.
func Columns(name string) []Column {
	at := slices.IndexFunc(allTables, func(t table) bool { return t.name == name })
	if at < 0 {
		return nil
	}
	return columnsOf(allTables[at].row)
}

func columnsOf(row reflect.Type) (columns []Column) {
	for i := range row.NumField() {
		f := row.Field(i)
		if f.Anonymous {
			columns = append(columns, columnsOf(f.Type)...)
			continue
		}
		column, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		columns = append(columns, Column{column, f.Tag.Get("about")})
	}
	return columns
}

// Write writes one table as Parquet.
func (t *Tables) Write(w io.Writer, name string) error {
	for _, one := range allTables {
		if one.name == name {
			if err := one.write(t, w); err != nil {
				return fmt.Errorf("write the table %s: %w", name, err)
			}
			return nil
		}
	}
	return fmt.Errorf("there is no table %q; choose one of %s", name, strings.Join(Names(), ", "))
}

func writeRows[T any](w io.Writer, rows []T) error {
	out := parquet.NewGenericWriter[T](w, parquet.Compression(&zstd.Codec{}))
	if _, err := out.Write(rows); err != nil {
		return err
	}
	return out.Close()
}

// Views is SQL that makes a view of each table for DuckDB, started in the directory of the files,
// with a comment on each column.
func Views() string {
	var b strings.Builder
	b.WriteString("-- Start DuckDB in this directory: duckdb -init views.sql\n")
	for _, t := range allTables {
		fmt.Fprintf(&b, "\n-- Each row is %s.\ncreate or replace view %s as select * from read_parquet('%s.parquet');\n", t.about, t.name, t.name)
		for _, c := range columnsOf(t.row) {
			fmt.Fprintf(&b, "comment on column %s.\"%s\" is '%s';\n", t.name, c.Name, strings.ReplaceAll(c.About, "'", "''"))
		}
	}
	return b.String()
}

// Add adds the rows of a run.
func (t *Tables) Add(a *analysis.Analysis) {
	t.runs = append(t.runs, runRow{
		Run: a.Run.ID, Study: a.Study.Name, Title: a.Study.Title, Profile: a.Study.Profile, Reduced: a.Study.Reduced, Simulated: a.Run.Simulated,
		Workload: a.Study.Workload, Unit: a.Study.Unit, Plimsoll: a.Run.Plimsoll, Started: a.Run.Started, Ended: a.Run.Ended, Grade: a.Grade, Answer: a.Headline,
	})
	for _, v := range a.Variants {
		t.variants = append(t.variants, variantOf(a, v))
		for _, r := range v.Rungs {
			t.addRung(a.Run.ID, v, r)
		}
	}
	for _, i := range a.Trials {
		t.trials = append(t.trials, trialRow{
			Run: a.Run.ID, Trial: i.ID, Variant: i.Variant, Instances: int64(i.Rung), Repetition: int64(i.Repetition), Status: i.Status, Cause: i.Cause, Grade: i.Grade,
			Started: i.Start, Throughput: finite(i.Throughput), Mean: finite(i.Mean), P95: finite(i.P95), P99: finite(i.P99), Present: i.Present, Audit: i.Audit,
		})
	}
}

func variantOf(a *analysis.Analysis, v analysis.Variant) variantRow {
	row := variantRow{
		Run: a.Run.ID, Variant: v.Name, Label: v.Label, Factors: v.Factors, Simulated: v.Simulated, Unit: v.Work.Unit.Throughput,
		LineRung: int64(v.LoadLine.Rung), LineNext: int64(v.LoadLine.Next), LineOpen: v.LoadLine.Open,
	}
	if v.Best != nil {
		row.BestRung, row.BestThroughput = int64(v.Best.Rung), finite(v.Best.Throughput.Value)
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
	return row
}

func (t *Tables) addRung(run string, v analysis.Variant, r rung.Rung) {
	n := int64(r.Instances)
	t.rungs = append(t.rungs, rungRow{
		Run: run, Variant: v.Name, Instances: n, Repetitions: int64(r.Repetitions), Failed: int64(r.Failed), Unit: v.Work.Unit.Throughput,
		Throughput: finite(r.Throughput.Value), ThroughputLow: finite(r.Throughput.Low), ThroughputHigh: finite(r.Throughput.High),
		times:  timesOf(r.Mean.Value, r.Percentile),
		Errors: finite(r.Errors), RolledBack: finite(r.RolledBack), Efficiency: finite(r.Efficiency), Kept: r.Kept, Grade: r.Grade,
	})
	for _, o := range r.Objectives {
		t.objectives = append(t.objectives, objectiveRow{
			Run: run, Variant: v.Name, Instances: n, Objective: o.Text, Metric: o.Metric, Operation: o.Operation,
			Value: finite(o.Value), Limit: finite(o.Limit), Kept: o.Kept, Unknown: o.Unknown,
		})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Operations)) {
		o := r.Operations[name]
		t.operations = append(t.operations, operationRow{
			Run: run, Variant: v.Name, Instances: n, Operation: name, PerMinute: finite(o.PerMinute), times: timesOf(o.Mean, o.Percentile), Errors: o.Errors,
		})
	}
	t.addTimes(run, v.Name, r)
	t.addIO(run, v.Name, r)
	for _, of := range r.Resources {
		t.resources = append(t.resources, resourceRow{
			Run: run, Variant: v.Name, Instances: n, Resource: of.Name, Kind: string(of.Kind), Role: of.Role, Machine: of.Machine,
			Utilisation: finite(of.Utilisation), Demand: finite(of.Demand), Queue: finite(of.Queue), Servers: finite(of.Servers),
		})
	}
}

// addTimes adds what the response time of a rung is spent on.
func (t *Tables) addTimes(run, variant string, r rung.Rung) {
	if r.Time == nil {
		return
	}
	add := func(p timeprofile.Portion, wait string, seconds stats.Interval) {
		t.times = append(t.times, timeRow{
			Run: run, Variant: variant, Instances: int64(r.Instances), Role: p.Role, Component: string(p.Component), Wait: wait, Resource: p.Resource,
			Seconds: finite(seconds.Value), Low: finite(seconds.Low), High: finite(seconds.High), Response: finite(r.Time.Response), Counted: r.Time.Counted,
		})
	}
	for _, p := range r.Time.Parts {
		add(p, "", p.Seconds)
		for _, w := range p.Waits {
			add(p, w.Name, w.Seconds)
		}
	}
}

// addIO adds the requests for data of a rung by layer.
func (t *Tables) addIO(run, variant string, r rung.Rung) {
	if r.IO == nil {
		return
	}
	for _, f := range r.IO.Flows() {
		t.io = append(t.io, ioRow{
			Run: run, Variant: variant, Instances: int64(r.Instances), Layer: string(f.Layer.Kind), Of: f.Layer.Of, Direction: f.Direction,
			PerUnit: finite(f.PerUnit), Bytes: finite(f.Bytes), BytesPerUnit: finite(f.BytesPerUnit), Amplification: finite(f.Amplification),
			Merged: f.Merged, Sequential: f.Sequential,
		})
	}
}

func timesOf(mean float64, percentile map[string]float64) times {
	return times{Mean: finite(mean), P50: finite(percentile["p50"]), P95: finite(percentile["p95"]), P99: finite(percentile["p99"])}
}

// finite is 0, which an optional column has as null, where a number is none.
func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}
