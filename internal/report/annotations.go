package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/say/warning"
	"plimsoll/internal/analysis/trust"
)

// Annotations writes what a reader of continuous integration must see as workflow commands of
// GitHub Actions: the answer as a notice, serious warnings and cautions, and failed trials as
// errors.
func Annotations(w io.Writer, a *analysis.Analysis) error {
	l := labelsOf(a)
	title := cmp.Or(a.Study.Title, a.Study.Name)
	var b strings.Builder
	annotate(&b, "notice", title, Plain(labelled(cmp.Or(a.Headline, noVerdict), l))+gradeSuffix(a))
	for _, g := range warning.Groups(a.Warnings) {
		if g.Severity != trust.Note {
			annotate(&b, "warning", title, warningText(g, l))
		}
	}
	var failed groupedTexts
	for _, t := range a.Trials {
		if t.Cause != "" {
			failed.add(t.ID, t.Cause)
		}
	}
	for _, text := range failed.sentences() {
		annotate(&b, "error", title, text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func gradeSuffix(a *analysis.Analysis) string {
	if a.Grade == "" {
		return ""
	}
	return " Grade " + a.Grade + ": " + Plain(labelled(boundLine(a), labelsOf(a))) + "."
}

// What workflow commands escape in messages, and besides in properties (GitHub, "Workflow
// commands for GitHub Actions").
var (
	inMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	inProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func annotate(b *strings.Builder, kind, title, message string) {
	fmt.Fprintf(b, "::%s title=%s::%s\n", kind, inProperty.Replace(title), inMessage.Replace(message))
}
