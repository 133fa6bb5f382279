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
	m.tiles(a)
	first, last := m.rungs, m.factors
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
	m.against(a)
	m.beside(a)
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

func (m *markdown) row(cells ...markup) {
	m.line("| "+strings.Repeat("%s | ", len(cells)-1)+"%s |", cells...)
}

// head writes a table's head; every column but the first left ones is aligned
// to the right.
func (m *markdown) head(left int, cells ...string) {
	m.row(plains(cells...)...)
	rules := make([]markup, len(cells))
	for i := range rules {
		rules[i] = "---:"
		if i < left {
			rules[i] = "---"
		}
	}
	m.row(rules...)
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
	for _, d := range a.Doubts {
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
		m.variant(inTile(a, v), v)
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

func (m *markdown) variant(a *analysis.Analysis, v analysis.Variant) {
	also := alsoCounted(a)
	times := []string{"mean", "p95", "p99"}
	stalled := slices.ContainsFunc(v.Rungs, func(r rung.Rung) bool { return correctedP99(a, r) > 0 })
	if stalled {
		times = append(times, correctedHead)
	}
	m.head(0, slices.Concat([]string{nouns(a), a.Study.Unit}, alsoHeads(also), times,
		[]string{"errors", "of linear", "objectives", "busiest resource", "grade"})...)
	for _, r := range v.Rungs {
		cells := plains(strconv.Itoa(r.Instances), throughputText(r))
		for _, o := range also {
			cells = append(cells, plain(o.text(r, func(i stats.Interval) string { return spanText(i, words.Number) })))
		}
		cells = append(cells, plains(timeText(r, r.Mean), timeCell(r, p95(r)).text, timeCell(r, r.Percentile["p99"]).text)...)
		if stalled {
			cells = append(cells, plain(timeCell(r, correctedP99(a, r)).text))
		}
		m.row(append(cells, plain(words.PercentOf(r.Errors)), plain(numberOrMissing(r.Efficiency, words.PercentOf)),
			keptWord(r), plain(busiestCell(r).text), plain(orMissing(r.Grade)))...)
	}
}

func throughputText(r rung.Rung) string {
	if r.Repetitions == 0 && r.Failed > 0 {
		return "failed"
	}
	return spanText(r.Throughput, words.Number)
}

func timeText(r rung.Rung, i stats.Interval) string {
	if r.Repetitions == 0 && r.Failed > 0 {
		return words.Missing
	}
	return spanText(i, measuredSeconds)
}

func keptWord(r rung.Rung) markup {
	switch {
	case len(r.Objectives) == 0:
		return words.Missing
	case r.Kept:
		return "kept"
	default:
		return "**broken**"
	}
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
	for _, text := range p.Text {
		m.line("- %s", m.prose(text))
	}
	m.line("\n%s over %s years.\n", plain(p.Currency), plain(words.Significant(p.Years, 3)))
	m.head(1, "variant", "total", "best "+p.Unit+" within objectives", "at "+p.Noun+"s", "per "+p.Unit, "per "+p.Noun, "on the front")
	for _, v := range p.Variants {
		m.row(plains(v.Variant, words.Number(v.Total), words.Number(v.Throughput), strconv.Itoa(v.At),
			money(v.PerUnit), money(v.PerInstance), yesNo(v.OnFront))...)
	}
	if p.Note != "" {
		m.line("\n%s", m.prose(p.Note))
	}
}

// money writes a price with cents below 100 and whole units above; zero means
// that there is none.
func money(v float64) string {
	switch {
	case v == 0 || !finite(v):
		return words.Missing
	case v < 0.1:
		return words.Significant(v, 3)
	case v < 100:
		return strconv.FormatFloat(v, 'f', 2, 64)
	default:
		return words.Number(v)
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
	for _, g := range groupWarnings(a.Warnings) {
		m.line("- **%s**: %s", plain(g.Severity), prose(g.sentence(m.labels)))
	}
}

func (m *markdown) trials(a *analysis.Analysis) {
	if len(a.Trials) == 0 {
		return
	}
	m.heading("Trials")
	also := alsoCounted(a)
	m.head(1, slices.Concat([]string{"trial", "position", "status", a.Study.Unit}, alsoHeads(also), []string{"mean", "p95", "p99", "grade", "audit"})...)
	trials := slices.Clone(a.Trials)
	slices.SortStableFunc(trials, func(x, y analysis.TrialInfo) int { return x.Position - y.Position })
	for _, t := range trials {
		cells := []markup{code(t.ID), plain(strconv.Itoa(t.Position)), m.prose(statusText(t)), plain(numberOrMissing(t.Throughput, words.Number))}
		for _, o := range also {
			cells = append(cells, plain(numberOrMissing(o.trial(t), words.Number)))
		}
		m.row(append(cells, plains(measuredSeconds(t.Mean), measuredSeconds(t.P95), measuredSeconds(t.P99), orMissing(t.Grade), orMissing(t.Audit))...)...)
	}
}

func statusText(t analysis.TrialInfo) string {
	if t.Cause != "" {
		return t.Status + ": " + t.Cause
	}
	return t.Status
}

func (m *markdown) method(a *analysis.Analysis) {
	if len(a.Method) == 0 {
		return
	}
	m.heading("Method")
	for _, text := range a.Method {
		m.line("- %s", m.prose(text))
	}
}
