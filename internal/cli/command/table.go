package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Table is text in columns. Where a terminal has no room for them, each row is stacked:
// a field a line, each below the name of its column.
type Table struct {
	Head  []string
	rows  [][]string
	Right int // from this column on, columns are aligned to the right
}

// Row adds a row.
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, cells) }

// Without leaves out a column that is aligned to the left.
func (t Table) Without(column int) Table {
	t.Head, t.Right = slices.Delete(t.Head, column, column+1), t.Right-1
	for i := range t.rows {
		t.rows[i] = slices.Delete(t.rows[i], column, column+1)
	}
	return t
}

// PrintTable writes the table as wide as it is, or stacked where the width is narrower.
func (s *State) PrintTable(t Table) {
	width := s.tableWidth()
	columns := t.columns()
	whole := 2 * (len(columns) - 1)
	for _, w := range columns {
		whole += w
	}
	if width > 0 && whole > width {
		s.printStacked(t)
		return
	}
	for _, row := range t.lines() {
		var line strings.Builder
		for i, cell := range row {
			blanks := strings.Repeat(" ", columns[i]-runewidth.StringWidth(cell))
			if i >= t.Right {
				line.WriteString(blanks + cell + "  ")
			} else {
				line.WriteString(cell + blanks + "  ")
			}
		}
		fmt.Fprintln(s.Stdout, strings.TrimRight(line.String(), " "))
	}
}

// lines are the rows below the names of the columns, where these have any.
func (t *Table) lines() [][]string {
	if strings.Join(t.Head, "") == "" {
		return t.rows
	}
	return append([][]string{t.Head}, t.rows...)
}

func (t *Table) columns() []int {
	columns := make([]int, len(t.Head))
	for _, row := range t.lines() {
		for i, cell := range row {
			columns[i] = max(columns[i], runewidth.StringWidth(cell))
		}
	}
	return columns
}

func (s *State) printStacked(t Table) {
	for _, row := range t.rows {
		if row[0] != "" {
			s.PrintWrapped("%s", row[0])
		}
		for i, cell := range row[1:] {
			name := t.Head[i+1]
			if name != "" {
				name = strings.ToLower(name) + ": "
			}
			if cell != "" {
				s.PrintWrapped("    %s%s", name, strings.TrimLeft(cell, " "))
			}
		}
	}
}

// tableWidth returns the width of the terminal, 0 if there is none.
func (s *State) tableWidth() int {
	if s.Width == 0 {
		return 0
	}
	return s.Columns()
}
