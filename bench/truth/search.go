package main

import (
	"fmt"
	"math/rand/v2"

	"plimsoll/internal/analysis/next"
	"plimsoll/internal/analysis/next/searchtest"
)

// searchNoises are the relative standard deviations of a trial's metric.
var searchNoises = []float64{0.01, 0.02, 0.05, 0.1}

// tally adds up what searches cost and found.
type tally struct {
	searches, trials, wrong int
	seconds                 float64
	wider                   int // brackets wider than the other search's
}

func (t *tally) add(s searchtest.System, f searchtest.Result) {
	t.searches, t.trials, t.seconds = t.searches+1, t.trials+f.Trials, t.seconds+f.Seconds
	if !f.Right(s) {
		t.wrong++
	}
}

func (t *tally) sum(o tally) {
	t.searches, t.trials, t.wrong, t.wider = t.searches+o.searches, t.trials+o.trials, t.wrong+o.wrong, t.wider+o.wider
	t.seconds += o.seconds
}

// searches compares the search for the load line with doubling and halving, by kind of
// system and noise, over lines from 1 to 500. Doubling has 16 trials, the default, to narrow the
// bracket to a twentieth of the line.
func searches() table {
	return table{"The search for the load line against doubling, to a bracket as narrow as that of doubling", func(c *counter) [][]string {
		rows, old, now := searchRows(c, true)
		c.searchBars("made-up systems", old, now)
		return rows
	}}
}

// searchesExact has both narrow the bracket to a twentieth of the line, which doubling
// has too few trials for where the line is beyond about 30. Nothing is bound here.
func searchesExact() table {
	return table{"The same, narrowed to a twentieth of the line", func(c *counter) [][]string {
		rows, _, _ := searchRows(c, false)
		return rows
	}}
}

var searchHeader = []string{"noise", "trials, doubling", "trials", "of the trials", "of the time", "wrong, doubling", "wrong", "wider"}

func searchRows(c *counter, same bool) (rows [][]string, old, now tally) {
	rows = [][]string{append([]string{"system"}, searchHeader...)}
	for _, kind := range searchtest.Kinds() {
		for _, noise := range searchNoises {
			a, b := searchKind(kind, noise, c.sets/searchShare, same)
			rows = append(rows, searchRow(kind[0].Name, noiseText(noise), a, b))
			old.sum(a)
			now.sum(b)
		}
	}
	return append(rows, searchRow("all", "", old, now)), old, now
}

// searchShare is how many sets there are for each search of a row, which has 14 lines.
const searchShare = 20

func noiseText(noise float64) string { return fmt.Sprintf("%.0f %%", 100*noise) }

func searchKind(kind []searchtest.System, noise float64, sets int, same bool) (old, now tally) {
	for _, s := range kind {
		q := next.Query{From: 1, Precision: max(1, s.Truth/20), Budget: 16, Repetitions: 1}
		a, b := searchSystem(s, q, noise, sets, same)
		old.sum(a)
		now.sum(b)
	}
	return old, now
}

// searchSystem searches one system both ways. If same is set, the new search narrows to the width
// that doubling reached, instead of the precision that doubling was asked for.
func searchSystem(s searchtest.System, q next.Query, noise float64, sets int, same bool) (old, now tally) {
	for seed := range uint64(max(sets, 1)) {
		a := searchtest.Run(s, q, doubling, noise, rand.New(rand.NewPCG(seed, 1)))
		asked := q
		if same && a.High > 0 {
			asked.Precision = a.Width(s)
		}
		b := searchtest.Run(s, asked, next.Query.Next, noise, rand.New(rand.NewPCG(seed, 2)))
		old.add(s, a)
		now.add(s, b)
		if b.Width(s) > a.Width(s) {
			now.wider++
		}
	}
	return old, now
}

func searchRow(name, noise string, old, now tally) []string {
	return []string{
		name, noise, per(old.trials, old.searches), per(now.trials, now.searches),
		percent(float64(now.trials) / float64(old.trials)), percent(now.seconds / old.seconds),
		percent(float64(old.wrong) / float64(old.searches)), percent(float64(now.wrong) / float64(now.searches)),
		percent(float64(now.wider) / float64(now.searches)),
	}
}

func per(n, of int) string { return fmt.Sprintf("%.1f", float64(n)/float64(of)) }

// Shares of the trials and of the time of doubling that the search may take.
const (
	mostTrials = 0.5
	mostTime   = 0.6
)

// searchBars are what must hold of all searches of a table together.
func (c *counter) searchBars(what string, old, now tally) {
	if share := float64(now.trials) / float64(old.trials); share > mostTrials {
		c.broken = append(c.broken, fmt.Sprintf("%s: the search takes %s of the trials of doubling, bound %s", what, percent(share), percent(mostTrials)))
	}
	if share := now.seconds / old.seconds; share > mostTime {
		c.broken = append(c.broken, fmt.Sprintf("%s: the search takes %s of the time of doubling, bound %s", what, percent(share), percent(mostTime)))
	}
	if now.wrong > old.wrong {
		c.broken = append(c.broken, fmt.Sprintf("%s: the search is wrong %d times, doubling %d times", what, now.wrong, old.wrong))
	}
}
