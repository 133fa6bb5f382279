// Command sentences writes docs/contributing/sentences.md to standard output: every function of the analysis
// that forms sentences, with its formats and, by its comment, the evidence that it needs.
package main

import (
	"fmt"
	"os"
	"strings"

	"plimsoll/internal/analysis/say/warning"
)

// warnings introduces their table.
const warnings = `
## Warnings

A warning is a value: a kind, a form and what it is about. Package say has the sentence of each form, in its package warning. The limits from which each is printed, and how grave it is, are among the
[warnings](../analysis.md#warnings). A trial that failed has none of them.
`

const head = `# Sentences, and what each needs

` + "`make sentences`" + ` writes this page from the code. Every text of the analysis is a format of ` + "`say.F`" + `, in a package of
` + "`internal/analysis/say`" + `, or in ` + "`compare`, `sizing` or `next`" + `. To reword a sentence, change its literal there. A function writes a sentence only if the evidence
is there: its comment says so, after ` + "`Needs:`" + `. [How results become answers](../analysis.md) explains the numbers, with
tables of [warnings](../analysis.md#warnings) and [comparisons](../analysis.md#comparison).

"Shown" means that an interval at 95 % excludes the contrary. Without repetitions there is no interval, and the sentence
says so or is not printed. ` + "`%s`" + `, ` + "`%d`" + ` and the like stand for names, figures and other texts.
`

func main() {
	text, err := page(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "list the sentences:", err)
		os.Exit(1)
	}
	fmt.Print(text)
}

// page is the page about the code below a directory.
func page(root string) (string, error) {
	text := head
	for _, hall := range []string{"say", "compare", "sizing", "next"} {
		packages, err := collect(root + "/internal/analysis/" + hall)
		if err != nil {
			return "", err
		}
		for _, p := range packages {
			text += p.text()
		}
	}
	return text + warnings + tables(warning.Sentences()), nil
}

// tables are the sentences of warnings, a table for each chapter.
func tables(all []warning.Sentence) string {
	var b strings.Builder
	var last warning.Sentence
	for _, s := range all {
		if s.Chapter != last.Chapter {
			fmt.Fprintf(&b, "\n### %s\n\n| kind | form | sentence | needs |\n|---|---|---|---|\n", s.Chapter)
		}
		kind := ""
		if s.Kind != last.Kind {
			kind = "`" + string(s.Kind) + "`"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", kind, s.Form, beginning(s.Text), s.Needs)
		last = s
	}
	return b.String()
}

// mostShown is how many characters of a sentence the page has.
const mostShown = 160

// beginning is a sentence as the page has it.
func beginning(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "`", ""))
	if runes := []rune(text); len(runes) > mostShown {
		short := string(runes[:mostShown])
		return strings.TrimRight(short[:strings.LastIndex(short, " ")], ",;:") + " …"
	}
	return text
}
