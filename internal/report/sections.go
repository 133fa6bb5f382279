package report

import (
	"fmt"
	"regexp"

	"plimsoll/internal/analysis"
	"plimsoll/internal/text/words"
)

// Section is a part of the page that consists of tables. Its cells are finished texts.
type Section struct {
	Title  string  `json:"title,omitempty"` // its heading, where it consists of nothing else
	Note   string  `json:"note,omitempty"`  // about all of its tables
	Tables []Table `json:"tables"`          // in the order in which they are shown
}

// Table is one table of a Section.
type Table struct {
	Title  string        `json:"title"`            // its caption
	Text   string        `json:"text,omitempty"`   // what else it is about
	Heads  []TableCell   `json:"heads"`            // of its columns
	Rows   [][]TableCell `json:"rows"`             // a cell for each column
	Rest   int           `json:"rest,omitempty"`   // from which row on it is folded, 0 for none
	Folded bool          `json:"folded,omitempty"` // it is behind its title
}

// TableCell is a field of a Table, finished: the page only places it.
type TableCell struct {
	Text   string   `json:"text"`             // its first line; of a variant its name
	Below  []string `json:"below,omitempty"`  // further lines, smaller
	Kind   CellKind `json:"kind,omitempty"`   // what it is, where it is more than text
	Left   bool     `json:"left,omitempty"`   // of a head: its column is aligned to the left
	Title  string   `json:"title,omitempty"`  // the evidence for it, in words
	Share  float64  `json:"share,omitempty"`  // how deep its colour is, from 0 to 1
	Trials []string `json:"trials,omitempty"` // IDs of those that it leads to
}

// CellKind is what a cell is.
type CellKind string

// Kinds of cells.
const (
	VariantCell CellKind = "variant" // the name of a variant, which has a look
	BestCell    CellKind = "best"    // what is shown to be best, or to differ
	KeptCell    CellKind = "kept"    // objectives were kept
	BrokenCell  CellKind = "broken"  // one was missed, or something failed
	ShadedCell  CellKind = "shaded"  // coloured by its share
	CodeCell    CellKind = "code"    // as a study writes it
)

// sectionsOf are the sections of the page of an analysis, by their ids.
func sectionsOf(a *analysis.Analysis) map[string]Section {
	a = bestFirst(a)
	all := sections{}
	all.add("answered", "", "", answeredTables(a))
	all.add("doubts", "", "", withRows(doubtTable(a)))
	all.add("tiles", "Tiles", tilesNote, tileTables(a))
	if len(a.Claims) > 0 {
		all.add("claims", "Claims", claimsNote, []grid{claimsTable(a)})
	}
	all.add("requests", "Requests by layer", pathsNote, pathTables(a))
	all.add("price", "", "", priceTables(a))
	if t := efficiencyTable(a); len(t.head) > 3 {
		all.add("efficiency", "", "", []grid{t})
	}
	all.add("stages", "Stages of the way", stagesNote, stageTables(a, everyRung))
	for i, l := range a.Lists {
		all.add(fmt.Sprintf("items-%d", i), "", "", itemTables(a, l))
	}
	return all
}

// numbersOf are tables that the page unpacks when someone opens them: the numbers behind figures.
func numbersOf(a *analysis.Analysis) map[string]Section {
	a = bestFirst(a)
	all := sections{}
	all.add("rungs", "", "", []grid{everyVariantsRungs(a)})
	all.add("throughput", "", "", againstTables(a, []string{"throughput"}))
	all.add("response", "", "", againstTables(a, timeMetrics))
	if a.Beside != nil {
		for i, t := range besideTables(a) {
			all.add([]string{"beside-throughput", "beside-response"}[i], "", "", []grid{t})
		}
	}
	for _, v := range a.Variants {
		if profiled := counted(v); len(profiled) > 0 {
			g := timeGrid(profiled)
			g.title = "What the response time of " + variantTitle(v) + " is spent on, by " + nouns(a)
			all.add("time "+v.Name, "", "", []grid{g})
		}
	}
	all.add("settings", "", "", withRows(settingsGrid(a)))
	for _, f := range a.Factors {
		all.add("factor "+f.Path, "", "", withRows(pairTable(a, f)))
	}
	return all
}

// sections collects parts of the page.
type sections map[string]Section

func (all sections) add(id, title, note string, tables []grid) {
	s := Section{Title: title, Note: note}
	for _, g := range tables {
		s.Tables = append(s.Tables, tableOf(g))
	}
	if len(tables) > 0 {
		all[id] = s
	}
}

// withRows is a table as a list, which is empty if the table is.
func withRows(g grid) []grid {
	if len(g.rows) == 0 {
		return nil
	}
	return []grid{g}
}

func tableOf(g grid) Table {
	t := Table{Title: g.title, Text: g.text, Rest: g.rest, Folded: g.folded}
	for _, c := range g.head {
		t.Heads = append(t.Heads, pageHead(c))
	}
	for _, row := range g.rows {
		t.Rows = append(t.Rows, pageCells(row))
	}
	return t
}

func pageCells(row []cell) []TableCell {
	cells := make([]TableCell, len(row))
	for i, c := range row {
		cells[i] = pageCell(c)
	}
	return cells
}

func pageCell(c cell) TableCell {
	lines := words.NonEmpty(c.lines)
	if len(lines) == 0 {
		lines = []string{c.text}
	}
	out := TableCell{Text: lines[0], Below: lines[1:], Kind: c.kind, Title: c.title, Share: c.share, Trials: c.trials}
	if c.variant != "" {
		out.Text, out.Kind = c.variant, VariantCell
	}
	return out
}

var percentileHead = regexp.MustCompile(`^p\d`)

// pageHead begins with a capital, except a percentile.
func pageHead(c cell) TableCell {
	if !percentileHead.MatchString(c.text) {
		c.text = words.Capital(c.text)
	}
	head := pageCell(c)
	head.Left = c.left
	return head
}
