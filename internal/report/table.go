package report

import (
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
)

// cell is one field of a text table. Style is an ANSI sequence or empty.
type cell struct {
	text  string
	style string
}

// grid is a text table: a head and rows, every column as wide as its widest
// cell, columns aligned to the right unless left says otherwise.
type grid struct {
	head []cell
	rows [][]cell
	left []bool
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
	sum := 2 * (len(g.head) - 1)
	for _, w := range g.widths() {
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
	at := slices.IndexFunc(g.head, func(c cell) bool { return c.text == name })
	if at < 0 {
		return g
	}
	out := grid{head: slices.Delete(slices.Clone(g.head), at, at+1), left: g.left}
	if at < len(g.left) {
		out.left = slices.Delete(slices.Clone(g.left), at, at+1)
	}
	for _, row := range g.rows {
		out.rows = append(out.rows, slices.Delete(slices.Clone(row), at, at+1))
	}
	return out
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
