package tables_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/app"
	engine "plimsoll/internal/app/duckdb"
	"plimsoll/internal/report/tables"
	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
	"plimsoll/reference"
	"plimsoll/test/quick"
)

const page = "../../../docs/tables.md"

// The page has each table with each of its columns, in the words of the views.
func TestColumnsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tables.Names() {
		_, section, found := strings.Cut(string(text), "\n## "+name+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		if !found || !strings.Contains(section, "```sql\n") {
			t.Errorf("%s has no section with a query in %s", name, page)
		}
		for _, c := range tables.Columns(name) {
			if row := "| `" + c.Name + "` | " + c.About + " |\n"; !strings.Contains(section, row) {
				t.Errorf("%s: the row %q is missing in %s", name, row, page)
			}
		}
		if rows := strings.Count(section, "\n| `"); rows != len(tables.Columns(name)) {
			t.Errorf("%s: %d columns are documented, and there are %d", name, rows, len(tables.Columns(name)))
		}
	}
}

// asked runs SQL statements in DuckDB and gives the rows of each as JSON.
const asked = `
import sys, json
sys.path.insert(0, sys.argv[1])
import duckdb
db = duckdb.connect()
for sql in json.load(sys.stdin):
    rows = db.execute(sql).fetchall()
    print(json.dumps([[str(v) if v is not None else None for v in row] for row in rows]))
`

// DuckDB reads the tables of two runs through the views, each query of the page has an
// answer, and the figures agree with the analysis.
func TestDuckDBReadsTheTables(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	in, err := engine.Engine{}.Find(t.Context(), "", true)
	if err != nil {
		t.Skipf("there is no DuckDB here: %v", err)
	}
	set, err := reference.Get("cns-ds2")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := set.Run()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	all := tables.Tables{}
	var first *analysis.Analysis
	for _, name := range []string{"one", "two"} {
		run := filepath.Join(dir, name)
		if err := resulttest.Run(run, []string{"ssd", "hdd"}, []int{1, 4}, 2, 30); err != nil {
			t.Fatal(err)
		}
		opened, err := result.OpenLean(run)
		if err != nil {
			t.Fatal(err)
		}
		a, err := analysis.Analyse(opened, analysis.Options{Published: &analysis.Published{Run: theirs, Claims: set.Claims}})
		if a == nil {
			t.Fatal(err)
		}
		all.Add(a)
		if first == nil {
			first = a
		}
	}
	for _, name := range tables.Names() {
		var out bytes.Buffer
		if err := all.Write(&out, name); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".parquet"), out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(examples) != len(tables.Names()) {
		t.Errorf("the page has %d queries for %d tables", len(examples), len(tables.Names()))
	}
	statements := []string{tables.Views()}
	for _, e := range examples {
		statements = append(statements, e[1])
	}
	statements = append(statements,
		"select comment from duckdb_columns() where table_name = 'rungs' and column_name = 'p95_s'",
		"select throughput, p95_s, kept from rungs where run = 'one' and variant = 'ssd' and instances = 4",
		"select count(*) from trials where started is null or mean_s is null")
	answers := ask(t, in, dir, statements)
	for i, answer := range answers[1 : len(examples)+1] {
		if len(answer) == 0 && !strings.Contains(statements[i+1], "not simulated") {
			t.Errorf("no row answers\n%s", statements[i+1])
		}
	}
	rest := answers[len(examples)+1:]
	if got := *rest[0][0][0]; got != "95th percentile of the response time in seconds" {
		t.Errorf("the comment on a column is %q", got)
	}
	r := first.Variants[0].Rungs[1]
	if first.Variants[0].Name != "ssd" || len(rest[1]) != 1 {
		t.Fatalf("%s: %v", first.Variants[0].Name, rest[1])
	}
	for i, want := range []float64{r.Throughput.Value, r.Percentile["p95"]} {
		if got, err := strconv.ParseFloat(*rest[1][0][i], 64); err != nil || got != want {
			t.Errorf("column %d is %s, and the analysis has %v", i, *rest[1][0][i], want)
		}
	}
	if *rest[2][0][0] != "0" {
		t.Errorf("%s trials lack their start or their mean", *rest[2][0][0])
	}
}

func ask(t *testing.T, in app.Installation, dir string, statements []string) (answers [][][]*string) {
	t.Helper()
	input, err := json.Marshal(statements)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), in.Paths["python"], "-I", "-c", asked, in.Paths["packages"])
	var errs bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stderr = dir, bytes.NewReader(input), &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	for line := range strings.Lines(string(out)) {
		var rows [][]*string
		if err := json.Unmarshal([]byte(line), &rows); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, rows)
	}
	if len(answers) != len(statements) {
		t.Fatalf("%d answers to %d statements", len(answers), len(statements))
	}
	return answers
}
