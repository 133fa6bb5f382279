package plan

import (
	"errors"
	"fmt"
	"math"
	"time"

	"plimsoll/internal/text/words"
)

// plannedRungs are the rungs of a ladder, or the first of a search: where the line may
// be, and so what comes next, is known once that is measured.
func (p *Plan) plannedRungs() []int {
	l := p.Study.Ladder
	if !l.Auto {
		return l.Rungs
	}
	return []int{l.From}
}

// plannedRepetitions returns how often these rungs are measured. A search repeats uncertain
// rungs.
func (p *Plan) plannedRepetitions() int {
	if l := p.Study.Ladder; l.Auto && !l.Climbs() {
		return 1
	}
	return p.Study.Repetitions
}

// search estimates the least and the greatest cost of a search for the load line. The
// greatest is a search that measures the first rung and then the last one of the ladder
// until its budget is spent.
func (p *Plan) search() {
	l := p.Study.Ladder
	alone, before := p.alone()
	longest, shortest := before, before
	first, below := p.fewest()
	for _, v := range p.Variants {
		shortest = sum(shortest, times(first, p.Cost(v.Name, l.From)), times(below, p.Cost(v.Name, 1)))
		longest = sum(longest, p.longestSearch(v.Name))
		p.Estimate.MemoryBytes = max(p.Estimate.MemoryBytes, p.estimated(Trial{Variant: v.Name, Rung: l.To}).MemoryBytes)
	}
	p.Estimate.AtLeast, p.Estimate.AtMost = shortest, longest
	p.Estimate.FewestTrials, p.Estimate.MostTrials = alone+(first+below)*len(p.Variants), alone+l.Budget*len(p.Variants)
	if l.Climbs() {
		p.Notes = append(p.Notes, fmt.Sprintf("the ladder is climbed: %s are measured in order, up to the first that breaks an objective or adds nothing to the score; only the first trials are shown; at most %s for each of %s",
			words.CountOf(len(l.Rungs), "rung", "rungs"), words.Count(l.Budget, "trial"), words.Count(len(p.Variants), "variant")))
		return
	}
	p.Notes = append(p.Notes, fmt.Sprintf(
		"the ladder is a search: it begins at %d, goes on where the load line is predicted, and ends when the bracket is %s; only the first trials are shown; at most %s for each of %s, up to %s",
		l.From, narrow(l.Precision), words.Count(l.Budget, "trial"), words.Count(len(p.Variants), "variant"), words.Count(l.To, p.Noun())))
}

// alone is how many trials are of one member alone, and how long these and the preparation
// take, whatever the search asks for.
func (p *Plan) alone() (trials int, took time.Duration) {
	took = p.Preparing()
	for _, t := range p.Trials {
		if t.Alone != "" {
			trials, took = trials+1, sum(took, t.Duration)
		}
	}
	return trials, took
}

// longestSearch is how long the trials of a variant take at most.
func (p *Plan) longestSearch(variant string) (longest time.Duration) {
	l := p.Study.Ladder
	if !l.Climbs() {
		return sum(p.Cost(variant, l.From), times(l.Budget-1, p.Cost(variant, l.To)))
	}
	for _, rung := range l.Rungs {
		if rung <= l.To {
			longest = sum(longest, times(max(1, p.Study.Repetitions), p.Cost(variant, rung)))
		}
	}
	return longest
}

// mostRepetitions is how often a search measures a rung at most, whatever the study says.
const mostRepetitions = 5

// fewest returns the smallest number of trials in which a search for a variant ends: only
// repetitions of its first rung if there is no other to measure, else one trial of the
// first rung and repetitions of a lower one.
func (p *Plan) fewest() (first, below int) {
	l, repetitions := p.Study.Ladder, min(max(1, p.Study.Repetitions), mostRepetitions)
	if l.Climbs() {
		return max(1, p.Study.Repetitions), 0
	}
	if l.From <= max(1, l.Precision) || l.From == l.To {
		return min(repetitions, l.Budget), 0
	}
	return 1, min(repetitions, l.Budget-1)
}

// narrow says how narrow a bracket is enough.
func narrow(precision int) string {
	if precision == 0 {
		return "a tenth of the line wide"
	}
	return fmt.Sprintf("%d wide", precision)
}

// Cost is how long a trial of a variant at a rung takes.
func (p *Plan) Cost(variant string, rung int) time.Duration {
	return p.Takes(variant, rung, "")
}

// Takes is the same where it is of a member alone; empty is the whole tile.
func (p *Plan) Takes(variant string, rung int, alone string) time.Duration {
	return p.estimated(Trial{Variant: variant, Rung: rung, Alone: alone}).Duration
}

// Preparing is how long making the golden volumes takes.
func (p *Plan) Preparing() (all time.Duration) {
	for _, d := range p.Datasets {
		all = sum(all, preparing(d))
	}
	return all
}

// usualTrials is how many trials most searches take for a variant; make truth counts them.
const usualTrials = 5

// Limit ends a search after a time, in which trials are measured again, too, and notes how
// many trials that is enough for. 0 is no limit; a ladder that is a list is measured whole.
func (p *Plan) Limit(within time.Duration) error {
	switch {
	case within == 0:
		return nil
	case within < 0:
		return fmt.Errorf("the time %s is negative; give one such as 4m", within)
	case !p.Study.Ladder.Auto:
		return errors.New("the ladder of the study is a list, which is measured whole; only a search (ladder: auto) ends after a time: --set ladder=auto")
	}
	p.Within = within
	p.Estimate.AtMost = min(p.Estimate.AtMost, max(within, p.Estimate.Duration))
	p.Estimate.RetryTime = 0
	p.Estimate.AtLeast = min(p.Estimate.AtLeast, p.Estimate.AtMost)
	p.Notes = append(p.Notes, p.enough())
	return nil
}

// enough says how many trials in the ladder's middle, in logarithms, the time is enough for.
func (p *Plan) enough() string {
	l := p.Study.Ladder
	left, each := p.Within-p.Estimate.Duration, time.Duration(0)
	for _, v := range p.Variants {
		each = sum(each, p.Cost(v.Name, int(math.Sqrt(float64(l.From)*float64(l.To)))))
	}
	if left < 0 {
		return fmt.Sprintf("the first trials take about %s, so that nothing is left of %s for the search", words.Span(p.Estimate.Duration), words.Span(p.Within))
	}
	further := int(left / max(each, 1))
	text := fmt.Sprintf("within %s, the search gets about %s of each variant after the first", words.Span(p.Within), words.Count(further, "trial"))
	if further+1 < usualTrials {
		text += fmt.Sprintf("; most searches take %d in all, so that the bracket may stay wide", usualTrials)
	}
	return text
}

// MostRepeated is how many repetitions of a rung an accuracy is worth.
const MostRepeated = 10

// Accurate allows for the repetitions that an accuracy may take, and notes how many that are at most: of
// both rungs beside the line of each variant.
func (p *Plan) Accurate() {
	if p.Study.Accuracy <= 0 {
		return
	}
	more, longest := 0, time.Duration(0)
	for _, v := range p.Variants {
		rungs := p.Study.Ladder.Rungs
		if p.Study.Ladder.Auto {
			rungs = []int{p.Study.Ladder.From, p.Study.Ladder.To}
		}
		slowest := time.Duration(0)
		for _, rung := range rungs {
			slowest = max(slowest, p.Cost(v.Name, rung))
		}
		n := min(2, len(rungs)) * max(0, MostRepeated-max(1, p.Study.Repetitions))
		more, longest = more+n, sum(longest, time.Duration(n)*slowest)
	}
	p.Estimate.AtMost = sum(p.Estimate.AtMost, longest)
	p.Notes = append(p.Notes, fmt.Sprintf("for an answer that is at most %v off, the run may go on for up to %s more", p.Study.Accuracy, words.Count(more, "trial")))
}
