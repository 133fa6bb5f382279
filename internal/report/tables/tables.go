// Package tables writes what analyses found as tables of one value a cell: those of one analysis as
// CSV, and those of many as Parquet, for DuckDB, pandas and the like. docs/tables.md describes
// every column of Parquet.
package tables

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"plimsoll/internal/analysis"
)

// table is declared by its rows.
type table struct {
	csv   string // its name in CSV; empty if it is not there
	name  string // its name in Parquet, of the file without .parquet; empty if it is not there
	about string // what a row is
	row   reflect.Type
	rows  func(*analysis.Analysis) any          // a slice of rows
	write func(w io.Writer, slices []any) error // in Parquet
}

func declare[T any](csv, name, about string, rows func(*analysis.Analysis) []T) table {
	return table{csv, name, about, reflect.TypeFor[T](), func(a *analysis.Analysis) any { return rows(a) }, writeParquet[T]}
}

// Names in CSV of tables with a role of their own.
const (
	Rungs   = "rungs"   // what is written where none is asked for
	Against = "against" // what is empty in most runs
)

var allTables = []table{
	declare("", "runs", "a run", runRows),
	declare("", "variants", "a variant of a run, with its load line", variantRows),
	declare(Rungs, "rungs", "a rung of a variant, over its repetitions", everyRung(rungRows)),
	declare("", "objectives", "an objective at a rung", everyRung(objectiveRows)),
	declare("", "operations", "an operation at a rung", everyRung(operationRows)),
	declare("operations", "", "a figure of an operation at a rung", everyRung(statisticRows)),
	declare("trials", "trials", "a trial", trialRows),
	declare("efficiency", "", "the best throughput of a variant by the resources used", everyVariant(bestRows)),
	declare("machines", "", "what the machines on one side of the storage did at a rung", everyRung(machineRows)),
	declare("resources", "resources", "a resource at a rung", everyRung(resourceRows)),
	declare("time", "times", "a part of the response time at a rung, or a named wait of one", everyRung(timeRows)),
	declare("io", "io", "the reads or the writes of a layer at a rung", everyRung(ioRows)),
	declare("stages", "", "a stage of the way that items took, at a rung", everyRung(stageRows)),
	declare(Against, "", "a metric at a rung of what the run is held against", againstRows),
	declare("claims", "claims", "a claim, and what the run says of it", claimRows),
	declare("settings", "", "a setting of the study, of one variant where they differ", settingRows),
}

// names lists what the tables of a format are called.
func names(of func(table) string) (all []string) {
	for _, t := range allTables {
		if name := of(t); name != "" {
			all = append(all, name)
		}
	}
	return all
}

// find is the table of that name in a format.
func find(of func(table) string, name string) (table, error) {
	at := slices.IndexFunc(allTables, func(t table) bool { return name != "" && of(t) == name })
	if at < 0 {
		return table{}, fmt.Errorf("there is no table %q; choose one of %s", name, strings.Join(names(of), ", "))
	}
	return allTables[at], nil
}

func inCSV(t table) string     { return t.csv }
func inParquet(t table) string { return t.name }

// Names lists the tables in Parquet.
func Names() []string { return names(inParquet) }

// Column is one of a table in Parquet.
type Column struct{ Name, About string }

// Columns lists a table's columns in Parquet, in order.
func Columns(name string) (columns []Column) {
	t, err := find(inParquet, name)
	if err != nil {
		return nil
	}
	for _, f := range fieldsOf(t.row, "parquet") {
		columns = append(columns, Column{f.name, f.Tag.Get("about")})
	}
	return columns
}

// field is a column of a format.
type field struct {
	reflect.StructField
	name     string
	optional bool
}

// fieldsOf are the columns of a row that are in a format: the tag of parquet stands for a missing one.
func fieldsOf(row reflect.Type, format string) (all []field) {
	for _, f := range reflect.VisibleFields(row) {
		tag, has := f.Tag.Lookup(format)
		if !has {
			tag = f.Tag.Get("parquet")
		}
		if name, options, _ := strings.Cut(tag, ","); !f.Anonymous && name != "-" {
			all = append(all, field{f, name, strings.HasPrefix(options, "optional")})
		}
	}
	return all
}

// Tables are the tables of many analyses, by their names in Parquet, a slice of rows of each analysis.
type Tables map[string][]any

// Add adds the rows of a run.
func (t Tables) Add(a *analysis.Analysis) {
	for _, one := range allTables {
		if one.name != "" {
			t[one.name] = append(t[one.name], one.rows(a))
		}
	}
}

// Write writes one table as Parquet.
func (t Tables) Write(w io.Writer, name string) error {
	one, err := find(inParquet, name)
	if err != nil {
		return err
	}
	if err := one.write(w, t[name]); err != nil {
		return fmt.Errorf("write the table %s: %w", name, err)
	}
	return nil
}

func writeParquet[T any](w io.Writer, slices []any) error {
	out := parquet.NewGenericWriter[T](w, parquet.Compression(&zstd.Codec{}))
	for _, rows := range slices {
		makeFinite(reflect.ValueOf(rows))
		if _, err := out.Write(rows.([]T)); err != nil {
			return err
		}
	}
	return out.Close()
}

// makeFinite clears the numbers of rows that are none: an optional column has null for them.
func makeFinite(rows reflect.Value) {
	for _, f := range fieldsOf(rows.Type().Elem(), "parquet") {
		for i := range rows.Len() {
			cell := rows.Index(i).FieldByIndex(f.Index)
			if v := reflect.Indirect(cell); v.Kind() == reflect.Float64 && !finite(v.Float()) {
				cell.SetZero()
			}
		}
	}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Views is SQL that makes a view of each table for DuckDB, started in the directory of the files,
// with a comment on each column.
func Views() string {
	var b strings.Builder
	b.WriteString("-- Start DuckDB in this directory: duckdb -init views.sql\n")
	for _, t := range allTables {
		if t.name == "" {
			continue
		}
		fmt.Fprintf(&b, "\n-- Each row is %s.\ncreate or replace view %s as select * from read_parquet('%s.parquet');\n", t.about, t.name, t.name)
		for _, c := range Columns(t.name) {
			fmt.Fprintf(&b, "comment on column %s.\"%s\" is '%s';\n", t.name, c.Name, strings.ReplaceAll(c.About, "'", "''"))
		}
	}
	return b.String()
}
