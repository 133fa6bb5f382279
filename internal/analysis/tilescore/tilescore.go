// Package tilescore scores tiles of several applications: it takes the trials of each member alone
// and gives the score of every count of tiles. It judges nothing.
//
// The score of a tile is the geometric mean of its members' throughput, each relative to
// the member's throughput in a reference tile; several tiles score the sum of theirs
// (VMware, "VMmark 4 Benchmarking Guide": normalised to a reference, geometric mean within
// a tile, sum over tiles). Without a published reference, it is the average tile of the
// first rung, so that the score there is about its number of tiles.
package tilescore

import (
	"cmp"
	"math"
	"slices"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// Member is one application of the tiles.
type Member struct {
	// Weight is how many instances of it a tile has.
	Weight int
	// Published is its throughput in a reference tile; 0 to use the first rung's.
	Published float64
	// Trials are those that passed, whole, of the member alone.
	Trials []*result.Trial
}

// Rung is the score of a number of tiles.
type Rung struct {
	Tiles  int
	Scores []float64 // of each repetition
	// Each is the score of every tile, averaged over the repetitions.
	Each []float64
}

// Of scores each number of tiles that all members were measured at, the fewest
// first, and returns the reference throughput of one tile for each member. If a reference
// is unknown, there are no scores.
func Of(members []Member) (rungs []Rung, references []float64) {
	counts := countsOf(members)
	if references = referencesOf(members, counts); references == nil {
		return nil, nil
	}
	for _, n := range counts {
		r := Rung{Tiles: n, Each: make([]float64, n)}
		for _, t := range members[0].at(n) {
			each := scoreOf(members, t, n, references)
			if each == nil {
				continue
			}
			sum := 0.0
			for i, score := range each {
				sum += score
				r.Each[i] += score
			}
			r.Scores = append(r.Scores, sum)
		}
		if len(r.Scores) == 0 {
			continue
		}
		for i := range r.Each {
			r.Each[i] /= float64(len(r.Scores))
		}
		rungs = append(rungs, r)
	}
	return rungs, references
}

// mostTiles bounds what a run may say it had.
const mostTiles = 100_000

// countsOf are the numbers of tiles that every member has a trial at.
func countsOf(members []Member) (counts []int) {
	if len(members) == 0 {
		return nil
	}
	for _, t := range members[0].Trials {
		n := members[0].tiles(t)
		if n > 0 && n <= mostTiles && !slices.Contains(counts, n) && !slices.ContainsFunc(members, func(m Member) bool { return len(m.at(n)) == 0 }) {
			counts = append(counts, n)
		}
	}
	slices.Sort(counts)
	return counts
}

// tiles is how many tiles a trial of the member had.
func (m Member) tiles(t *result.Trial) int { return t.Rung / max(1, m.Weight) }

// at are the trials of so many tiles, in the order of their repetitions.
func (m Member) at(tiles int) (all []*result.Trial) {
	for _, t := range m.Trials {
		if m.tiles(t) == tiles {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b *result.Trial) int { return cmp.Compare(a.Repetition, b.Repetition) })
	return all
}

// same is the member's part of the trial that another member's is of; nil for none.
func (m Member) same(t *result.Trial, tiles int) *result.Trial {
	for _, own := range m.at(tiles) {
		if own.Repetition == t.Repetition {
			return own
		}
	}
	return nil
}

// referencesOf is what one tile does of each member: as published or, at the first rung, the
// median over the repetitions. Nil where one does nothing.
func referencesOf(members []Member, counts []int) []float64 {
	var all []float64
	for _, m := range members {
		reference := m.Published
		if reference <= 0 && len(counts) > 0 {
			reference = stats.MedianOf(trial.Collect(m.at(counts[0]), trial.Throughput)) / float64(counts[0])
		}
		if !stats.IsFinite(reference) || reference <= 0 {
			return nil
		}
		all = append(all, reference)
	}
	return all
}

// scoreOf scores each tile in a trial, which is given by one member's trial; nil if another
// member has no data.
func scoreOf(members []Member, of *result.Trial, tiles int, references []float64) []float64 {
	logs := make([]float64, tiles)
	for i, m := range members {
		own := m.same(of, tiles)
		if own == nil {
			return nil
		}
		for n, throughput := range MemberThroughputs(own, tiles) {
			logs[n] += math.Log(throughput/references[i]) / float64(len(members))
		}
	}
	for n, l := range logs {
		logs[n] = stats.Finite(math.Exp(l)) // 0 where a member did nothing
	}
	return logs
}

// MemberThroughputs is the member's throughput in each tile, summed over its instances
// there. If work was not recorded by instance, all tiles are assumed alike.
func MemberThroughputs(t *result.Trial, tiles int) []float64 {
	all, recorded := make([]float64, tiles), false
	if trial.Seconds(t) <= 0 {
		return all
	}
	weight := max(1, t.Rung/max(1, tiles))
	for _, i := range t.Instances {
		if n := i.Instance / weight; n >= 0 && n < tiles {
			all[n] += t.Profile.Unit.Rate(i.Count, i.Bytes, t.MeasureEnd.Sub(t.MeasureStart))
			recorded = recorded || i.Count > 0
		}
	}
	if !recorded {
		for n := range all {
			all[n] = trial.Throughput(t) / float64(tiles)
		}
	}
	return all
}
