package main

import (
	"fmt"
	"time"

	"github.com/goccy/go-yaml"

	"plimsoll/internal/analysis/next"
	"plimsoll/internal/analysis/next/searchtest"
	"plimsoll/studies"
)

// searchesShipped compares both searches on ladders as long, and trials as costly, as in the
// shipped studies' laptop profiles. The systems have one bottleneck, and their lines are anywhere
// on the ladder.
func searchesShipped() table {
	return table{"The search on the ladders of the shipped laptop profiles, noise of 5 %", func(c *counter) [][]string {
		rows := [][]string{append([]string{"study"}, searchHeader[1:]...)}
		var old, now tally
		for _, name := range studies.Names() {
			l, err := shippedLadder(name)
			if err != nil {
				c.broken = append(c.broken, fmt.Sprintf("the ladder of %s: %v", name, err))
				continue
			}
			if l.to <= l.query.From {
				continue // one rung: nothing to search
			}
			var a, b tally
			for _, s := range searchtest.Shipped(l.query.From, l.to) {
				s.Fixed, s.Each = l.fixed, l.each
				x, y := searchSystem(s, l.query, 0.05, c.sets/searchShare, true)
				a.sum(x)
				b.sum(y)
			}
			row := searchRow(fmt.Sprintf("%s, %d to %d", name, l.query.From, l.to), "", a, b)
			rows = append(rows, append(row[:1], row[2:]...))
			old.sum(a)
			now.sum(b)
		}
		c.searchBars("shipped ladders", old, now)
		row := searchRow("all", "", old, now)
		return append(rows, append(row[:1], row[2:]...))
	}}
}

// shipped is the ladder of a study's laptop profile, or of the study where it has none,
// and what a trial costs in seconds.
type shipped struct {
	query       next.Query
	to          int
	fixed, each float64
}

// part is what of a study or a profile decides that.
type part struct {
	Ladder any            `yaml:"ladder"`
	Phases map[string]any `yaml:"phases"`
}

func shippedLadder(name string) (shipped, error) {
	text, err := studies.Read(name)
	if err != nil {
		return shipped{}, err
	}
	var file struct {
		Ladder   any             `yaml:"ladder"`
		Phases   map[string]any  `yaml:"phases"`
		Profiles map[string]part `yaml:"profiles"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		return shipped{}, err
	}
	s := shipped{query: next.Query{Budget: 16, Precision: 1, Repetitions: 1}, fixed: 3, each: 1.6}
	laptop := file.Profiles["laptop"]
	ladder := laptop.Ladder
	if ladder == nil {
		ladder = file.Ladder
	}
	for _, phase := range []string{"warmup", "measure"} {
		value, given := laptop.Phases[phase]
		if !given {
			value = file.Phases[phase]
		}
		d, _ := time.ParseDuration(fmt.Sprint(value)) // none where it is not given
		s.fixed += d.Seconds()
	}
	return s, s.take(ladder)
}

// take reads a ladder as it stands in a study.
func (s *shipped) take(ladder any) error {
	if whole, ok := ladder.(map[string]any); ok {
		if whole["of"] == "users" {
			s.each = 0
		}
		if auto, ok := whole["auto"].(map[string]any); ok {
			return s.bounds(auto)
		}
		ladder = whole["rungs"]
	}
	rungs, ok := ladder.([]any)
	if !ok || len(rungs) == 0 {
		return fmt.Errorf("found %v", ladder)
	}
	return s.bounds(map[string]any{"from": rungs[0], "to": rungs[len(rungs)-1]})
}

func (s *shipped) bounds(auto map[string]any) error {
	for key, into := range map[string]*int{"from": &s.query.From, "to": &s.to, "precision": &s.query.Precision, "budget": &s.query.Budget} {
		if value, given := auto[key]; given {
			if _, err := fmt.Sscan(fmt.Sprint(value), into); err != nil {
				return err
			}
		}
	}
	return nil
}
