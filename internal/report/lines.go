package report

import (
	"io"
	"slices"
	"strings"
)

// lines collects the lines of a text page.
type lines struct {
	painter
	width  int
	labels map[string]string // of variants, by their names
	b      strings.Builder
}

// plain takes the Markdown code marks out of a sentence; variants become what tables call
// them, in quotation marks where that has several words.
func (l *lines) plain(text string) string { return Plain(labelled(text, l.labels)) }

// add writes one line as it is.
func (l *lines) add(text string) {
	l.b.WriteString(strings.TrimRight(text, " "))
	l.b.WriteByte('\n')
}

// gap writes an empty line.
func (l *lines) gap() { l.b.WriteByte('\n') }

// heading writes a section's title after an empty line.
func (l *lines) heading(text string) {
	l.gap()
	for _, line := range wrap(text, l.width) {
		l.add(l.paint(bold, line))
	}
}

// paragraph writes wrapped text in a style.
func (l *lines) paragraph(style, text string) {
	for _, line := range wrap(text, l.width) {
		l.add(l.paint(style, line))
	}
}

// item writes wrapped text behind a mark, continued with an indent of two.
func (l *lines) item(markStyle, mark, text string) {
	first := strings.Repeat("x", len([]rune(mark)))
	for i, line := range wrap(first+" "+text, l.width-2) {
		if i == 0 {
			l.add(l.paint(markStyle, mark) + line[len(first):])
			continue
		}
		l.add("  " + line)
	}
}

// note, text and items are what sections for readers consist of.
func (l *lines) note(text string) { l.paragraph(dim, l.plain(text)) }

func (l *lines) text(text string) { l.paragraph("", l.plain(text)) }

func (l *lines) items(texts []string) { l.list("•", texts) }

// list writes an item for each text.
func (l *lines) list(mark string, texts []string) {
	for _, text := range texts {
		l.item(dim, mark, l.plain(text))
	}
}

// table writes a grid whose columns are two blanks apart. In a narrow terminal it
// leaves columns out until the rest fits; where none of that helps, it stacks the
// rows, whole.
func (l *lines) table(g grid) {
	if g.levels {
		g.squeeze(l.width)
		g.drop = g.heads()[1:]
		slices.Reverse(g.drop)
	}
	whole := g
	g = g.without(l.width, g.drop...)
	switch {
	case g.width() <= l.width:
	case g.short != nil:
		l.table(*g.short)
		return
	default:
		l.stack(whole)
		return
	}
	widths := g.widths()
	l.row(g, widths, g.head, dim)
	for _, row := range g.rows {
		l.row(g, widths, row, "")
	}
}

// stack writes each row of a grid as a field a line, below the first with the name of its
// column.
func (l *lines) stack(g grid) {
	for _, row := range g.rows {
		l.paragraph(row[0].style, row[0].text)
		for i, c := range row[1:] {
			if c.text == "" {
				continue
			}
			text := c.text
			if head := g.head[i+1].text; head != "" {
				text = head + ": " + text
			}
			for _, line := range wrap(text, l.width-2) {
				l.add("  " + l.paint(c.style, line))
			}
		}
	}
}

// row writes one row of a grid.
func (l *lines) row(g grid, widths []int, row []cell, style string) {
	l.add(l.joined(g, widths, row, style))
}

func (l *lines) joined(g grid, widths []int, row []cell, style string) string {
	var b strings.Builder
	for i, c := range row {
		if i > 0 {
			b.WriteString("  ")
		}
		b.WriteString(l.paint(style+c.style, pad(c.text, widths[i], g.head[i].left)))
	}
	return b.String()
}

// flush writes the page.
func (l *lines) flush(w io.Writer) error {
	_, err := io.WriteString(w, l.b.String())
	return err
}
