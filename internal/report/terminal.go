package report

import (
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/say/warning"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/text/words"
)

// Widths between which terminal output is laid out.
const (
	minWidth     = 40
	maxWidth     = 200
	defaultWidth = 80
)

// How many warnings and findings a terminal shows before pointing at the
// report.
const terminalItems = 8

// Terminal writes the answer in a sentence and its grade, the verdict on each
// variant, then a table of the rungs of every variant with its load line drawn in or,
// where figures by factor answer the question, those,
// what gave out, the other of the two, the warnings and the settings. The best variant stands first. width is the terminal's in columns (0 when not known; clamped to
// 40..200); colour turns ANSI styles on.
func Terminal(w io.Writer, a *analysis.Analysis, width int, colour bool) error {
	l := &lines{painter: painter{colour}, width: clampWidth(width), labels: labelsOf(a)}
	a = bestFirst(a)
	writeTitle(l, a)
	writeHeadline(l, a)
	writeVerdict(l, a)
	writeTiles(l, a)
	writeClaims(l, a)
	first, last := writeRungs, func(l *lines, a *analysis.Analysis) { writeFactors(l, a) }
	if a.Reply.ByFactor() && len(factorTables(a)) > 0 {
		first, last = last, first
	}
	first(l, a)
	writeLists(l, a)
	writeKind(l, a, model.BottleneckFinding, "What limits")
	writeTimes(l, a)
	writeKind(l, a, model.ConfirmationFinding, "Experiments")
	writeScore(l, a)
	writeKind(l, a, model.BalanceFinding, "Requests by server")
	writeKind(l, a, model.RequestsFinding, "Requests at the disks")
	writePaths(l, a)
	writeKind(l, a, model.DeploymentFinding, "Deployments")
	last(l, a)
	writeAgainst(l, a)
	writeBeside(l, a)
	writeNext(l, a)
	writeWarnings(l, a)
	writeFailures(l, a)
	writeMachines(l, a)
	writeSettings(l, a)
	return l.flush(w)
}

// clampWidth keeps a width within what the layouts are made for.
func clampWidth(width int) int {
	if width <= 0 {
		return defaultWidth
	}
	return min(max(width, minWidth), maxWidth)
}

// writeTitle says which study this is and how far it can be trusted at sight.
func writeTitle(l *lines, a *analysis.Analysis) {
	title := a.Study.Name
	if a.Study.Title != "" {
		title += ": " + a.Study.Title
	}
	l.paragraph(bold, title)
	if labels := labels(a); len(labels) > 0 {
		l.paragraph(yellow, strings.Join(labels, " · "))
	}
	if a.Run.Reference != "" {
		l.paragraph(dim, a.Run.Reference)
	}
}

// labels are the words that must accompany every number.
func labels(a *analysis.Analysis) []string {
	var all []string
	if slices.ContainsFunc(a.Warnings, func(w trust.Warning) bool { return w.Kind == trust.Running }) {
		all = append(all, "running")
	}
	if a.Run.Reference != "" {
		all = append(all, "published results")
	}
	if a.Run.Simulated {
		all = append(all, "simulated medium")
	}
	if a.Study.Reduced {
		all = append(all, profileLabel(a.Study.Profile))
	}
	if len(a.Study.Set) > 0 {
		all = append(all, setLabel(a.Study.Set))
	}
	return all
}

// profileLabel names a scaled-down profile.
func profileLabel(profile string) string {
	if profile == "" {
		return "reduced profile"
	}
	return "reduced profile: " + profile
}

// writeHeadline writes the question of the study, its answer, and how far to trust that and why.
func writeHeadline(l *lines, a *analysis.Analysis) {
	l.gap()
	if a.Study.Question != "" {
		l.paragraph(dim, a.Study.Question)
	}
	if len(a.Parts) == 0 {
		l.paragraph(bold+red, noVerdict)
	}
	for _, one := range slices.Concat(answerItems(l, a), doubtItems(l, a)) {
		l.item(one.style, one.mark, one.text)
	}
	if a.Grade != "" {
		l.item(gradeStyle(a.Grade), "Grade "+a.Grade, l.plain(GradeText(a)))
	}
}

// item is a sentence behind a mark.
type item struct{ style, mark, text string }

// answerItems are the parts of the answer.
func answerItems(l *lines, a *analysis.Analysis) (all []item) {
	for _, p := range a.Parts {
		all = append(all, item{bold, words.Capital(string(p.Asks)) + ":", l.plain(words.Sentences(p.Text, p.Sure))})
	}
	return all
}

// doubtItems are what can have changed it.
func doubtItems(l *lines, a *analysis.Analysis) (all []item) {
	for _, d := range a.Caveats {
		all = append(all, item{yellow, "!", l.plain(d.Text)})
	}
	return all
}

// writeVerdict writes a sentence per variant.
func writeVerdict(l *lines, a *analysis.Analysis) {
	if len(a.Verdict) == 0 {
		return
	}
	l.gap()
	for _, s := range a.Verdict {
		l.item(cyan, "⦵", l.plain(s.Text))
	}
}

// noVerdict is shown when the analysis could not conclude anything.
const noVerdict = "No verdict: no trial finished."

// codeMarks are a pair of Markdown's: the first one begins a word, which one within a
// path does not.
var codeMarks = regexp.MustCompile("(^|[\\s(\"'])`([^`]+)`")

// Plain takes the Markdown code marks out of a sentence.
func Plain(text string) string { return codeMarks.ReplaceAllString(text, "$1$2") }

// writeKind writes what the findings of a kind say, if there are any, below a heading.
func writeKind(l *lines, a *analysis.Analysis, kind model.FindingKind, heading string) {
	if texts := findingTexts(a, kind); len(texts) > 0 {
		l.heading(heading)
		writeItems(l, "•", dim, texts)
	}
}

// writeScore says how the predictions fared, where experiments followed.
func writeScore(l *lines, a *analysis.Analysis) {
	if a.Score != nil {
		l.gap()
		l.paragraph("", l.plain(a.Score.Text))
	}
}

// writeNext names the experiments that would prove the findings.
func writeNext(l *lines, a *analysis.Analysis) {
	if texts := nextTexts(a); len(texts) > 0 {
		l.heading("What to try next")
		writeItems(l, "→", cyan, texts)
	}
}

// nextTexts are what findings recommend, each once.
func nextTexts(a *analysis.Analysis) []string {
	var next groupedTexts
	for _, f := range a.Findings {
		if f.Next == "" {
			continue
		}
		about := f.Variant
		if len(a.Variants) == 1 {
			about = ""
		}
		next.add(about, f.Next)
	}
	return next.sentences()
}

// groupedTexts is a fact common to several things, to be written once.
type groupedTexts struct {
	texts []string // in the order in which they came
	of    map[string][]string
}

func (t *groupedTexts) add(about, text string) {
	if t.of == nil {
		t.of = map[string][]string{}
	}
	if !slices.Contains(t.texts, text) {
		t.texts = append(t.texts, text)
	}
	if about != "" {
		t.of[text] = append(t.of[text], about)
	}
}

// mostNamed is how many things a sentence names before it counts the rest.
const mostNamed = 4

func (t *groupedTexts) sentences() []string {
	var all []string
	for _, text := range t.texts {
		names := t.of[text]
		if more := len(names) - mostNamed; more > 0 {
			names = append(slices.Clone(names[:mostNamed]), strconv.Itoa(more)+" more")
		}
		if len(names) > 0 {
			text = strings.Join(names, ", ") + ": " + text
		}
		all = append(all, text)
	}
	return all
}

// findingTexts are the sentences of one kind of finding.
func findingTexts(a *analysis.Analysis, kind model.FindingKind) []string {
	var texts []string
	for _, f := range a.Findings {
		if f.Kind == kind {
			texts = append(texts, f.Text)
		}
	}
	return texts
}

// writeItems writes the first sentences and says how many were left out.
func writeItems(l *lines, mark, style string, texts []string) {
	for i, text := range texts {
		if i == terminalItems {
			l.paragraph(dim, words.Count(len(texts)-i, "more line")+" in the report.")
			return
		}
		l.item(style, mark, l.plain(text))
	}
}

// writeWarnings lists the reasons for distrust, the serious first.
func writeWarnings(l *lines, a *analysis.Analysis) {
	groups := warning.Groups(a.Warnings)
	if len(groups) == 0 {
		return
	}
	l.heading("Warnings")
	for i, g := range groups {
		if i == terminalItems {
			l.paragraph(dim, words.Count(len(groups)-i, "more warning")+" in the report.")
			return
		}
		l.item(severityStyle(g.Severity), string(g.Severity)+":", warningText(g, l.labels))
	}
}

// writeFailures lists trials that failed, with the cause.
func writeFailures(l *lines, a *analysis.Analysis) {
	if texts := failures(a); len(texts) > 0 {
		l.heading("Failed trials")
		writeItems(l, "✗", red, texts)
	}
}

// failures are the causes of failed trials, each once.
func failures(a *analysis.Analysis) []string {
	var failed groupedTexts
	for _, t := range a.Trials {
		if t.Cause != "" {
			failed.add(t.ID, t.Cause)
		}
	}
	return failed.sentences()
}
