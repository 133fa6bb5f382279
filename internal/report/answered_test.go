package report

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/study"
)

// effectFixture is the live run with a question that throughput answers.
func effectFixture() *analysis.Analysis {
	a := liveFixture()
	a.Factors = []analysis.Factor{{Path: "storage", Name: "storage", Levels: []model.Level{{Level: "hdd", Label: "hdd"}, {Level: "ssd", Label: "ssd"}}}}
	cell := func(name string, per float64) model.ReplyCell {
		return model.ReplyCell{
			Variant: name, Level: name, Rung: 8, Value: stats.Exactly(100), Of: 100 / per, Per: stats.Exactly(per), Unit: "OPM",
			Along: []model.ReplyFigure{{Rung: 1, Value: stats.Exactly(per - 10)}, {Rung: 8, Value: stats.Exactly(per)}},
		}
	}
	a.Reply = &model.Reply{Kind: study.Effect, Factor: "storage", Per: study.PerCore, Groups: []model.ReplyGroup{{
		Cells: []model.ReplyCell{cell("hdd", 30), cell("ssd", 70)},
		Steps: []model.ReplyStep{{Level: "ssd", Rung: 8, Throughput: stats.Interval{Value: 1.8, Low: 1.7, High: 1.9, Confidence: 0.95}, Shown: true, PerRatio: 2.1}},
	}}}
	return a
}

// Figures by factor stand in place of load lines, which neither the card nor the charts nor
// the tables of rungs draw.
func TestBrowserFiguresInPlaceOfLoadLines(t *testing.T) {
	tab := opened(t, startBrowser(t), effectFixture(), view{"desk", 1280, 900, false})
	card := evaluate[string](t, tab, `document.querySelector("#card .answered table").textContent`)
	for _, want := range []string{"hdd", "ssd", "1.8× (1.7×–1.9×)", "2.1× per core"} {
		if !strings.Contains(card, want) {
			t.Errorf("the table lacks %q: %s", want, card)
		}
	}
	if evaluate[bool](t, tab, `!!document.querySelector("#card .track") || [...document.querySelectorAll(".pair.first .axis-label")].some(e => e.textContent === "load line")`) {
		t.Error("a load line is drawn")
	}
}

// The first figure is of what answers, by the levels that are compared: an effect in the
// figure that the answer is about, rung by rung, a comparison as a bar for each level of a case.
func TestBrowserFirstFigureIsWhatAnswers(t *testing.T) {
	ctx := startBrowser(t)
	for name, c := range map[string]struct {
		change func(r *model.Reply)
		title  string // of the first figure
		says   []string
	}{
		"effect per core":     {func(*model.Reply) {}, "Throughput by storage, OPM per core", []string{"hdd: 20 at 1, 30 at 8.", "ssd: 60 at 1, 70 at 8."}},
		"effect of a p95":     {func(r *model.Reply) { r.Per, r.Metric = "", "p95" }, "Response time", []string{"hdd"}},
		"effect":              {func(r *model.Reply) { r.Per = "" }, "Throughput, OPM", []string{"hdd"}},
		"comparison per core": {func(r *model.Reply) { r.Kind = study.Comparison }, "Throughput by storage, OPM per core", []string{"hdd: 30.", "ssd: 70."}},
		"comparison of a p99": {func(r *model.Reply) { r.Kind, r.Metric = study.Comparison, "purchase p99" }, "Purchase p99 by storage", []string{"hdd: 100 s.", "ssd: 100 s."}},
		"fraction":            {func(r *model.Reply) { r.Kind, r.Factor = study.OfRating, "" }, "Share of the drives’ rating", []string{"hdd: 10000 %."}},
		"scaling":             {func(r *model.Reply) { r.Kind, r.Factor = study.Scaling, "" }, "Throughput, OPM", []string{"hdd"}},
		"capacity":            {func(r *model.Reply) { r.Kind, r.Factor = study.Capacity, "" }, "Response time", []string{"hdd"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := effectFixture()
			c.change(a.Reply)
			tab := opened(t, ctx, a, view{"phone", 390, 844, false})
			if title := evaluate[string](t, tab, `document.querySelector(".pair.first figure h3").firstChild.textContent`); title != c.title {
				t.Errorf("it is %q, want %q", title, c.title)
			}
			said := evaluate[string](t, tab, `(s => s.getAttribute("aria-description") ?? s.querySelector("desc").textContent)(document.querySelector(".pair.first figure .drawing > svg"))`)
			for _, want := range c.says {
				if !strings.Contains(said, want) {
					t.Errorf("it says %q, which lacks %q", said, want)
				}
			}
		})
	}
}

// The first table says the same to readers without a browser.
func TestFirstTableIsWhatAnswers(t *testing.T) {
	a := effectFixture()
	for want, change := range map[string]func(r *model.Reply){
		"OPM per core by storage":        func(*model.Reply) {},
		"purchase p99 by storage":        func(r *model.Reply) { r.Metric = "purchase p99" },
		"CPU time per unit of work by s": func(r *model.Reply) { r.Metric = study.CPU },
	} {
		a.Reply = effectFixture().Reply
		change(a.Reply)
		tables := factorTables(a)
		if len(tables) == 0 || !strings.HasPrefix(tables[0].title, want) {
			t.Fatalf("%q is not the first of %+v", want, tables)
		}
		if rows := tables[0].rows; len(rows) != 2 || rows[1][1].text != "8" || !strings.Contains(rows[1][3].text, ", ") {
			t.Errorf("%v", rows)
		}
	}
	a.Reply = effectFixture().Reply
	a.Reply.Per = ""
	if t0 := answerTable(a); len(t0.rows) > 0 {
		t.Errorf("throughput has a table of its own: %+v", t0)
	}
}

// A narrow terminal has every level that is compared, under a shorter name.
func TestNarrowTablesKeepTheirLevels(t *testing.T) {
	a := effectFixture()
	a.Factors = []analysis.Factor{{Path: "storage", Name: "storage"}}
	for i, long := range []string{"replicated 3x2 on RAID 6 of hard disks", "dispersed 2x(4+2) on single hard disks"} {
		a.Factors[0].Levels = append(a.Factors[0].Levels, model.Level{Level: long, Label: long})
		a.Reply.Groups[0].Cells[i].Level = long
		a.Reply.Groups[0].Steps[0].Level = long // the second in the end
	}
	var out strings.Builder
	if err := Terminal(&out, a, 60, false); err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(out.String(), "OPM per core by storage:")
	table, _, _ = strings.Cut(table, "\n\n")
	within(t, table, 60)
	for _, want := range []string{"repl", "disp", "60", "70, 2.1"} {
		if !strings.Contains(table, want) {
			t.Errorf("%q is not in\n%s", want, table)
		}
	}
}

func TestTablesOfRungsWithoutLoadLines(t *testing.T) {
	for kind, drawn := range map[study.Kind]bool{study.Capacity: true, study.Effect: false} {
		a := effectFixture()
		a.Reply.Kind = kind
		var text, md strings.Builder
		if err := Terminal(&text, a, 100, false); err != nil {
			t.Fatal(err)
		}
		if err := Markdown(&md, a); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(text.String(), "━ load line"); got != drawn {
			t.Errorf("%s: a load line is drawn: %v\n%s", kind, got, text.String())
		}
	}
}
