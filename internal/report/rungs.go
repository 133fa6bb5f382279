package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/say/verdict"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/text/words"
)

type rungColumn = column[rung.Rung]

// block is a variant's columns in the table of rungs.
type block struct {
	grid
	variant analysis.Variant
	widths  []int
}

// writeRungs writes the table of rungs: all variants side by side when they
// fit, otherwise one after the other with as many columns as fit.
func writeRungs(l *lines, a *analysis.Analysis) {
	variants := withRungs(a.Variants)
	if len(variants) == 0 {
		return
	}
	lined := !a.Reply.ByFactor()
	l.gap()
	l.paragraph(dim, rungsCaption(a))
	for i := range 2 {
		t := newRungTable(nouns(a), variants, func(v analysis.Variant) []rungColumn { return layouts(a, v)[i] })
		if len(variants) > 1 && len(a.Tiles) == 0 && t.width() <= l.width {
			t.write(l, lined)
			return
		}
	}
	for _, v := range variants {
		l.gap()
		fittingTable(l, nouns(a), v, layouts(a, v)).write(l, lined)
	}
}

// nouns is what the rungs count, in the plural.
func nouns(a *analysis.Analysis) string {
	if a.Study.Noun == "" {
		return "instances"
	}
	return a.Study.Noun + "s"
}

// rungsCaption says what the table of rungs holds.
func rungsCaption(a *analysis.Analysis) string {
	texts := make([]string, 0, len(a.Study.Objectives))
	for _, o := range a.Study.Objectives {
		texts = append(texts, verdict.ObjectiveText(o, a.Study.Work))
	}
	caption := a.Study.Unit + " and response time by " + nouns(a)
	if len(texts) == 0 {
		caption += "; the study sets no objective"
	} else {
		caption += "; objective " + strings.Join(texts, ", ")
	}
	if faults := faultsText(a); faults != "" {
		caption += "; " + faults
	}
	return caption
}

// faultsText names the faults that any rung was measured under, each once; empty for none.
func faultsText(a *analysis.Analysis) string {
	var names []string
	for _, v := range a.Variants {
		for _, r := range v.Rungs {
			for _, name := range r.Faults {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "faults in the measured phase: " + strings.Join(names, ", ")
}

// withRungs leaves out variants that have nothing to show.
func withRungs(variants []analysis.Variant) []analysis.Variant {
	return slices.DeleteFunc(slices.Clone(variants), func(v analysis.Variant) bool { return len(v.Rungs) == 0 })
}

var (
	p99Column        = rungColumn{"p99", func(r rung.Rung) cell { return timeCell(r, r.Percentile["p99"]) }}
	efficiencyColumn = said("of linear", func(r rung.Rung) string { return numberOrMissing(r.Efficiency, words.PercentOf) })
)

// correctedColumn is the 99th percentile with what stalls hid from the users of a closed loop; it
// is blank where they hid nothing.
func correctedColumn(v analysis.Variant) rungColumn {
	return rungColumn{"p99 corrected", func(r rung.Rung) cell { return timeCell(r, r.Operations[v.Work.Whole()].Corrected["p99"]) }}
}

// layouts lists sets of columns from rich to poor. The first two are wide
// enough to be worth reading side by side.
func layouts(a *analysis.Analysis, v analysis.Variant) [][]rungColumn {
	like := workAlike(a, v)
	throughput := rungColumn{v.Work.Unit.Throughput, throughputCell}
	mean := rungColumn{"mean", func(r rung.Rung) cell { return steadyCell(r, r.Mean, r.Mean.Value) }}
	kept := rungColumn{"", keptCell}
	p95 := rungColumn{"p95", func(r rung.Rung) cell { return steadyCell(r, r.P95, p95(r)) }}
	corrected := correctedColumn(v)
	busiest := rungColumn{"busiest", busiestCell}
	rates := []rungColumn{throughput}
	for _, o := range alsoCounted(v.Work, like) {
		rates = append(rates, o.column(func(i stats.Interval) string { return words.Number(i.Value) }))
	}
	all := [][]rungColumn{
		slices.Concat(rates, []rungColumn{mean, p95, p99Column, corrected, efficiencyColumn, busiest, kept}),
		slices.Concat(rates, []rungColumn{mean, p95, corrected, kept}),
		slices.Concat(rates, []rungColumn{mean, p95, efficiencyColumn, busiest, kept}),
		slices.Concat(rates, []rungColumn{mean, p95, efficiencyColumn, kept}),
		{throughput, mean, kept},
	}
	for i := range all {
		all[i] = known(rungsOf(like), all[i]...)
	}
	return all
}

// workAlike are the variants whose tables have the same columns: all, or a member alone, which does
// work of its own.
func workAlike(a *analysis.Analysis, v analysis.Variant) []analysis.Variant {
	if len(a.Tiles) > 0 {
		return []analysis.Variant{v}
	}
	return a.Variants
}

// rungsOf are all rungs of some variants.
func rungsOf(variants []analysis.Variant) (all []rung.Rung) {
	for _, v := range variants {
		all = append(all, v.Rungs...)
	}
	return all
}

// fittingTable is the richest table of one variant that fits the width; the
// poorest when none does.
func fittingTable(l *lines, noun string, v analysis.Variant, layouts [][]rungColumn) rungTable {
	var best rungTable
	for i, columns := range layouts {
		t := newRungTable(noun, []analysis.Variant{v}, func(analysis.Variant) []rungColumn { return columns })
		if i == 0 || t.width() < best.width() && best.width() > l.width ||
			t.width() <= l.width && len(columns) > len(best.blocks[0].head) {
			best = t
		}
	}
	return best
}

func throughputCell(r rung.Rung) cell {
	return measuredCell(r, failedCell, say.Plain(r.Throughput, words.Number))
}

var failedCell = cell{text: "failed", style: red, kind: BrokenCell}

func timeCell(r rung.Rung, s float64) cell {
	return measuredCell(r, cell{text: words.Missing}, measuredSeconds(s))
}

// measuredCell is what was measured at a rung, or another cell if all of its trials failed.
func measuredCell(r rung.Rung, failed cell, text string) cell {
	if r.Repetitions == 0 && r.Failed > 0 {
		return failed
	}
	return cell{text: text}
}

// steadyCell is a response time, or between which values the repetitions changed.
func steadyCell(r rung.Rung, i stats.Interval, s float64) cell {
	c := timeCell(r, s)
	if i.Changing && c.text != words.Missing {
		c.text = say.Plain(i, measuredSeconds)
	}
	return c
}

// p95Interval is p95 with its bounds, as far as there are any.
func p95Interval(r rung.Rung) stats.Interval {
	if r.P95.Value != 0 {
		return r.P95
	}
	return stats.Exactly(r.Percentile["p95"])
}

// p95 prefers the interval's value over the merged histogram's.
func p95(r rung.Rung) float64 { return p95Interval(r).Value }

func keptCell(r rung.Rung) cell {
	switch {
	case len(r.Objectives) == 0:
		return cell{}
	case r.Kept:
		return cell{text: "✓", style: green}
	default:
		return cell{text: "✗", style: red}
	}
}

func busiestCell(r rung.Rung) cell {
	for _, one := range r.Resources {
		// Memory is space, and workers are busy while they wait: full is not busy. A stage is of
		// interest where it limits.
		full := one.Kind.IsSpace() || (one.Kind.IsOccupied() || one.Kind.IsStage()) && one.Name != r.Bottleneck
		if !full {
			return cell{text: one.Name + " " + words.PercentOf(one.Utilisation)}
		}
	}
	return cell{text: words.Missing}
}

// rungTable is the table of rungs of some variants, side by side.
type rungTable struct {
	noun   string // what a rung counts, plural
	rungs  []int
	blocks []block
	first  int // the width of the column of rungs
}

// Blanks between blocks.
const blockGap = 3

// newRungTable lays out variants with the same columns.
func newRungTable(noun string, variants []analysis.Variant, columns func(analysis.Variant) []rungColumn) rungTable {
	t := rungTable{noun: noun, first: runewidth.StringWidth(noun)}
	for _, v := range variants {
		g := gridOf("", v.Rungs, columns(v))
		t.blocks = append(t.blocks, block{g, v, blockWidths(v, g)})
		for _, r := range v.Rungs {
			t.rungs = append(t.rungs, r.Instances)
		}
	}
	slices.Sort(t.rungs)
	t.rungs = slices.Compact(t.rungs)
	return t
}

// blockWidths gives each column the width of its widest cell and the first
// one what the block's title and load line need beyond that.
func blockWidths(v analysis.Variant, g grid) []int {
	w := g.widths()
	need := max(runewidth.StringWidth(lineText(v.LoadLine))+4, min(runewidth.StringWidth(variantTitle(v)), 28))
	if lack := need - sumWidths(w); lack > 0 && len(w) > 0 {
		w[0] += lack
	}
	return w
}

// variantTitle is the label, or the name used in sentences and trials, with the word that
// must accompany every number of a simulated medium.
func variantTitle(v analysis.Variant) string { return cmp.Or(v.Label, v.Name) + simulatedMark(v) }

func simulatedMark(v analysis.Variant) string {
	if v.Simulated {
		return " (simulated)"
	}
	return ""
}

// titles are the titles of the blocks, cut so that no two are the same.
func (t rungTable) titles() []string {
	names, width := make([]string, len(t.blocks)), t.first
	for i, b := range t.blocks {
		names[i] = cmp.Or(b.variant.Label, b.variant.Name)
		room := sumWidths(b.widths) - runewidth.StringWidth(simulatedMark(b.variant))
		if i == 0 || room < width {
			width = room
		}
	}
	titles := words.Distinct(names, max(width, 4))
	for i, b := range t.blocks {
		titles[i] += simulatedMark(b.variant)
	}
	return titles
}

// width is the width of the whole table.
func (t rungTable) width() int {
	sum := t.first
	for _, b := range t.blocks {
		sum += blockGap + sumWidths(b.widths)
	}
	return sum
}

// write writes titles, heads and rungs, with the load lines between the rungs where they
// lie, unless other figures answer the question.
func (t rungTable) write(l *lines, lined bool) {
	titles := t.titles()
	t.row(l, "", func(i int) string {
		w := sumWidths(t.blocks[i].widths)
		return l.paint(bold, pad(cut(titles[i], w), w, true))
	})
	t.row(l, t.noun, func(i int) string { return t.blocks[i].row(l, t.blocks[i].head, dim) })
	for i := range len(t.rungs) + 1 {
		if i > 0 {
			t.writeRung(l, t.rungs[i-1])
		}
		if lined {
			t.writeLoadLines(l, i)
		}
	}
}

// row joins the first column and one text per block.
func (t rungTable) row(l *lines, first string, blocks func(i int) string) {
	var b strings.Builder
	b.WriteString(pad(first, t.first, false))
	for i := range t.blocks {
		b.WriteString(strings.Repeat(" ", blockGap))
		b.WriteString(blocks(i))
	}
	l.add(b.String())
}

func (b block) row(l *lines, row []cell, style string) string {
	return l.joined(b.grid, b.widths, row, style)
}

func (t rungTable) writeRung(l *lines, n int) {
	t.row(l, words.Whole(n), func(i int) string {
		b := t.blocks[i]
		row := make([]cell, len(b.head))
		if at := slices.IndexFunc(b.variant.Rungs, func(r rung.Rung) bool { return r.Instances == n }); at >= 0 {
			row = b.rows[at]
		}
		return b.row(l, row, "")
	})
}

// rungOf finds a variant's rung.
func rungOf(v analysis.Variant, n int) (rung.Rung, bool) {
	for _, r := range v.Rungs {
		if r.Instances == n {
			return r, true
		}
	}
	return rung.Rung{}, false
}

// writeLoadLines draws the load lines that lie just above the first above
// rungs of the table.
func (t rungTable) writeLoadLines(l *lines, above int) {
	drawn := false
	marks := make([]string, len(t.blocks))
	for i, b := range t.blocks {
		w := sumWidths(b.widths)
		marks[i] = strings.Repeat(" ", w)
		if t.position(b.variant.LoadLine) == above && hasObjectives(b.variant) {
			marks[i], drawn = waterline(lineText(b.variant.LoadLine), w), true
		}
	}
	if drawn {
		t.row(l, "", func(i int) string { return l.paint(cyan, marks[i]) })
	}
}

// hasObjectives reports whether the variant was judged at all.
func hasObjectives(v analysis.Variant) bool {
	return slices.ContainsFunc(v.Rungs, func(r rung.Rung) bool { return len(r.Objectives) > 0 })
}

// position is how many of the table's rungs lie below the load line.
func (t rungTable) position(line loadline.LoadLine) int {
	below := 0
	for _, n := range t.rungs {
		if n <= line.Rung {
			below++
		}
	}
	return below
}

// lineText writes a load line in a few characters: its bracket.
func lineText(line loadline.LoadLine) string {
	r := line.Reach()
	text := "load line " + say.BracketText(r)
	switch {
	case r.Extent == loadline.AnyNumber:
		return say.BracketText(r)
	case r == (loadline.Reach{Extent: loadline.FewerThan, High: 1}):
		return "carries none"
	case line.Unstable:
		return text + ", unstable"
	}
	return text
}

// waterline draws text in a rule of the given width.
func waterline(text string, width int) string {
	rest := width - runewidth.StringWidth(text) - 2
	if rest < 2 {
		return pad(cut(text, width), width, true)
	}
	return "━━ " + text + " " + strings.Repeat("━", rest-2)
}
