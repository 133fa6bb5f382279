package cli

import (
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"
)

// table is text in columns. Where a terminal has no room for them, each row is stacked:
// a field a line, each below the name of its column.
type table struct {
	head  []string
	rows  [][]string
	right int // from this column on, columns are aligned to the right
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// print writes the table as wide as it is, or stacked where the width, in columns, is
// less; a width of 0 has no bound.
func (s *State) printTable(t table, width int) {
	columns := t.columns()
	whole := 2 * (len(columns) - 1)
	for _, w := range columns {
		whole += w
	}
	if width > 0 && whole > width {
		s.printStacked(t)
		return
	}
	for _, row := range append([][]string{t.head}, t.rows...) {
		var line strings.Builder
		for i, cell := range row {
			blanks := strings.Repeat(" ", columns[i]-runewidth.StringWidth(cell))
			if i >= t.right {
				line.WriteString(blanks + cell + "  ")
			} else {
				line.WriteString(cell + blanks + "  ")
			}
		}
		fmt.Fprintln(s.Stdout, strings.TrimRight(line.String(), " "))
	}
}

func (t *table) columns() []int {
	columns := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			columns[i] = max(columns[i], runewidth.StringWidth(cell))
		}
	}
	return columns
}

func (s *State) printStacked(t table) {
	for _, row := range t.rows {
		s.printWrapped(row[0])
		for i, cell := range row[1:] {
			if cell != "" {
				s.printWrapped("    " + strings.ToLower(t.head[i+1]) + ": " + cell)
			}
		}
	}
}

// tableWidth is that of the terminal, 0 where there is none.
func (s *State) tableWidth() int {
	if s.Width == 0 {
		return 0
	}
	return s.width()
}

// printWrapped writes a line of text, in several lines where a terminal is narrower.
func (s *State) printWrapped(text string) {
	if s.Width > 0 {
		text = wrapText(text, s.width())
	}
	fmt.Fprintln(s.Stdout, text)
}
