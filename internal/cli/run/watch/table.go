package watch

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/text/words"
)

// resultTable is what was measured so far: a row for each variant, a column
// for each rung. It is a value: with gives a new one.
type resultTable struct {
	trials []progress.Event
	labels map[string]string // of the variants, by their names
}

// with takes in a finished trial, unless it is of a member alone, which is no rung; of other
// events it knows nothing.
func (r resultTable) with(e progress.Event) resultTable {
	if e.Kind != progress.TrialEnded && e.Kind != progress.TrialKept || e.Variant == "" || e.Alone != "" {
		return r
	}
	r.trials = append(slices.Clip(r.trials), e)
	return r
}

// lines draws the table within a width and a height, the newest rungs and as
// many variants as fit; nothing when there is no room for anything useful.
func (r resultTable) lines(width, height int) []string {
	variants, rungs := r.variants(), r.rungs()
	if len(variants) == 0 || height < 2 {
		return nil
	}
	unit := r.unit()
	name := len(unit)
	called := make([]string, len(variants))
	for i, v := range variants {
		called[i] = cmp.Or(r.labels[v], v)
		name = max(name, len([]rune(called[i])))
	}
	name = min(name, width/2)
	cell := r.cellWidth()
	fit := (width - name) / cell
	if fit < 1 {
		return nil
	}
	rungs = rungs[max(0, len(rungs)-fit):]
	header := pad(unit, name)
	for _, rung := range rungs {
		header += fmt.Sprintf("%*d", cell, rung)
	}
	lines := []string{header}
	titles := words.Distinct(called, max(name, 4))
	for i, v := range variants[:min(len(variants), height-1)] {
		line := pad(titles[i], name)
		for _, rung := range rungs {
			line += strings.Repeat(" ", cell-len([]rune(r.cell(v, rung)))) + r.cell(v, rung)
		}
		lines = append(lines, line)
	}
	return lines
}

// unit returns the unit of the throughput.
func (r resultTable) unit() string {
	for _, t := range r.trials {
		if t.Unit != "" {
			return t.Unit
		}
	}
	return ""
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-len([]rune(text))))
}

func (r resultTable) cellWidth() int {
	width := 0
	for _, t := range r.trials {
		width = max(width, len([]rune(r.cell(t.Variant, t.Rung))), len(strconv.Itoa(t.Rung)))
	}
	return width + 2
}

// cell is the median throughput of a rung's repetitions, or that they failed.
func (r resultTable) cell(variant string, rung int) string {
	var done []float64
	failed := false
	for _, t := range r.trials {
		switch {
		case t.Variant != variant || t.Rung != rung:
		case t.Failed:
			failed = true
		default:
			done = append(done, t.Throughput)
		}
	}
	switch {
	case len(done) == 0 && failed:
		return "✗"
	case len(done) == 0:
		return ""
	}
	slices.Sort(done)
	return words.Number((done[(len(done)-1)/2] + done[len(done)/2]) / 2)
}

func (r resultTable) variants() []string {
	var all []string
	for _, t := range r.trials {
		if !slices.Contains(all, t.Variant) {
			all = append(all, t.Variant)
		}
	}
	return all
}

func (r resultTable) rungs() []int {
	var all []int
	for _, t := range r.trials {
		all = append(all, t.Rung)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
