package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"

	"plimsoll/internal/text/sanitize"
)

// table is text in columns. Where a terminal has no room for them, each row is stacked:
// a field a line, each below the name of its column.
type table struct {
	head  []string
	rows  [][]string
	right int // from this column on, columns are aligned to the right
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// printTable writes the table as wide as it is, or stacked where the width is narrower.
func (s *State) printTable(t table) {
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
			if i >= t.right {
				line.WriteString(blanks + cell + "  ")
			} else {
				line.WriteString(cell + blanks + "  ")
			}
		}
		fmt.Fprintln(s.Stdout, strings.TrimRight(line.String(), " "))
	}
}

// lines are the rows below the names of the columns, where these have any.
func (t *table) lines() [][]string {
	if strings.Join(t.head, "") == "" {
		return t.rows
	}
	return append([][]string{t.head}, t.rows...)
}

func (t *table) columns() []int {
	columns := make([]int, len(t.head))
	for _, row := range t.lines() {
		for i, cell := range row {
			columns[i] = max(columns[i], runewidth.StringWidth(cell))
		}
	}
	return columns
}

func (s *State) printStacked(t table) {
	for _, row := range t.rows {
		if row[0] != "" {
			s.printWrapped("%s", row[0])
		}
		for i, cell := range row[1:] {
			name := t.head[i+1]
			if name != "" {
				name = strings.ToLower(name) + ": "
			}
			if cell != "" {
				s.printWrapped("    %s%s", name, strings.TrimLeft(cell, " "))
			}
		}
	}
}

// tableWidth returns the width of the terminal, 0 if there is none.
func (s *State) tableWidth() int {
	if s.Width == 0 {
		return 0
	}
	return s.width()
}

// printWrapped writes a line of text, in several lines where a terminal is narrower.
func (s *State) printWrapped(format string, arguments ...any) {
	s.wrapTo(s.Stdout, format, arguments...)
}

// complain is printWrapped for standard error, where no password is repeated.
func (s *State) complain(format string, arguments ...any) {
	s.wrapTo(s.Stderr, "%s", sanitize.Masked(fmt.Sprintf(format, arguments...)))
}

func (s *State) wrapTo(w io.Writer, format string, arguments ...any) {
	fmt.Fprintln(w, s.wrapped(fmt.Sprintf(format, arguments...)))
}

// wrapped is text as it fits the terminal, if there is one.
func (s *State) wrapped(text string) string {
	if s.Width == 0 {
		return text
	}
	return wrapText(text, s.width())
}
