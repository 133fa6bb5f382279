package report

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/words"
)

// Markdown writes the report as GitHub-flavoured Markdown: the answer and its grade, the verdict, the
// answers, a table per variant, what gives out, prices, warnings, trials,
// settings and method.
func Markdown(w io.Writer, a *analysis.Analysis) error {
	m := &markdown{}
	a = bestFirst(a)
	m.title(a)
	m.verdict(a)
	m.answers(a)
	m.rungs(a)
	m.findings(a)
	m.factors(a)
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
type markdown struct{ b strings.Builder }

func (m *markdown) line(format string, arguments ...any) {
	fmt.Fprintf(&m.b, format+"\n", arguments...)
}

func (m *markdown) heading(text string) { m.line("\n## %s\n", escape(text)) }

// tag finds what Markdown takes for the beginning of a tag: "<=" is none.
var tag = regexp.MustCompile(`<([A-Za-z/!?])`)

// escape keeps text from being read as a table border, a tag, a link or a break.
func escape(text string) string {
	text = tag.ReplaceAllString(text, "&lt;$1")
	return strings.NewReplacer("|", `\|`, "\r", "", "\n", " ", "](", `]\(`, "][", `]\[`, "]:", `]\:`).Replace(text)
}

func (m *markdown) row(cells ...string) {
	m.line("| %s |", strings.Join(cells, " | "))
}

// head writes a table's head; every column but the first left ones is aligned
// to the right.
func (m *markdown) head(left int, cells ...string) {
	m.row(cells...)
	rules := make([]string, len(cells))
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
	m.line("# %s\n", escape(title))
	if a.Study.Question != "" {
		m.line("%s\n", escape(a.Study.Question))
	}
	facts := []string{"study `" + a.Study.Name + "`"}
	for _, label := range labels(a) {
		facts = append(facts, escape(label))
	}
	m.line("%s", strings.Join(facts, " · "))
	if a.Run.Reference != "" {
		m.line("\nSource of the numbers: %s", escape(a.Run.Reference))
	}
}

func (m *markdown) verdict(a *analysis.Analysis) {
	m.heading("Verdict")
	m.line("**%s**", escape(cmp.Or(a.Headline, noVerdict)))
	if a.Grade != "" {
		m.line("\nGrade **%s**, %s", a.Grade, escape(gradeText(a)))
	}
	if len(a.Verdict) > 0 {
		m.line("")
	}
	for _, s := range a.Verdict {
		m.line("- %s", escape(s.Text))
	}
}

func (m *markdown) answers(a *analysis.Analysis) {
	if len(a.Answers) == 0 {
		return
	}
	m.heading("Questions and answers")
	for _, answer := range a.Answers {
		m.line("**%s** %s\n", escape(answer.Question), escape(answer.Text))
	}
}

func (m *markdown) rungs(a *analysis.Analysis) {
	if len(withRungs(a.Variants)) == 0 {
		return
	}
	m.heading("Results by " + nouns(a))
	if faults := faultsText(a); faults != "" {
		m.line("With %s.\n", escape(faults))
	}
	for _, v := range withRungs(a.Variants) {
		m.line("### %s\n", escape(variantTitle(v)))
		if v.Label != "" && v.Label != v.Name {
			m.line("Trials `%s/…`\n", v.Name)
		}
		if hasObjectives(v) {
			m.line("%s\n", escape(loadLineSentence(v.LoadLine)))
		}
		m.variant(a, v)
		m.line("")
	}
}

// loadLineSentence prefers the words of the analysis.
func loadLineSentence(line analysis.LoadLine) string {
	if line.Text != "" {
		return line.Text
	}
	text := lineText(line)
	return words.Capital(text) + "."
}

func (m *markdown) variant(a *analysis.Analysis, v analysis.Variant) {
	also := alsoCounted(a)
	times := []string{"mean", "p95", "p99"}
	stalled := slices.ContainsFunc(v.Rungs, func(r analysis.Rung) bool { return correctedP99(a, r) > 0 })
	if stalled {
		times = append(times, correctedHead)
	}
	m.head(0, slices.Concat([]string{nouns(a), a.Study.Unit}, alsoHeads(also), times,
		[]string{"errors", "of linear", "objectives", "busiest resource", "grade"})...)
	for _, r := range v.Rungs {
		cells := []string{strconv.Itoa(r.Instances), throughputText(r)}
		for _, o := range also {
			cells = append(cells, o.text(r, func(i analysis.Interval) string { return interval(i, words.Number) }))
		}
		cells = append(cells, timeText(r, r.Mean), timeCell(r, p95(r)).text, timeCell(r, r.Percentile["p99"]).text)
		if stalled {
			cells = append(cells, timeCell(r, correctedP99(a, r)).text)
		}
		m.row(append(cells, words.PercentOf(r.Errors), known(r.Efficiency, words.PercentOf),
			keptWord(r), escape(busiestCell(r).text), orMissing(r.Grade))...)
	}
}

func throughputText(r analysis.Rung) string {
	if r.Repetitions == 0 && r.Failed > 0 {
		return "failed"
	}
	return interval(r.Throughput, words.Number)
}

func timeText(r analysis.Rung, i analysis.Interval) string {
	if r.Repetitions == 0 && r.Failed > 0 {
		return words.Missing
	}
	return interval(i, measuredSeconds)
}

func keptWord(r analysis.Rung) string {
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
		text := escape(f.Text)
		if len(f.Trials) > 0 {
			text += " (" + trialsText(f.Trials) + ")"
		}
		m.line("- %s", text)
		if f.Next != "" {
			m.line("  - Next: %s", escape(f.Next))
		}
		m.fragment(f.Fragment)
	}
}

// fragment writes a piece of study YAML below a finding.
func (m *markdown) fragment(yaml string) {
	if yaml == "" {
		return
	}
	m.line("\n  ```yaml")
	for line := range strings.Lines(strings.TrimRight(yaml, "\n")) {
		m.line("  %s", strings.TrimRight(line, "\n"))
	}
	m.line("  ```")
}

// trialsText names the trials behind a number.
func trialsText(ids []string) string {
	if len(ids) > 4 {
		return words.Count(len(ids), "trial") + " from `" + ids[0] + "` to `" + ids[len(ids)-1] + "`"
	}
	return "`" + strings.Join(ids, "`, `") + "`"
}

func (m *markdown) prices(a *analysis.Analysis) {
	p := a.Prices
	if p == nil || len(p.Variants) == 0 {
		return
	}
	m.heading("Price")
	for _, text := range p.Text {
		m.line("- %s", escape(text))
	}
	m.line("\n%s over %s years.\n", escape(p.Currency), words.Significant(p.Years, 3))
	m.head(1, "variant", "total", "best "+a.Study.Unit+" within objectives", "at "+nouns(a), "per "+a.Study.Unit, "per "+strings.TrimSuffix(nouns(a), "s"), "on the front")
	for _, v := range p.Variants {
		m.row(escape(v.Variant), words.Number(v.Total), words.Number(v.Throughput), strconv.Itoa(v.At),
			money(v.PerUnit), money(v.PerInstance), yesNo(v.OnFront))
	}
	if p.Note != "" {
		m.line("\n%s", escape(p.Note))
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
		m.line("- **%s**: %s", g.Severity, escape(g.sentence()))
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
		cells := []string{"`" + t.ID + "`", strconv.Itoa(t.Position), escape(statusText(t)), known(t.Throughput, words.Number)}
		for _, o := range also {
			cells = append(cells, known(o.trial(t), words.Number))
		}
		m.row(append(cells, measuredSeconds(t.Mean), measuredSeconds(t.P95), measuredSeconds(t.P99), orMissing(t.Grade), escape(orMissing(t.Audit)))...)
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
		m.line("- %s", escape(text))
	}
}
