// Command truth counts how often the conclusions of the analysis are right about made-up
// data whose truth is known, as tables in Markdown. Seeds make the data the same each time.
// Tests hold the same judges against the same data; this counts more of it, and ends with 1
// if a bound is broken. `make truth` writes the tables to RATES.md.
package main

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
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
		steadyNoise(), evenWork(), shortPhases(), sizes(),
		courses(120),
		courses(300),
		bends(), responses(), queues(), orders(),
		instancesAlike(), instancesStarving(),
		growths(),
		bounds(), stallsAlone(),
		sentences(),
		falseVerdicts(),
		halvings(),
		gates(),
		twoMembers(),
		byInstance(), worst(), flat(), tails(), causes(), timedCauses(), portions(), slowPeriods(), shared(),
		searches(), searchesExact(), searchesShipped(),
		lost(),
	}
}

// usual is how many sets distinguish 5 % from shares far beyond it; see again.
const usual = 200

func main() {
	c := &counter{}
	flag.IntVar(&c.sets, "sets", usual, "made-up sets behind every figure; one beyond its bound is counted over ten times as many")
	only := flag.String("only", "", "print only tables whose title contains this")
	output := flag.String("o", "", "write all tables, with their introduction, to this file")
	flag.Parse()
	if err := write(*output, *only, c); err != nil {
		fmt.Fprintln(os.Stderr, "truth:", err)
		os.Exit(1)
	}
	for _, b := range c.broken {
		fmt.Fprintln(os.Stderr, "truth: bound broken:", b)
	}
	if len(c.broken) > 0 {
		os.Exit(1)
	}
}

// introduction begins the file of rates, and tested ends it: rates that tests of the analysis
// bound, counted once over 500 sets.
var (
	//go:embed introduction.md
	introduction string
	//go:embed tested.md
	tested string
)

// write prints the tables whose title contains a text or, where a file is named, writes
// them there between the introduction and the rates of the tests.
func write(file, only string, c *counter) error {
	if file == "" {
		return tabulate(os.Stdout, only, c)
	}
	var text bytes.Buffer
	text.WriteString(introduction)
	if err := tabulate(&text, only, c); err != nil {
		return err
	}
	text.WriteString(tested)
	return os.WriteFile(file, text.Bytes(), 0o644)
}

// tabulate writes the tables whose title contains a text.
func tabulate(w io.Writer, only string, c *counter) error {
	var found bool
	for i, t := range tables() {
		if !strings.Contains(t.title, only) {
			continue
		}
		found = true
		fmt.Fprintf(os.Stderr, "truth: table %d of %d: %s\n", i+1, len(tables()), t.title)
		begun := time.Now()
		t.print(w, c)
		fmt.Fprintf(os.Stderr, "truth: %s\n", time.Since(begun).Round(time.Second))
	}
	if !found {
		return fmt.Errorf("no table has %q in its title", only)
	}
	return nil
}

// print writes the table as Markdown.
func (t table) print(w io.Writer, c *counter) {
	fmt.Fprintf(w, "## %s\n\n%d sets each.\n\n", t.title, c.sets)
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
