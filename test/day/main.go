// Command day says what grew in a run of hours, from the samples that test/day/run wrote:
//
//	go run ./test/day samples.jsonl
//
// It asserts nothing: what may grow is in docs/scale.md.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat"
)

// sample is a line of samples.jsonl.
type sample struct {
	Time      int64 `json:"time"` // s since 1970
	Processes []struct {
		Role string  `json:"role"` // its command: run, task
		RSS  float64 `json:"rss"`  // bytes
		CPU  float64 `json:"cpu"`  // s since it began
		FDs  float64 `json:"fds"`  // open
	} `json:"processes"`
	Files map[string]float64 `json:"files"` // bytes, by path
}

// settled is how long a run may take until it is as it stays: caches are filled.
const settled = 10 * 60

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./test/day samples.jsonl")
		os.Exit(2)
	}
	if err := report(os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "day:", err)
		os.Exit(1)
	}
}

func report(file string, to io.Writer) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	curves := map[string]*curve{}
	var first int64
	for lines := json.NewDecoder(bufio.NewReader(f)); lines.More(); {
		var s sample
		if err := lines.Decode(&s); err != nil {
			return err
		}
		if first == 0 {
			first = s.Time
		}
		if s.Time-first >= settled {
			s.addTo(curves, float64(s.Time-first)/3600)
		}
	}
	return print(curves, to)
}

// curve is a figure over time.
type curve struct{ hours, values []float64 }

// addTo adds what was seen after so many hours.
func (s sample) addTo(curves map[string]*curve, hours float64) {
	add := func(name string, value float64) {
		if curves[name] == nil {
			curves[name] = &curve{}
		}
		c := curves[name]
		c.hours, c.values = append(c.hours, hours), append(c.values, value)
	}
	for _, p := range s.Processes {
		add(p.Role+": memory, MB", p.RSS/1e6)
		add(p.Role+": CPU, s", p.CPU)
		add(p.Role+": open files", p.FDs)
	}
	sums := map[string]float64{}
	for name, bytes := range s.Files {
		sums[part(name)] += bytes
	}
	for name, bytes := range sums {
		add("files: "+name+", MB", bytes/1e6)
	}
}

// part is what a file belongs to.
func part(name string) string {
	switch {
	case path.Ext(name) == ".log":
		return "logs"
	case strings.Contains(name, "/receipts/"):
		return "receipts"
	case strings.HasPrefix(name, "work/") && !strings.HasSuffix(name, "/spool"):
		return "volumes"
	}
	return path.Base(name)
}

func print(curves map[string]*curve, to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tfirst\tlast\tlargest\tper hour\t")
	for _, name := range slices.Sorted(maps.Keys(curves)) {
		c := curves[name]
		slope := 0.0
		if len(c.hours) > 1 {
			_, slope = stat.LinearRegression(c.hours, c.values, nil, false)
		}
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%.2f\t%+.2f\t\n", name, c.values[0], c.values[len(c.values)-1], slices.Max(c.values), slope)
	}
	return w.Flush()
}
