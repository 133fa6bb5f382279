package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// The page has the cells of the other formats, finished, and no section of what was not measured.
func TestSectionsHaveFinishedCells(t *testing.T) {
	a := tilesFixture(t)
	s := sectionsOf(a)
	if len(s) != 1 {
		t.Errorf("sections %v", s)
	}
	tiles := s["tiles"].Tables[0]
	if want := []string{"Tiles", "Score", "<Gate", "<Member", "Throughput", "Of reference", "Mean", "p95", "<Objectives"}; !slices.Equal(tiles.Heads, want) {
		t.Errorf("heads %q, want %q", tiles.Heads, want)
	}
	if want := "Reference tile: shop 1,001 OPM, bulk 500 OPM (published); where it is not published, the average tile of the first rung of a."; tiles.Text != want {
		t.Errorf("text %q, want %q", tiles.Text, want)
	}
	var md bytes.Buffer
	if err := Markdown(&md, a); err != nil {
		t.Fatal(err)
	}
	for _, row := range tiles.Rows {
		if want := "| " + strings.Join(row, " | ") + " |"; !strings.Contains(md.String(), want) {
			t.Errorf("Markdown has no row %q", want)
		}
	}
	s = sectionsOf(liveFixture())
	if _, has := s["tiles"]; has {
		t.Error("a run without tiles has a section of them")
	}
	if price := s["price"].Tables[0]; !price.Named || price.Rows[0][0] != "ssd" {
		t.Errorf("no names of variants: %+v", price)
	}
}
