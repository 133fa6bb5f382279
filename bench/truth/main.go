// Command truth prints how often what the analysis concludes from made-up data is
// right, as the Markdown tables of docs/analysis.md. What is true of the data is
// known, and seeds make them the same each time. Tests hold the same judges
// against the same data; this counts more of it, and ends with 1 if a bound is broken.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// table is one table. To add one, write it in a file of its own and list it in
// tables.
type table struct {
	title string
	// rows gives the lines with the header first; every figure is a count over
	// made-up sets, of the seeds from 0 on.
	rows func(c *counter) [][]string
}

func tables() []table {
	return []table{
		steadyNoise(), shortPhases(),
		courses(120),
		courses(300),
		bends(), responses(), queues(), orders(),
		instancesAlike(), instancesStarving(),
		growths(),
		settled(), stallsAlone(),
		sentences(),
		falseVerdicts(),
		halvings(),
		gates(),
		twoMembers(),
		byInstance(), worst(), flat(), tails(), causes(), shared(), strangers(),
		searches(), searchesExact(), searchesShipped(),
		lost(),
	}
}

// usual is how many sets tell 5 % from what is far beyond it; see again.
const usual = 200

func main() {
	c := &counter{}
	flag.IntVar(&c.sets, "sets", usual, "made-up sets behind every figure; one beyond its bound is counted over ten times as many")
	only := flag.String("only", "", "print only tables whose title contains this")
	flag.Parse()
	for _, t := range tables() {
		if strings.Contains(t.title, *only) {
			t.print(os.Stdout, c)
		}
	}
	for _, b := range c.broken {
		fmt.Fprintln(os.Stderr, "truth: bound broken:", b)
	}
	if len(c.broken) > 0 {
		os.Exit(1)
	}
}

// print writes the table as Markdown.
func (t table) print(w io.Writer, c *counter) {
	fmt.Fprintf(w, "%s (%d sets each)\n\n", t.title, c.sets)
	for i, cells := range t.rows(c) {
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
		if i == 0 {
			fmt.Fprintf(w, "|%s\n", strings.Repeat("---|", len(cells)))
		}
	}
	fmt.Fprintln(w)
}

// percent writes a share of sets.
func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }
