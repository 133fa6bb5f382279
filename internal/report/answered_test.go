package report

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/interval"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/study"
)

// effectFixture is the live run with a question that throughput answers.
func effectFixture() *analysis.Analysis {
	a := liveFixture()
	cell := func(name string) model.ReplyCell {
		return model.ReplyCell{Variant: name, Level: name, Rung: 8, Value: interval.Exactly(100), Unit: "OPM"}
	}
	a.Reply = &model.Reply{Kind: study.Effect, Factor: "storage", Per: study.PerCore, Groups: []model.ReplyGroup{{
		Cells: []model.ReplyCell{cell("hdd"), cell("ssd")},
		Steps: []model.ReplyStep{{Level: "ssd", Rung: 8, Throughput: interval.Interval{Value: 1.8, Low: 1.7, High: 1.9, Confidence: 0.95}, Shown: true, PerRatio: 2.1}},
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
