// Command sentences writes docs/contributing/sentences.md to standard output: every function of the analysis
// that forms sentences, with its formats and, by its comment, the evidence that it needs.
package main

import (
	_ "embed"
	"fmt"
	"os"
)

// Warnings are listed by hand until their table in the code has what each needs.
//
//go:embed warnings.md
var warnings string

const head = `# Sentences, and what each needs

` + "`make sentences`" + ` writes this page from the code. Every text of the analysis is a format of ` + "`say.F`" + `, in a package of
` + "`internal/analysis/say`" + `, or in ` + "`compare`, `sizing` or `next`" + `. To reword a sentence, change its literal there. A function writes a sentence only if the evidence
is there: its comment says so, after ` + "`Needs:`" + `. [How results become answers](../analysis.md) explains the numbers, with
tables of [warnings](../analysis.md#grades-and-warnings) and [comparisons](../analysis.md#comparison).

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
	return text + "\n" + warnings, nil
}
