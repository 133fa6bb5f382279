package report

import (
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
	Title string     `json:"title"`           // its caption
	Text  string     `json:"text,omitempty"`  // what else it is about
	Named bool       `json:"named,omitempty"` // the first column has names of variants
	Heads []string   `json:"heads"`           // "<" begins that of a column that is aligned to the left
	Rows  [][]string `json:"rows"`            // a text for each column
}

// sectionsOf are the sections of the page of an analysis, by their ids.
func sectionsOf(a *analysis.Analysis) map[string]Section {
	a = bestFirst(a)
	all := map[string]Section{}
	add := func(id, title, note string, tables []grid) {
		if len(tables) == 0 {
			return
		}
		s := Section{Title: title, Note: note}
		for _, g := range tables {
			s.Tables = append(s.Tables, tableOf(g))
		}
		all[id] = s
	}
	add("tiles", "Tiles", tilesNote, tileTables(a))
	add("requests", "Requests by layer", pathsNote, pathTables(a))
	add("price", "", "", priceTables(a))
	if t := efficiencyTable(a); len(t.head) > 3 {
		add("efficiency", "", "", []grid{t})
	}
	add("stages", "Stages of the way", stagesNote, stageTables(a, everyRung))
	return all
}

func tableOf(g grid) Table {
	t := Table{Title: g.title, Text: g.text}
	for _, c := range g.head {
		t.Heads = append(t.Heads, pageHead(c))
	}
	for _, row := range g.rows {
		cells := make([]string, len(row))
		for i, c := range row {
			if cells[i] = c.text; c.variant != "" {
				cells[i], t.Named = c.variant, true
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

var percentileHead = regexp.MustCompile(`^p\d`)

// pageHead begins with a capital, except a percentile.
func pageHead(c cell) string {
	text := c.text
	if !percentileHead.MatchString(text) {
		text = words.Capital(text)
	}
	if c.left {
		text = "<" + text
	}
	return text
}
