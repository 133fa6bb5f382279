package report

import (
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"

	"plimsoll/internal/text/words"
)

// cell is one field of a table for readers.
type cell struct {
	text  string
	style string              // on a terminal, an ANSI sequence or empty
	as    func(string) markup // in Markdown, plain where it is nil
	left  bool                // of a head: the column is aligned to the left

	// Only the page has what follows: the variant that the cell names, lines in place of the text,
	// and fields of TableCell.
	variant string
	lines   []string
	kind    CellKind
	title   string
	share   float64
	trials  []string
}

// grid is a table for readers, of any format. Where a terminal is narrow, drop are the columns that
// it does without, in this order, by their heads; of a table of levels, names are shortened first,
// and then it does without the last ones.
type grid struct {
	title  string
	text   string // what else it is about
	head   []cell
	rows   [][]cell
	drop   []string
	levels bool
	short  *grid // the same with shorter cells, where it does not fit
	rest   int   // on the page, from which row on it is folded
	folded bool  // on the page, it is behind its title
}

// newGrid is a table without rows. Each "l" aligns a column to the left; without one, it is
// aligned to the right.
func newGrid(align string, heads ...string) grid {
	g := grid{head: texts(heads...)}
	for i := range g.head {
		g.head[i].left = i < len(align) && align[i] == 'l'
	}
	return g
}

// add adds a row of unstyled cells.
func (g *grid) add(row ...string) { g.rows = append(g.rows, texts(row...)) }

// heads names the columns.
func (g grid) heads() (names []string) {
	for _, c := range g.head {
		names = append(names, c.text)
	}
	return names
}

// texts makes unstyled cells.
func texts(all ...string) []cell {
	cells := make([]cell, len(all))
	for i, text := range all {
		cells[i].text = text
	}
	return cells
}

// column is a column of a table with a row for each T.
type column[T any] struct {
	head  string
	write func(T) cell
}

// said is a column of unstyled texts.
func said[T any](head string, text func(T) string) column[T] {
	return column[T]{head, func(row T) cell { return cell{text: text(row)} }}
}

// known are the columns that have anything in any row.
func known[T any](rows []T, columns ...column[T]) []column[T] {
	return slices.DeleteFunc(columns, func(c column[T]) bool {
		return !slices.ContainsFunc(rows, func(row T) bool { text := c.write(row).text; return text != words.Missing && text != "" })
	})
}

// gridOf is a table with a row for each value. Align is as newGrid has it.
func gridOf[T any](align string, rows []T, columns []column[T]) grid {
	heads := make([]string, len(columns))
	for i, c := range columns {
		heads[i] = c.head
	}
	g := newGrid(align, heads...)
	for _, row := range rows {
		cells := make([]cell, len(columns))
		for i, c := range columns {
			cells[i] = c.write(row)
		}
		g.rows = append(g.rows, cells)
	}
	return g
}

// sheet is what sections for readers are written on, on a terminal or in Markdown.
type sheet interface {
	heading(text string)
	note(text string) // about what follows
	text(text string)
	items(texts []string)
	gap()
	table(g grid)
}

// widths gives the width of every column in terminal cells.
func (g *grid) widths() []int {
	w := make([]int, len(g.head))
	for _, row := range append([][]cell{g.head}, g.rows...) {
		for i, c := range row {
			w[i] = max(w[i], runewidth.StringWidth(c.text))
		}
	}
	return w
}

// width is the width of the whole grid, columns two blanks apart.
func (g *grid) width() int {
	return sumWidths(g.widths())
}

// sumWidths is the width of columns two blanks apart.
func sumWidths(widths []int) int {
	sum := 2 * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

// without leaves the named columns out, in this order, until the grid fits the
// width or all of them are gone.
func (g grid) without(width int, names ...string) grid {
	for _, name := range names {
		if g.width() <= width {
			break
		}
		g = g.dropped(name)
	}
	return g
}

// dropped is the grid without the column of that head.
func (g grid) dropped(name string) grid {
	at := slices.Index(g.heads(), name)
	if at < 0 {
		return g
	}
	rest := func(row []cell) []cell { return slices.Delete(slices.Clone(row), at, at+1) }
	rows := g.rows
	g.head, g.rows = rest(g.head), nil
	for _, row := range rows {
		g.rows = append(g.rows, rest(row))
	}
	return g
}

// pad fills text with blanks to the width, on the left unless left-aligned.
func pad(text string, width int, left bool) string {
	blanks := strings.Repeat(" ", max(0, width-runewidth.StringWidth(text)))
	if left {
		return text + blanks
	}
	return blanks + text
}

// cut shortens text to the width, with an ellipsis.
func cut(text string, width int) string {
	return runewidth.Truncate(text, max(width, 1), "…")
}

// wrap breaks text into lines of at most the width; words longer than a line
// are cut into pieces.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		for runewidth.StringWidth(word) > width {
			if line != "" {
				lines = append(lines, line)
				line = ""
			}
			head := runewidth.Truncate(word, width, "")
			lines, word = append(lines, head), word[len(head):]
		}
		switch {
		case line == "":
			line = word
		case runewidth.StringWidth(line)+1+runewidth.StringWidth(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
