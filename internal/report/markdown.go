package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say/warning"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/text/words"
)

// Markdown writes the report as GitHub-flavoured Markdown: the answer and its grade, the verdict, the
// answers, a table per variant, what gives out, prices, warnings, trials,
// settings and method.
func Markdown(w io.Writer, a *analysis.Analysis) error {
	m := &markdown{labels: labelsOf(a)}
	a = bestFirst(a)
	m.title(a)
	m.verdict(a)
	m.answers(a)
	writeTiles(m, a)
	writeClaims(m, a)
	first, last := m.rungs, func(a *analysis.Analysis) { writeFactors(m, a) }
	if a.Reply.ByFactor() && len(factorTables(a)) > 0 {
		first, last = last, first
	}
	first(a)
	m.lists(a)
	m.findings(a)
	m.score(a)
	m.stages(a)
	last(a)
	m.prices(a)
	writeAgainst(m, a)
	writeBeside(m, a)
	m.notes(a)
	m.warnings(a)
	m.trials(a)
	m.machines(a)
	m.settings(a)
	m.method(a)
	_, err := io.WriteString(w, m.b.String())
	return err
}

// markdown collects a Markdown document.
type markdown struct {
	b      strings.Builder
	labels map[string]string // of variants, by their names
}

// prose is a sentence in which variants have their labels.
func (m *markdown) prose(text string) markup { return prose(labelled(text, m.labels)) }

// line writes a line of fixed marks with text in its places.
func (m *markdown) line(format string, texts ...markup) {
	arguments := make([]any, len(texts))
	for i, text := range texts {
		arguments[i] = text
	}
	fmt.Fprintf(&m.b, format+"\n", arguments...)
}

func (m *markdown) heading(text string) { m.line("\n## %s\n", plain(text)) }

func (m *markdown) note(text string) { m.text(text) }

func (m *markdown) text(text string) { m.line("%s\n", m.prose(text)) }

func (m *markdown) items(texts []string) {
	if strings.HasSuffix(m.b.String(), "|\n") {
		m.line("") // a table takes in the line below it
	}
	for _, text := range texts {
		m.line("- %s", m.prose(text))
	}
}

// gap is nothing where a blank line ends what was written.
func (m *markdown) gap() {
	if !strings.HasSuffix(m.b.String(), "\n\n") {
		m.line("")
	}
}

func (m *markdown) row(cells ...markup) {
	m.line("| "+strings.Repeat("%s | ", len(cells)-1)+"%s |", cells...)
}

// table writes all columns of a table.
func (m *markdown) table(g grid) {
	m.row(plains(g.heads()...)...)
	rules := make([]markup, len(g.head))
	for i, c := range g.head {
		rules[i] = "---:"
		if c.left {
			rules[i] = "---"
		}
	}
	m.row(rules...)
	for _, row := range g.rows {
		cells := make([]markup, len(row))
		for i, c := range row {
			if cells[i] = plain(c.text); c.as != nil {
				cells[i] = c.as(c.text)
			}
		}
		m.row(cells...)
	}
}

func (m *markdown) title(a *analysis.Analysis) {
	title := a.Study.Title
	if title == "" {
		title = a.Study.Name
	}
	m.line("# %s\n", plain(title))
	if a.Study.Question != "" {
		m.line("%s\n", m.prose(a.Study.Question))
	}
	facts := "study " + code(a.Study.Name)
	for _, label := range labels(a) {
		facts += " · " + plain(label)
	}
	m.line("%s", facts)
	if a.Run.Reference != "" {
		m.line("\nSource of the numbers: %s", m.prose(a.Run.Reference))
	}
}

func (m *markdown) verdict(a *analysis.Analysis) {
	m.heading("Verdict")
	if len(a.Parts) == 0 {
		m.line("**%s**", plain(noVerdict))
	}
	for _, p := range a.Parts {
		m.line("- **%s:** %s", plain(words.Capital(string(p.Asks))), m.prose(words.Sentences(p.Text, p.Sure)))
	}
	for _, d := range a.Caveats {
		m.line("- %s", m.prose(d.Text))
	}
	if a.Grade != "" {
		m.line("\nGrade **%s**, %s", plain(a.Grade), m.prose(GradeText(a)))
	}
	if len(a.Verdict) > 0 {
		m.line("")
	}
	for _, s := range a.Verdict {
		m.line("- %s", m.prose(s.Text))
	}
}

func (m *markdown) answers(a *analysis.Analysis) {
	if len(a.Answers) == 0 {
		return
	}
	m.heading("Questions and answers")
	for _, answer := range a.Answers {
		m.line("**%s** %s\n", m.prose(answer.Question), m.prose(answer.Text))
	}
}

func (m *markdown) rungs(a *analysis.Analysis) {
	if len(withRungs(a.Variants)) == 0 {
		return
	}
	m.heading("Results by " + nouns(a))
	if faults := faultsText(a); faults != "" {
		m.line("With %s.\n", m.prose(faults))
	}
	for _, v := range withRungs(a.Variants) {
		m.line("### %s\n", plain(variantTitle(v)))
		if v.Label != "" && v.Label != v.Name {
			m.line("Trials %s\n", code(v.Name+"/…"))
		}
		if hasObjectives(v) && !a.Reply.ByFactor() {
			m.line("%s\n", m.prose(loadLineSentence(v.LoadLine)))
		}
		m.table(gridOf("", v.Rungs, wholeRungs(a, v, workAlike(a, v), v.Work.Unit.Throughput)))
		m.line("")
	}
}

// loadLineSentence prefers the words of the analysis.
func loadLineSentence(line loadline.LoadLine) string {
	if line.Text != "" {
		return line.Text
	}
	text := lineText(line)
	return words.Capital(text) + "."
}

// wholeRungs are all columns of a variant's rungs, with bounds, as far as any of the variants in the
// same table has anything in them. Unit is of their throughput.
func wholeRungs(a *analysis.Analysis, v analysis.Variant, like []analysis.Variant, unit string) []rungColumn {
	number := func(i stats.Interval) string { return spanText(i, words.Number) }
	columns := []rungColumn{
		said(nouns(a), func(r rung.Rung) string { return strconv.Itoa(r.Instances) }),
		{unit, func(r rung.Rung) cell { return measuredCell(r, failedCell, number(r.Throughput)) }},
	}
	for _, o := range alsoCounted(v.Work, like) {
		columns = append(columns, o.column(number))
	}
	columns = append(columns,
		measuredColumn("mean", func(r rung.Rung) string { return spanText(r.Mean, measuredSeconds) }),
		measuredColumn("p95", func(r rung.Rung) string { return spanText(p95Interval(r), measuredSeconds) }),
		p99Column)
	if slices.ContainsFunc(like, func(v analysis.Variant) bool { return len(known(v.Rungs, correctedColumn(v))) > 0 }) {
		columns = append(columns, correctedColumn(v))
	}
	columns = append(columns, measuredColumn("errors", func(r rung.Rung) string { return words.PercentOf(r.Errors) }))
	columns = append(columns, known(rungsOf(like),
		measuredColumn("rolled back", func(r rung.Rung) string { return numberOrMissing(r.RolledBack, words.PercentOf) }))...)
	columns = append(columns, efficiencyColumn,
		rungColumn{"objectives", keptWord},
		rungColumn{"busiest resource", busiestCell},
		said("grade", func(r rung.Rung) string { return orMissing(r.Grade) }))
	return append(columns, known(rungsOf(like), said("faults", func(r rung.Rung) string { return strings.Join(r.Faults, ", ") }))...)
}

// measuredColumn has nothing where all trials of a rung failed.
func measuredColumn(head string, text func(rung.Rung) string) rungColumn {
	return rungColumn{head, func(r rung.Rung) cell { return measuredCell(r, cell{text: words.Missing}, text(r)) }}
}

func keptWord(r rung.Rung) cell {
	switch {
	case len(r.Objectives) == 0:
		return cell{text: words.Missing}
	case r.Kept:
		return cell{text: "kept", kind: KeptCell}
	default:
		return cell{text: "broken", as: strong, kind: BrokenCell, title: r.Breaks}
	}
}

// everyVariantsRungs is one table of all variants' rungs, with their trials.
func everyVariantsRungs(a *analysis.Analysis) grid {
	all := grid{title: "Results by variant and " + nouns(a)}
	for _, v := range withRungs(a.Variants) {
		g := gridOf("", v.Rungs, wholeRungs(a, v, a.Variants, a.Study.Unit))
		all.head = slices.Concat([]cell{{text: "variant", left: true}}, g.head, []cell{{text: "trials", left: true}})
		for i, row := range g.rows {
			all.rows = append(all.rows, slices.Concat([]cell{{variant: v.Name}}, row, []cell{{trials: v.Rungs[i].Trials}}))
		}
	}
	return all
}

func orMissing(text string) string {
	if text == "" {
		return words.Missing
	}
	return text
}

func (m *markdown) findings(a *analysis.Analysis) {
	if len(a.Findings) == 0 {
		return
	}
	m.heading("Findings")
	for _, f := range a.Findings {
		text := m.prose(f.Text)
		if len(f.Trials) > 0 {
			of := trialsText(f.Trials)
			if f.Run != "" {
				of += " of " + code(f.Run)
			}
			text += " (" + of + ")"
		}
		m.line("- %s", text)
		if f.Next != "" {
			m.line("  - Next: %s", m.prose(f.Next))
		}
		m.fragment(f.Fragment)
	}
}

// score says how the predictions fared, where experiments followed.
func (m *markdown) score(a *analysis.Analysis) {
	if a.Score != nil {
		m.line("\n%s", m.prose(a.Score.Text))
	}
}

// fragment writes a piece of study YAML below a finding.
func (m *markdown) fragment(yaml string) {
	if yaml == "" {
		return
	}
	fence := markup(fence(yaml))
	m.line("\n  %syaml", fence)
	for line := range strings.Lines(strings.TrimRight(yaml, "\n")) {
		m.line("  %s", markup(strings.TrimRight(line, "\n"))) // nothing but the fence has a meaning there
	}
	m.line("  %s", fence)
}

// fence is one that no line of a text ends.
func fence(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

// trialsText names the trials behind a number.
func trialsText(ids []string) markup {
	if len(ids) > 4 {
		return plain(words.Count(len(ids), "trial")) + " from " + code(ids[0]) + " to " + code(ids[len(ids)-1])
	}
	text := code(ids[0])
	for _, id := range ids[1:] {
		text += ", " + code(id)
	}
	return text
}

func (m *markdown) prices(a *analysis.Analysis) {
	p := a.Prices
	if p == nil || len(p.Variants) == 0 {
		return
	}
	m.heading("Price")
	m.items(p.Text)
	m.line("\n%s over %s years.\n", plain(p.Currency), plain(words.Significant(p.Years, 3)))
	tables := priceTables(a)
	m.table(tables[0])
	for _, g := range tables[1:] {
		m.gap()
		m.text(g.title + ":")
		m.table(g)
	}
	if p.Note != "" {
		m.line("\n%s", m.prose(p.Note))
	}
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func (m *markdown) warnings(a *analysis.Analysis) {
	if len(a.Warnings) == 0 {
		return
	}
	m.heading("Warnings")
	for _, g := range warning.Groups(a.Warnings) {
		m.line("- **%s**: %s", plain(string(g.Severity)), prose(warningText(g, m.labels)))
	}
}

func (m *markdown) trials(a *analysis.Analysis) {
	if len(a.Trials) == 0 {
		return
	}
	m.heading("Trials")
	also := alsoCounted(a.Study.Work, a.Variants)
	heads := []string{"trial", "position", "status", a.Study.Unit}
	for _, o := range also {
		heads = append(heads, o.head)
	}
	g := newGrid("l", append(heads, "mean", "p95", "p99", "grade", "audit")...)
	for _, t := range sortedBy(a.Trials, func(t analysis.TrialInfo) int { return t.Position }) {
		row := []string{t.ID, strconv.Itoa(t.Position), strings.TrimSuffix(t.Status+": "+t.Cause, ": "), numberOrMissing(t.Throughput, words.Number)}
		for _, o := range also {
			row = append(row, numberOrMissing(o.trial(t), words.Number))
		}
		g.add(append(row, measuredSeconds(t.Mean), measuredSeconds(t.P95), measuredSeconds(t.P99), orMissing(t.Grade), orMissing(t.Audit))...)
		cells := g.rows[len(g.rows)-1]
		cells[0].as, cells[2].as = code, m.prose
	}
	m.table(g)
}

// notes are those on published results.
func (m *markdown) notes(a *analysis.Analysis) {
	if a.Beside == nil {
		return
	}
	for _, text := range a.Beside.Notes {
		m.line("- Published: %s", m.prose(text))
	}
}

func (m *markdown) method(a *analysis.Analysis) {
	if len(a.Method) == 0 {
		return
	}
	m.heading("Method")
	m.items(a.Method)
}
