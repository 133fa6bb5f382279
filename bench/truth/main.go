// Command truth prints how often what the analysis concludes from made-up data is
// right, as the Markdown tables of docs/analysis.md. What is true of the data is
// known, and seeds make them the same each time. Tests hold the same judges
// against the same data and fail on the bounds; this only prints.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"plimsoll/internal/analysis/analysistest"
)

// table is one table. To add one, write it in a file of its own and list it in
// tables.
type table struct {
	title string
	// rows gives the lines with the header first; every figure is a count over
	// so many made-up sets, of the seeds from 0 on.
	rows func(sets int) [][]string
}

func tables() []table {
	return []table{
		steadyNoise(),
		courses(120),
		courses(300),
		instancesAlike(), instancesStarving(),
		growths(),
		falseVerdicts(),
		halvings(),
		gates(),
	}
}

func main() {
	sets := flag.Int("sets", analysistest.Sets, "made-up sets behind every figure")
	only := flag.String("only", "", "print only tables whose title contains this")
	flag.Parse()
	for _, t := range tables() {
		if strings.Contains(t.title, *only) {
			t.print(os.Stdout, *sets)
		}
	}
}

// print writes the table as Markdown.
func (t table) print(w io.Writer, sets int) {
	fmt.Fprintf(w, "%s (%d sets each)\n\n", t.title, sets)
	for i, cells := range t.rows(sets) {
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
		if i == 0 {
			fmt.Fprintf(w, "|%s\n", strings.Repeat("---|", len(cells)))
		}
	}
	fmt.Fprintln(w)
}

// percent writes a share of sets.
func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }
