package report

import (
	"bytes"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/report/tables"
)

// fixedFixture is fixed work with optional operations: 450 MB/s in the whole run,
// 410 stonewalled, 523 without flush and close.
func fixedFixture() *analysis.Analysis {
	a := liveFixture()
	a.Study.Unit = "MB/s"
	a.Study.Work.Unit.Throughput, a.Study.Work.Fixed, a.Study.Work.Optional = a.Study.Unit, true, []string{"flush", "close"}
	for i := range a.Variants {
		a.Variants[i].Work = a.Study.Work
	}
	r := &a.Variants[0].Rungs[0]
	r.Throughput, r.Stonewalled, r.Without = exact(450), exact(410), exact(523)
	a.Trials[0].Throughput, a.Trials[0].Stonewalled, a.Trials[0].Without = 451, 411, 524
	return a
}

// TestWhatDriversDoByThemselvesStandsBesideTheResult: of rungs and of trials, in every
// format but the tables of CSV.
func TestWhatDriversDoByThemselvesStandsBesideTheResult(t *testing.T) {
	a := liveFixture()
	a.Variants[0].Rungs[0].Payload = exact(160)
	a.Variants[0].Rungs[0].Ceiling = &rung.Ceiling{Throughput: exact(98_765), Payload: 321, CPU: 1.25, Used: 0.75, Share: 0.5}
	a.Trials[0].Payload = 161
	a.Trials[0].Ceiling = &rung.Ceiling{Throughput: exact(98_766), Payload: 322, CPU: 1.5, Used: 0.875, Share: 0.5}
	var terminal, markdown, json bytes.Buffer
	for _, err := range []error{Terminal(&terminal, a, 120, false), Markdown(&markdown, a), JSON(&json, a)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"terminal": {terminal.String(), []string{"MB/s", "driver alone", "alone MB/s", "alone cores", "driver cores", "98,765", "321", "1.25", "0.75"}},
		"markdown": {markdown.String(), []string{
			"| MB/s | driver alone | alone MB/s | alone cores | driver cores |", "| 160 | 98,765 | 321 | 1.25 | 0.75 |", "| 161 | 98,766 | 322 | 1.5 | 0.875 |"}},
		"JSON": {json.String(), []string{`"ceiling"`, "98765", "98766", "321", "322", "1.25", "1.5", "0.75", "0.875"}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.text, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, c.text)
			}
		}
	}
}

// TestEveryFormatShowsBothFigures: stonewalled and whole run, with and without optional
// operations, of rungs and of trials.
func TestEveryFormatShowsBothFigures(t *testing.T) {
	a := fixedFixture()
	var terminal, markdown, rungs, trials, html bytes.Buffer
	for _, err := range []error{
		Terminal(&terminal, a, 120, false), Markdown(&markdown, a), tables.CSV(&rungs, a, "rungs"), tables.CSV(&trials, a, "trials"), JSON(&html, a),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"terminal":      {terminal.String(), []string{"stonewalled", "without flush, close", "450", "410", "523"}},
		"markdown":      {markdown.String(), []string{"| stonewalled | without flush, close |", "| 410 | 523 |", "| 451 | 411 | 524 |"}},
		"CSV of rungs":  {rungs.String(), []string{",stonewalled,without_optional,payload_mb_s,", ",410,523,,"}},
		"CSV of trials": {trials.String(), []string{",stonewalled,without_optional,payload_mb_s,", ",451,411,524,,"}},
		"JSON":          {html.String(), []string{`"stonewalled"`, `"without"`, "410", "523", "411", "524"}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.text, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, c.text)
			}
		}
	}
	var other bytes.Buffer
	if err := Markdown(&other, liveFixture()); err != nil || strings.Contains(other.String(), "stonewalled") {
		t.Errorf("timed work has a whole run: %v", err)
	}
}
