package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
	"plimsoll/internal/report/tables"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/unit"
	"plimsoll/reference"
)

func TestMarkdown(t *testing.T) {
	for name, a := range fixtures() {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := Markdown(&out, a); err != nil {
				t.Fatal(err)
			}
			golden(t, "markdown-"+name+".md", out.Bytes())
		})
	}
}

// The published table of video streams has four columns: streams, operations a second, MB/s
// and mean response time. Without payload there is no column for it.
func TestSecondThroughput(t *testing.T) {
	run, err := reference.Open("gluster-video")
	if err != nil {
		t.Fatal(err)
	}
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"terminal": {"streams   ops/s   MB/s     mean", "  1,000   9,927  4,469   105 ms"},
		"markdown": {"| streams | ops/s | MB/s | mean |", "| 1000 | 9,927 | 4,469 | 105 ms |"},
		"csv":      {"without_optional,payload_mb_s,mean_s", ",9927,,,,,4469.41,0.10516,"},
	} {
		formats := map[string]func(io.Writer, *analysis.Analysis) error{
			"terminal": func(w io.Writer, a *analysis.Analysis) error { return Terminal(w, a, 100, false) },
			"markdown": Markdown,
			"csv":      func(w io.Writer, a *analysis.Analysis) error { return tables.CSV(w, a, "rungs") },
		}
		var with, without bytes.Buffer
		if err := errors.Join(formats[name](&with, a), formats[name](&without, referenceFixture())); err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if !strings.Contains(with.String(), text) {
				t.Errorf("%s: no %q in\n%s", name, text, with.String())
			}
		}
		if name != "csv" && strings.Contains(without.String(), "MB/s") {
			t.Errorf("%s shows MB/s of orders:\n%s", name, without.String())
		}
	}
}

func TestCSV(t *testing.T) {
	for name, a := range fixtures() {
		for _, table := range tables.CSVNames() {
			t.Run(name+"-"+table, func(t *testing.T) {
				var out bytes.Buffer
				if err := tables.CSV(&out, a, table); err != nil {
					t.Fatal(err)
				}
				// The reader refuses rows of different length.
				if _, err := csv.NewReader(bytes.NewReader(out.Bytes())).ReadAll(); err != nil {
					t.Error(err)
				}
				golden(t, "csv-"+name+"-"+table+".csv", out.Bytes())
			})
		}
	}
}

// Text that a spreadsheet would calculate stays text; numbers stay numbers.
func TestCSVHoldsNoFormulas(t *testing.T) {
	a := liveFixture()
	a.Study.Name = "=HYPERLINK(\"http://example.com\")"
	a.Variants[0].Name = "@SUM(A1)"
	a.Trials[0].Cause = "+cmd|' /C calc'!A0"
	a.Trials[0].WarmupEnd = -1.5
	for _, table := range tables.CSVNames() {
		var out bytes.Buffer
		if err := tables.CSV(&out, a, table); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&out).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, cell := range slices.Concat(rows...) {
			if _, err := strconv.ParseFloat(cell, 64); err != nil && cell != "" && strings.ContainsRune("=+-@", rune(cell[0])) {
				t.Errorf("table %s has the cell %q", table, cell)
			}
		}
		if table == "trials" && !slices.Contains(rows[1], "-1.5") {
			t.Errorf("the number -1.5 is missing in %q", rows[1])
		}
	}
}

// Text, Markdown and CSV name the faults that were injected.
func TestFaultsAreNamed(t *testing.T) {
	a := liveFixture()
	a.Variants[0].Rungs[0].Faults = []string{"kill instance 0", "cut power"}
	for name, write := range map[string]func(io.Writer) error{
		"faults in the measured phase: kill instance 0, cut power":       func(w io.Writer) error { return Terminal(w, a, 200, false) },
		"With faults in the measured phase: kill instance 0, cut power.": func(w io.Writer) error { return Markdown(w, a) },
		",kill instance 0; cut power\n":                                  func(w io.Writer) error { return tables.CSV(w, a, "rungs") },
	} {
		var out bytes.Buffer
		if err := write(&out); err != nil || !strings.Contains(out.String(), name) {
			t.Errorf("%q is not in\n%s\n%v", name, out.String(), err)
		}
	}
}

func TestCSVUnknownTable(t *testing.T) {
	err := tables.CSV(&bytes.Buffer{}, liveFixture(), "nonsense")
	if err == nil || !strings.Contains(err.Error(), "rungs") {
		t.Errorf("got %v, want an error that lists the tables", err)
	}
}

func TestJSONReadsBack(t *testing.T) {
	want := liveFixture()
	var out bytes.Buffer
	if err := JSON(&out, want); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), want.Machine.Hostname) {
		t.Error("the hostname is in the JSON")
	}
	if want.Machine.Hostname == "" {
		t.Error("the analysis given was changed")
	}
	var got Document
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want.Machine.Hostname = ""
	notPrinted := []cmp.Option{
		cmpopts.IgnoreUnexported(rung.Rung{}, resource.Resource{}, stats.Interval{}),
		cmpopts.IgnoreFields(analysis.GrowthCurve{}, "Storage"), cmpopts.IgnoreFields(analysis.Variant{}, "Parameters", "Drives", "Rated"),
		cmpopts.IgnoreFields(loadline.LoadLine{}, "Bracket"),
	}
	if diff := cmp.Diff(Document{Schema: SchemaVersion, Analysis: want}, got, notPrinted...); diff != "" {
		t.Error(diff)
	}
}

func TestJSONWithoutFiniteNumbers(t *testing.T) {
	a := liveFixture()
	a.Variants[0].Rungs[0].Throughput.Value = math.NaN()
	a.Prices.Variants[0].PerUnit = math.Inf(1)
	a.Variants[0].Rungs[0].Percentile["p99"] = math.Inf(-1)
	var out bytes.Buffer
	if err := JSON(&out, a); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	rung := got["analysis"].(map[string]any)["variants"].([]any)[0].(map[string]any)["rungs"].([]any)[0].(map[string]any)
	if v, there := rung["throughput"].(map[string]any)["value"]; !there || v != nil {
		t.Errorf("NaN became %v", v)
	}
	if _, there := rung["grade"]; !there {
		t.Error("the grade is lost")
	}
}

// The slow way round must give what the fast one gives.
func TestFiniteCopyIsTheSame(t *testing.T) {
	a := liveFixture()
	var fast, slow any
	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &fast); err != nil {
		t.Fatal(err)
	}
	infinite := *a
	infinite.Variants = append([]analysis.Variant{}, a.Variants...)
	infinite.Variants[0].Rungs = append([]rung.Rung{}, a.Variants[0].Rungs...)
	infinite.Variants[0].Rungs[0].Efficiency = math.NaN()
	data, err = marshal(&infinite)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &slow); err != nil {
		t.Fatal(err)
	}
	fast.(map[string]any)["variants"].([]any)[0].(map[string]any)["rungs"].([]any)[0].(map[string]any)["efficiency"] = nil
	if diff := cmp.Diff(fast, slow); diff != "" {
		t.Error(diff)
	}
}

func TestPlan(t *testing.T) {
	p := &plan.Plan{
		Study: &study.Study{Name: "cns-ds2", Title: "Persistent databases", Profile: "laptop"},
		Datasets: []plan.Dataset{{
			Description: "DVD Store 2, 10MB: 20,000 customers", Servers: "postgres", Bytes: 40 << 20, Variants: []string{"hdd", "ssd"},
		}},
		Estimate: plan.Estimate{Duration: 14 * time.Minute, DiskBytes: 5 << 30, MemoryBytes: 3 << 30},
		Notes:    []string{"hdd: no FUSE on this machine, so a directory stands in for the simulated disk"},
		Problems: []describe.Problem{{Text: "hdd/32/1 needs 40 GiB of memory; 23 GiB are there", Hint: "shorten the ladder or lower engine.memory"}},
	}
	for i, variant := range []string{"hdd", "ssd", "hdd-with-a-long-name-that-nobody-needs", "ssd"} {
		p.Trials = append(p.Trials, plan.Trial{
			Position: i + 1, ID: variant + "/8/1", Variant: variant, Rung: 8 << (i / 2), Repetition: 1,
			Duration: 95 * time.Second, DiskBytes: 1 << 30, MemoryBytes: 640 << 20,
		})
	}
	for name, width := range map[string]int{"phone": 40, "narrow": 60, "wide": 100} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := Plan(&out, p, width); err != nil {
				t.Fatal(err)
			}
			within(t, out.String(), width)
			golden(t, "plan-"+name+".txt", out.Bytes())
		})
	}
}

// One time is the total, whatever it consists of.
func TestPlanGivesOneTotal(t *testing.T) {
	retries := plan.Estimate{Duration: 2 * time.Minute, Retries: 2, RetryTime: time.Minute}
	search := retries
	search.AtLeast, search.AtMost, search.FewestTrials, search.MostTrials = 3*time.Minute, 10*time.Minute, 2, 16
	expected := &study.Study{Name: "s", Phases: study.Phases{Measure: unit.Duration(5 * time.Minute), Expect: unit.Duration(time.Minute)}}
	timed := search
	timed.RetryTime = 0
	fixed := map[string]plan.Facts{"": {Profile: describe.Profile{Fixed: true}}}
	for want, p := range map[string]*plan.Plan{
		"In all about 2 min: 1 trial. At most":                                                                                                    {Estimate: plan.Estimate{Duration: 2 * time.Minute}},
		"In all at most 3 min: about 2 min for 1 trial, and 1 min where something":                                                                {Estimate: retries},
		"In all at most 11 min: 3 min to 10 min for the 2 to 16 trials of the search, ":                                                           {Estimate: search},
		"In all 3 min to 10 min: the 2 to 16 trials of the search, with those that are measured again (--retries). At most":                       {Estimate: timed},
		"In all at most 3 min: at most 2 min for 1 trial of fixed work, which mostly end":                                                         {Estimate: retries, Facts: fixed},
		"In all about 3 min: about 2 min for 1 trial of fixed work, if each takes as long as the study expects (1m; at most 5m), and 1 min where": {Estimate: retries, Facts: fixed, Study: expected},
	} {
		if p.Study == nil {
			p.Study = &study.Study{Name: "s"}
		}
		p.Variants, p.Trials = []study.Variant{{}}, []plan.Trial{{Position: 1, Rung: 1, Repetition: 1}}
		var out bytes.Buffer
		if err := Plan(&out, p, 200); err != nil {
			t.Fatal(err)
		}
		if text := out.String(); !strings.Contains(text, want) || strings.Count(text, "In all") != 1 {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// Whatever is missing or cannot be computed, every format says so and none
// panics.
func TestPoorInput(t *testing.T) {
	for name, a := range poorFixtures() {
		t.Run(name, func(t *testing.T) {
			var text, html bytes.Buffer
			if err := Terminal(&text, a, 80, true); err != nil {
				t.Error(err)
			}
			if strings.Contains(text.String(), "NaN") || strings.Contains(text.String(), "Inf") {
				t.Errorf("a number that is none:\n%s", text.String())
			}
			if err := Markdown(&bytes.Buffer{}, a); err != nil {
				t.Error(err)
			}
			if err := JSON(&bytes.Buffer{}, a); err != nil {
				t.Error(err)
			}
			for _, table := range tables.CSVNames() {
				if err := tables.CSV(&bytes.Buffer{}, a, table); err != nil {
					t.Error(err)
				}
			}
			if err := HTML(&html, a, nil, Options{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// poorFixtures are analyses with little or nothing in them.
func poorFixtures() map[string]*analysis.Analysis {
	failed := liveFixture()
	failed.Verdict, failed.Prices, failed.Grade = nil, nil, "F"
	for i := range failed.Variants {
		v := &failed.Variants[i]
		v.Scalability, v.LoadLine = nil, loadline.LoadLine{}
		for j := range v.Rungs {
			v.Rungs[j] = rung.Rung{Instances: v.Rungs[j].Instances, Failed: 3}
		}
	}
	infinite := liveFixture()
	for i := range infinite.Variants {
		for j := range infinite.Variants[i].Rungs {
			r := &infinite.Variants[i].Rungs[j]
			r.Throughput.Value, r.Mean.Value, r.Efficiency = math.NaN(), math.Inf(1), math.NaN()
			r.Resources[0].Utilisation = math.NaN()
		}
		infinite.Variants[i].LoadLine.Count = stats.Interval{Value: math.NaN()}
		infinite.Prices.Variants[i].PerUnit = math.Inf(1)
	}
	single := liveFixture()
	for i := range single.Variants {
		single.Variants[i].Rungs = single.Variants[i].Rungs[:1]
		single.Variants[i].Scalability = nil
	}
	return map[string]*analysis.Analysis{
		"nothing": {}, "failed": failed, "infinite": infinite, "single": single,
		"no rungs": {Variants: []analysis.Variant{{Name: "a"}, {Name: "b"}}},
	}
}

// The terminal and Markdown begin with the answer, and how far to trust it and why; the
// variants stand as on the page, the best first.
func TestBeginsWithTheAnswer(t *testing.T) {
	a := liveFixture()
	for name, write := range map[string]func(io.Writer, *analysis.Analysis) error{
		"terminal": func(w io.Writer, a *analysis.Analysis) error { return Terminal(w, a, 200, false) },
		"markdown": Markdown,
	} {
		var out bytes.Buffer
		if err := write(&out, a); err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(strings.ReplaceAll(out.String(), "`", ""), "**", "")
		at := 0
		for _, want := range []string{
			Plain(a.Parts[0].Text), "3 repetitions agree on that.", Plain(a.Parts[1].Text), a.Caveats[0].Text, "Grade B", "at most 10 % off. ssd may be 9 % too low because of warm-up and CPU that others used, or 2 % too high because of data in memory",
			"ssd carries 41", "hdd carries 11", "ssd (simulated)", "hdd (simulated)", "CPU of the machine is the bottleneck of ssd", "The disk is the bottleneck of hdd",
		} {
			next := strings.Index(text[at:], want)
			if next < 0 {
				t.Fatalf("%s has no %q after what stands before it:\n%s", name, want, text)
			}
			at += next
		}
	}
}

// On a terminal a path keeps its own characters, whatever Markdown takes them for.
func TestPlainKeepsPaths(t *testing.T) {
	for text, want := range map[string]string{
		"`ssd` carries 4 (`hdd` 2); run `df -h`.":                      "ssd carries 4 (hdd 2); run df -h.",
		"cannot reach /tmp/a`b/c: run `chmod o+x '/tmp/a`, or move it": "cannot reach /tmp/a`b/c: run chmod o+x '/tmp/a, or move it",
	} {
		if got := Plain(text); got != want {
			t.Errorf("%s is written as %s", text, got)
		}
	}
}
