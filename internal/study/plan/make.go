package plan

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// Make plans a study for a machine. Storage classes that cannot be used here
// are first replaced by their fallbacks, in the study itself. A plan that
// cannot run is given with its Problems; an error means that there is no plan
// at all.
func Make(s *study.Study, m Machine, d Describer) (*Plan, error) {
	p := &Plan{Study: s, Facts: map[string]Facts{}, Notes: s.Fallbacks(d.Usable)}
	variants, err := s.Expand()
	if err != nil {
		return nil, fmt.Errorf("planning study %s: %w", s.Name, err)
	}
	p.Variants = variants
	p.events()
	p.describe(d)
	p.fixed()
	p.unfixed()
	p.tiles()
	p.datasets()
	p.standing()
	p.bound(m)
	p.trials()
	p.estimate()
	p.fit(m)
	return p, nil
}

// Rebind gives a plan that came out of JSON its typed parameters back.
func (p *Plan) Rebind(v study.Vocabulary) error {
	if err := study.Rebind(p.Study, v); err != nil {
		return err
	}
	for i := range p.Variants {
		if err := study.RebindVariant(&p.Variants[i], v); err != nil {
			return err
		}
	}
	return nil
}

// describe asks for the facts of every variant; what cannot be used here
// becomes a problem, once for each storage.
func (p *Plan) describe(d Describer) {
	refused := map[string]bool{}
	lacking := map[string][]string{} // variants, by what they lack
	var lacks []string
	for _, v := range p.Variants {
		for name, s := range v.Storages {
			if err := d.Usable(s); err != nil && !refused[name] {
				refused[name] = true
				p.problem(fmt.Sprintf("storage %s (class %s) cannot be used here: %v", name, s.Class, err),
					"`plimsoll doctor` shows what it needs; or give the storage a fallback with otherwise:")
			}
		}
		for _, one := range v.Tile() {
			if lack := p.describeOne(d, one); lack != "" {
				if lacking[lack] == nil {
					lacks = append(lacks, lack)
				}
				lacking[lack] = append(lacking[lack], one.Title())
			}
		}
		for _, one := range v.Tile() {
			p.Facts[one.Title()] = p.claimed(v, p.Facts[one.Title()])
		}
	}
	for _, lack := range lacks {
		names := lacking[lack]
		of := "variant " + names[0] + " cannot run here"
		switch {
		case len(names) == len(p.Applications()) && len(names) > 1:
			of = "no variant can run here"
		case len(names) > 1:
			of = "variants " + words.Join(names) + " cannot run here"
		}
		p.problem(fmt.Sprintf("%s: %s", of, lack), "`plimsoll doctor` shows what is missing")
	}
}

// claimed adds how large volumes are to be where they are claimed and their storage does
// not say so.
func (p *Plan) claimed(v study.Variant, f Facts) Facts {
	f.Storages = maps.Clone(f.Storages)
	for name, s := range f.Storages {
		if s.Provisioner != "" && s.ClaimBytes == 0 {
			s.ClaimBytes = p.VolumeBytes(v, name)
			f.Storages[name] = s
		}
	}
	return f
}

// describeOne asks for the facts of one application; lack is why it cannot run here.
func (p *Plan) describeOne(d Describer, one study.Variant) (lack string) {
	facts, err := d.Describe(one)
	if err != nil {
		lack = err.Error()
	}
	for _, problem := range facts.Problems {
		p.problem(problem.Text, problem.Hint)
	}
	p.Facts[one.Title()] = facts
	return lack
}

// unfixed refuses members whose work ends by itself, because the rest of the tile would go
// on without them.
func (p *Plan) unfixed() {
	for _, one := range p.Applications() {
		if one.Member != "" && p.Facts[one.Title()].Profile.Fixed {
			p.problem(fmt.Sprintf("the work of member %s ends by itself, and the rest of the tile would go on without it", one.Member),
				"give it parameters with which it works for as long as it is measured, or a study of its own")
		}
	}
}

// fixed notes which variants' work ends by itself, and what that makes of the phases.
func (p *Plan) fixed() {
	var names []string
	for _, v := range p.Variants {
		if p.FactsOf(v).Profile.Fixed {
			names = append(names, v.Name)
		}
	}
	expect := p.Study.Phases.Expect
	if len(names) == 0 {
		if expect > 0 {
			p.Notes = append(p.Notes, "phases.expect is not used: the work does not end by itself, but after phases.measure")
		}
		return
	}
	of := ""
	if len(names) < len(p.Variants) {
		of = " of " + words.Join(names)
	}
	note := fmt.Sprintf("the work%s is fixed: it begins for all users at once and ends by itself, without ramp and warm-up; phases.measure (%s) is the longest that it may take", of, p.Study.Phases.Measure)
	if expect > 0 {
		note += fmt.Sprintf(", and the estimates are made with phases.expect (%s)", expect)
	}
	p.Notes = append(p.Notes, note)
}

// tiles notes what a tile is made of, and how many instances that makes.
func (p *Plan) tiles() {
	if !study.HasMembers(p.Study.Members) {
		return
	}
	var each, most []string
	for _, m := range p.Study.Members {
		each = append(each, fmt.Sprintf("%d of %s (%s)", m.Weight, m.Name, m.Workload.Name))
		most = append(most, fmt.Sprintf("%d of %s", m.Weight*p.largestRung(), m.Name))
	}
	p.Notes = append(p.Notes, fmt.Sprintf("a rung counts tiles, each with instances of its members: %s; the largest rung has %s", words.Join(each), words.Join(most)))
	if p.Study.Ladder.Alone {
		p.Notes = append(p.Notes, "each member is measured alone, too, with its instances of one tile")
	}
}

// events refuses what a fallback's class or a platform chosen since cannot do; those
// that the study names were asked when it was read.
func (p *Plan) events() {
	for _, e := range p.Study.EventProblems(p.Variants) {
		p.problem(fmt.Sprintf("%s: %s", e.Event, e.Text),
			"use a platform and a storage class that support it, or remove the event")
	}
}

func (p *Plan) problem(what, hint string) {
	next := describe.Problem{Text: what, Hint: hint}
	for _, old := range p.Problems {
		if old == next {
			return
		}
	}
	p.Problems = append(p.Problems, next)
}

// datasets joins the variants that can share one golden volume.
func (p *Plan) datasets() {
	index := map[string]int{}
	for _, v := range p.Applications() {
		d := p.FactsOf(v).Dataset
		if d.Description == "" { // nothing is known of a variant that cannot run here
			continue
		}
		id := d.Servers + "\x00" + d.Key + "\x00" + d.Description
		i, known := index[id]
		if !known {
			i = len(p.Datasets)
			index[id] = i
			d.Variants = nil
			p.Datasets = append(p.Datasets, d)
		}
		p.Datasets[i].Variants = append(p.Datasets[i].Variants, v.Title())
	}
}

// trials orders the trials: repetition by repetition, each member alone before the rungs, and
// of each all variants, beginning with another one each time. What drifts
// during a run (temperature, wear, neighbours) then weighs on all variants
// alike.
func (p *Plan) trials() {
	turn := 0
	inTurn := func(t Trial) {
		for i := range p.Variants {
			t.Variant = p.Variants[(turn+i)%len(p.Variants)].Name
			p.add(t)
		}
		turn++
	}
	for repetition := 1; repetition <= max(p.Study.Repetitions, p.plannedRepetitions()); repetition++ {
		for _, member := range p.Study.Alone() {
			inTurn(Trial{Rung: 1, Alone: member, Repetition: repetition})
		}
		if repetition > p.plannedRepetitions() {
			continue
		}
		for _, rung := range p.plannedRungs() {
			inTurn(Trial{Rung: rung, Repetition: repetition})
		}
	}
}

// largestRung is the most instances that any trial may have.
func (p *Plan) largestRung() int {
	l := p.Study.Ladder
	if l.Auto {
		return l.To
	}
	most := 0
	for _, rung := range l.Rungs {
		most = max(most, rung)
	}
	return most
}

// Append plans one more trial at the end; a search for the load line calls it
// for the rungs that it chooses.
func (p *Plan) Append(variant string, rung, repetition int) Trial {
	return p.add(Trial{Variant: variant, Rung: rung, Repetition: repetition})
}

// add plans a trial at the end.
func (p *Plan) add(t Trial) Trial {
	t = p.estimated(t)
	t.Position, t.ID = len(p.Trials)+1, t.id()
	t.Seed = seed(p.Study.Seed, uint64(t.Position))
	p.Trials = append(p.Trials, t)
	return t
}

// Retry allows for so many trials to be measured again: the longest ones, at
// most.
func (p *Plan) Retry(most int) {
	longest := time.Duration(0)
	for _, t := range p.Trials {
		longest = max(longest, t.Duration)
	}
	if p.Study.Ladder.Auto {
		for _, v := range p.Variants {
			longest = max(longest, p.Cost(v.Name, p.Study.Ladder.To))
		}
	}
	p.Estimate.Retries, p.Estimate.RetryTime = most, times(most, longest)
}

// Again plans another attempt at a trial: with the same seed and in the same
// place of the order.
func (p *Plan) Again(t Trial, attempt int) Trial {
	again := p.estimated(t)
	again.ID, again.Attempt = fmt.Sprintf("%s.%d", t.id(), attempt), attempt
	return again
}

// estimated says what a trial takes.
func (p *Plan) estimated(t Trial) Trial {
	v, known := p.Variant(t.Variant)
	if !known {
		return t
	}
	e := p.tile(v, t.Rung)
	if t.Alone != "" {
		e = slices.DeleteFunc(e, func(one estimator) bool { return one.variant.Member != t.Alone })
	}
	t.Duration, t.DiskBytes, t.MemoryBytes = e.duration(), e.disk(), e.memory()
	return t
}

// Variant finds a variant by name.
func (p *Plan) Variant(name string) (study.Variant, bool) {
	for _, v := range p.Variants {
		if v.Name == name {
			return v, true
		}
	}
	return study.Variant{}, false
}

// estimator returns the estimator of one application of a variant, as Variant.Tile returns
// it.
func (p *Plan) estimator(v study.Variant, rung int) estimator {
	v.Load = p.Study.Ladder.Load(v.Load, rung)
	return estimator{study: p.Study, variant: v, facts: p.FactsOf(v), rung: v.Weight * p.Study.Ladder.Instances(rung), standing: p.StorageMemory}
}

// standing adds up the memory of the servers of all storages.
func (p *Plan) standing() {
	counted := map[string]bool{}
	for _, v := range p.Variants {
		facts := p.FactsOf(v).Storages
		for name, s := range v.Storages {
			if key := s.Key(name); !counted[key] {
				counted[key] = true
				p.StorageMemory = sum(p.StorageMemory, facts[name].StorageMemory)
			}
		}
	}
}

// seed gives every trial a number of its own. Each step is a bijection on 53
// bits, so different positions never meet, and readers that hold numbers as
// floating point (JavaScript) see it exactly. Steps as in the finaliser of
// MurmurHash3 and SplitMix64: multiply by an odd number, fold the high bits in.
func seed(study, position uint64) uint64 {
	const mask = 1<<53 - 1
	x := (study*0x9e3779b97f4a7c15 + position) & mask
	for range 2 {
		x ^= x >> 27
		x = (x * 0xbf58476d1ce4e5b9) & mask
	}
	return x ^ x>>31
}

// estimate sums the plan.
func (p *Plan) estimate() {
	e := &p.Estimate
	for _, t := range p.Trials {
		e.Duration = sum(e.Duration, t.Duration)
		e.MemoryBytes = max(e.MemoryBytes, t.MemoryBytes)
		e.DiskBytes = max(e.DiskBytes, t.DiskBytes)
	}
	e.Duration = sum(e.Duration, p.Preparing())
	e.DiskBytes = sum(e.DiskBytes, p.golden())
	if p.Study.Ladder.Auto {
		p.search()
	}
}

// golden is the space of the golden volumes: each data set once where it is
// made, and once on each storage that hands out copies of it.
func (p *Plan) golden() int64 {
	onDisk := p.copies(func(of part) bool { return !of.InMemory })
	return sum(total(p.kept(), part.made), total(onDisk, part.made))
}
