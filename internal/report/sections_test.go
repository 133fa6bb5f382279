package report

import (
	"bytes"
	"strings"
	"testing"
)

// The page has the cells of the other formats, finished, and no section of what was not measured.
func TestSectionsHaveFinishedCells(t *testing.T) {
	a := tilesFixture(t)
	s := sectionsOf(a)
	if len(s) != 2 || s["doubts"].Tables == nil {
		t.Errorf("sections %v", s)
	}
	tiles := s["tiles"].Tables[0]
	if got, want := textOf(tiles.Heads), "Tiles | Score | Gate | Member | Throughput | Of reference | Mean | p95 | Objectives"; got != want || tiles.Heads[0].Left || !tiles.Heads[2].Left {
		t.Errorf("heads %q, want %q", got, want)
	}
	if want := "Reference tile: shop 1,001 OPM, bulk 500 OPM (published); where it is not published, the average tile of the first rung of a."; tiles.Text != want {
		t.Errorf("text %q, want %q", tiles.Text, want)
	}
	var md bytes.Buffer
	if err := Markdown(&md, a); err != nil {
		t.Fatal(err)
	}
	for _, row := range tiles.Rows {
		if want := "| " + textOf(row) + " |"; !strings.Contains(md.String(), want) {
			t.Errorf("Markdown has no row %q", want)
		}
	}
	s = sectionsOf(liveFixture())
	if _, has := s["tiles"]; has {
		t.Error("a run without tiles has a section of them")
	}
	if price := s["price"].Tables[0]; price.Rows[0][0].Kind != VariantCell || price.Rows[0][0].Text != "ssd" {
		t.Errorf("no names of variants: %+v", price)
	}
}

// textOf joins the texts of cells.
func textOf(row []TableCell) string {
	texts := make([]string, len(row))
	for i, c := range row {
		texts[i] = c.Text
	}
	return strings.Join(texts, " | ")
}
