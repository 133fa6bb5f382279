package analysis

import (
	"math"
	"slices"

	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/tilescore"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// passedOf are the trials that the rungs of a variant rest on.
func passedOf(run *result.Run, v *Variant) (all []*result.Trial) {
	for _, r := range v.Rungs {
		for _, id := range r.Trials {
			t := run.Trial(id)
			if t == nil || t.Status != result.Passed {
				continue
			}
			if whole, err := run.Whole(t); err == nil {
				t = whole
			}
			all = append(all, t)
		}
	}
	return all
}

// setRungs puts what was measured of the members side by side, by the number of tiles.
func setRungs(t *Tile, members []tileMember) {
	for _, r := range members[0].variant.Rungs {
		n := members[0].run.TilesOf(r.Instances)
		row := model.TileRung{Tiles: n, Kept: true}
		for _, m := range members {
			at := m.at(n)
			if at == nil || !at.Kept {
				row.Kept = false
			}
			if at == nil || at.Repetitions == 0 {
				continue
			}
			row.Members = append(row.Members, model.TileMember{
				Member: m.run.Member(), Throughput: at.Throughput, Mean: at.Mean, P95: at.P95, Kept: at.Kept, Bursts: at.Bursts,
			})
		}
		t.Rungs = append(t.Rungs, row)
	}
}

// setScores gives the numbers of tiles their scores, and finds where those end.
func setScores(t *Tile, members []tileMember, given []model.TileReference) {
	scored := make([]tilescore.Member, len(members))
	for i, m := range members {
		scored[i] = tilescore.Member{Weight: weightOf(&m), Trials: m.trials}
		if given != nil {
			scored[i].Published = given[i].Throughput
		} else {
			scored[i].Published = m.run.Plan.Study.ReferenceThroughput()
		}
	}
	scores, references := tilescore.Of(scored)
	if t.References = given; given == nil {
		t.References = ownReferences(t, members, scored, references)
	}
	logs := make([][]float64, len(scores))
	for i, s := range scores {
		logs[i] = stats.Logarithms(s.Scores)
	}
	means := stats.Means(logs)
	for i, e := range means {
		setScore(t, scores[i], stats.Relative(stats.MedianOf(scores[i].Scores), e, logs[i]))
	}
	setPeak(t)
	setFlat(t, scores, means)
}

// ownReferences say what the throughput of each member is relative to.
func ownReferences(t *Tile, members []tileMember, scored []tilescore.Member, references []float64) (all []model.TileReference) {
	for i, reference := range references {
		r := model.TileReference{Member: members[i].run.Member(), Throughput: reference, Unit: members[i].variant.Work.Unit.Throughput, Published: scored[i].Published > 0}
		if !r.Published {
			r.Variant = t.Variant
		}
		all = append(all, r)
	}
	return all
}

func setScore(t *Tile, of tilescore.Rung, score stats.Interval) {
	for n := range t.Rungs {
		r := &t.Rungs[n]
		if r.Tiles != of.Tiles {
			continue
		}
		r.Score, r.Each = score, of.Each
		for i := range r.Members {
			m := &r.Members[i]
			for _, reference := range t.References {
				if reference.Member == m.Member {
					m.Relative = stats.Ratio(m.Throughput.Value, reference.Throughput*float64(r.Tiles))
				}
			}
		}
	}
}

// nothing is how much of a score, as a share of it, is none that tiles would be added for.
const nothing = 0.05

// addsNothing is how often more tiles may be said to add nothing where they add more than that.
const addsNothing = 0.01

// setFlat finds the first carried number of tiles that is shown to add nothing to the score of
// the one before: the repetitions leave no room for as much as matters, with all the steps of
// the ladder tried.
func setFlat(t *Tile, scores []tilescore.Rung, means []stats.Estimate) {
	for i := 1; i < len(scores) && scores[i].Tiles <= t.Rung; i++ {
		level := 1 - 2*addsNothing/float64(len(scores)-1)
		step := means[i].Minus(means[i-1])
		if _, high := step.Interval(level); step.Known() && step.Freedom >= stats.MinFreedom && high <= math.Log1p(nothing) {
			t.Flat = scores[i].Tiles
			return
		}
	}
}

// setPeak finds the highest score of the numbers of tiles that are carried.
func setPeak(t *Tile) {
	best := 0.0
	for _, r := range t.Rungs {
		if r.Tiles > t.Rung {
			return
		}
		if r.Score.Value > best {
			best, t.Peak = r.Score.Value, r.Tiles
		}
	}
}

// firstBroken finds the member that breaks at the fewest tiles: of those broken at the next
// rung, the one whose objective reaches its limit first. Without figures to go by, it is the
// member that a failed trial blames. It gives its variant, nil for none.
func firstBroken(t *Tile, members []tileMember) *Variant {
	var first *tileMember
	least, missed := math.Inf(1), -1
	for i := range members {
		m := &members[i]
		at := m.at(t.Next)
		if at == nil || at.Kept {
			continue
		}
		if n, objective := loadline.Reached(m.variant.Rungs, m.variant.LoadLine); objective >= 0 {
			if n /= float64(weightOf(m)); n < least || n == least && sooner(at, objective, first, t.Next, missed) {
				first, least, missed = m, n, objective
			}
		}
	}
	if first == nil {
		return blamed(t, members)
	}
	at := first.at(t.Next)
	b := &model.TileBreak{Member: first.run.Member(), Variant: first.variant.Name, At: least, Objective: &at.Objectives[missed], Cause: causeOf(first, at)}
	if w := at.Objectives[missed].Worst; w != nil && w.Apart {
		b.Instance, b.Tile = w.Instance, w.Instance/weightOf(first)+1
	}
	b.Shown = shownFirst(t, first, members)
	t.First = b
	return first.variant
}

// shownFirst reports whether the load lines of all other broken members lie above this
// one's.
func shownFirst(t *Tile, first *tileMember, members []tileMember) bool {
	line := func(m *tileMember) stats.Interval {
		l, weight := m.variant.LoadLine.Count, float64(weightOf(m))
		return stats.Interval{Low: l.Low / weight, High: l.High / weight, Confidence: l.Confidence}
	}
	own := line(first)
	for i := range members {
		m := &members[i]
		if m == first || !slices.Contains(t.Broken, m.run.Member()) {
			continue
		}
		if other := line(m); own.Confidence == 0 || other.Confidence == 0 || own.High >= other.Low {
			return false
		}
	}
	return true
}

// sooner tells which of two members that have no rung below lies further beyond its limit.
func sooner(at *rung.Rung, objective int, first *tileMember, tiles, missed int) bool {
	if first == nil {
		return true
	}
	beyond := func(o rung.ObjectiveResult) float64 { return stats.Ratio(o.Value, o.Limit) }
	return beyond(at.Objectives[objective]) > beyond(first.at(tiles).Objectives[missed])
}

// weightOf is how many instances of a member each tile has.
func weightOf(m *tileMember) int {
	_, weight := m.run.Plan.Study.Member()
	return weight
}

// causeOf is what limits a member where it breaks.
func causeOf(m *tileMember, at *rung.Rung) *diagnose.Cause {
	if !diagnose.Possible(at) {
		return nil
	}
	cause := diagnose.Diagnose(m.variant.Rungs, m.variant.LoadLine, at).Cause()
	return &cause
}

// blamed is the variant of the member that failed trials of the next rung name; nil for none.
func blamed(t *Tile, members []tileMember) *Variant {
	for i := range members {
		m := &members[i]
		at := m.at(t.Next)
		if at == nil {
			continue
		}
		for _, id := range at.Trials {
			if one := m.run.Trial(id); one != nil && one.Failure != nil && one.Failure.Member == m.run.Member() {
				t.First = &model.TileBreak{Member: m.run.Member(), Variant: m.variant.Name, Shown: true}
				return m.variant
			}
		}
	}
	return nil
}

// interference compares each member alone with the first number of tiles, and with the largest
// that it was measured at.
func interference(t *Tile, members []tileMember) (all []model.Interference) {
	for _, m := range members {
		from, to := firstAndLast(t, m.run.Member())
		if from == nil || m.alone == nil && to == from {
			continue
		}
		i := model.Interference{Member: m.run.Member(), From: from.Tiles, To: to.Tiles, Tile: responseIn(from, m), Top: responseIn(to, m)}
		if to != from {
			over := i.Top.Over(i.Tile)
			i.Mean, i.P95 = over.Mean, over.P95
		}
		if m.alone != nil {
			i.Alone = &model.Responses{Mean: m.alone.Mean, P95: m.alone.P95}
			tile, top := i.Tile.Over(*i.Alone), i.Top.Over(*i.Alone)
			i.TileOverAlone, i.TopOverAlone = &tile, &top
		}
		all = append(all, i)
	}
	return all
}

// firstAndLast are the fewest and the most tiles at which a member was measured, the fewest
// at the first rung; nil if it was not measured.
func firstAndLast(t *Tile, member string) (first, last *model.TileRung) {
	for i := range t.Rungs {
		r := &t.Rungs[i]
		if memberAt(r, member) == nil {
			if i == 0 {
				return nil, nil
			}
			continue
		}
		if last = r; i == 0 {
			first = r
		}
	}
	return first, last
}

func responseIn(r *model.TileRung, m tileMember) model.Responses {
	at := memberAt(r, m.run.Member())
	return model.Responses{Mean: at.Mean, P95: at.P95}
}

// setCosts says what the bursts of the one member that has some cost the others. With several
// bursty members, whose it is cannot be told.
func setCosts(t *Tile, members []tileMember) {
	bursty := slices.DeleteFunc(slices.Clone(members), func(m tileMember) bool { return m.load.Bursts == nil })
	at := costsAt(t)
	if len(bursty) != 1 || at == nil {
		return
	}
	for _, m := range members {
		one := memberAt(at, m.run.Member())
		if m.load.Bursts == nil && one != nil && one.Bursts != nil && one.Bursts.Response.Value > 0 {
			t.Costs = append(t.Costs, costOf(m, one.Bursts, bursty[0].load.Bursts))
		}
	}
	if len(t.Costs) > 0 {
		t.Bursty, t.CostsAt = bursty[0].run.Member(), at.Tiles
	}
}

// blurred is the part of a burst, or of the pause between two, that responses may take, if those
// that a burst delays are to end in it. Work belongs to the second in which it ended.
const blurred = 0.1

// costOf is what bursts cost a member, by its figures on and off them.
func costOf(m tileMember, own *rung.Bursts, bursts *study.Bursts) model.BurstCost {
	c := model.BurstCost{
		Member: m.run.Member(), On: own.On.Mean, Off: own.Off.Mean,
		Burst: min(bursts.On, bursts.Every-bursts.On).D().Seconds(),
	}
	if p99 := max(own.On.Percentile["p99"], own.Off.Percentile["p99"]); p99 > blurred*c.Burst {
		c.Blurred = p99
		return c
	}
	if c.Response = own.Response; !m.study.OpenLoop {
		c.Work = own.Work
	}
	return c
}

// costsAt is the rung at which bursts are told apart: the highest that is carried or, without
// one, the first.
func costsAt(t *Tile) (at *model.TileRung) {
	for i := range t.Rungs {
		if r := &t.Rungs[i]; at == nil || r.Tiles <= t.Rung {
			at = r
		}
	}
	return at
}

func memberAt(r *model.TileRung, member string) *model.TileMember {
	for i := range r.Members {
		if r.Members[i].Member == member {
			return &r.Members[i]
		}
	}
	return nil
}
