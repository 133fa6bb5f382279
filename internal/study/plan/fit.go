package plan

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/text/words"
)

// limit is something that a trial may need more of than there is.
type limit struct {
	has  func(v study.Variant) *int64 // bytes, or a number of something; nil is not known
	need func(v study.Variant, rung int) int64
	// group names a group of variants. Only the neediest variant of a group is reported.
	group  func(v study.Variant) string
	what   func(v study.Variant, rung int, need, has int64) string
	remedy func(v study.Variant) string
}

func (l limit) fits(v study.Variant, rung int) bool {
	return l.lacks(v, rung) <= 0
}

// lacks is how much more a trial needs than there is; less than nothing where it is not
// known how much that is.
func (l limit) lacks(v study.Variant, rung int) int64 {
	has := l.has(v)
	if has == nil {
		return math.MinInt64
	}
	return l.need(v, rung) - *has
}

func (p *Plan) limits(m Machine) []limit {
	all := []limit{p.memoryLimit(m)}
	storages := p.storages()
	for _, name := range storages {
		all = append(all, p.classLimit(name))
	}
	for _, name := range storages {
		all = append(all, p.volumeLimit(name))
	}
	for _, name := range storages {
		all = append(all, p.claimLimit(name))
	}
	all = append(all, p.openFilesLimit(m), p.tasksLimit(m))
	all = append(all, p.connectionLimits()...)
	for _, at := range p.stores(m) {
		all = append(all, p.spaceLimit(m, at), p.inodeLimit(m, at))
	}
	return all
}

func (p *Plan) memoryLimit(m Machine) limit {
	return limit{
		has:   func(study.Variant) *int64 { return m.MemoryBytes },
		need:  func(v study.Variant, rung int) int64 { return p.tile(v, rung).memory() },
		group: func(study.Variant) string { return "" },
		what: func(v study.Variant, rung int, need, has int64) string {
			return fmt.Sprintf("rung %d of %s needs %s of memory; %s has %s", rung, v.Name, rough(need), m.Place(), rough(has))
		},
		remedy: func(v study.Variant) string {
			return cmp.Or(p.fewerMedia(v, *m.MemoryBytes), "lower engine.memory")
		},
	}
}

// fewerMedia says which storage would fit into memory, with the largest rung, if it had fewer
// media. It is empty if none has several, or if the media are not the problem.
func (p *Plan) fewerMedia(v study.Variant, memory int64) string {
	storages := p.FactsOf(v).Storages
	for _, name := range slices.Sorted(maps.Keys(storages)) {
		s := storages[name]
		if s.Media < 2 || s.MediumMemory <= 0 {
			continue
		}
		over := p.tile(v, p.largestRung()).memory() - memory
		if n := s.Media - int((over+s.MediumMemory-1)/s.MediumMemory); n > 0 {
			return fmt.Sprintf("make storage %s smaller (%d of its %d simulated media fit beside the rest)", name, n, s.Media)
		}
	}
	return ""
}

// classLimit is for a storage of a size of its own, such as simulated disks.
func (p *Plan) classLimit(storage string) limit {
	return limit{
		has: p.figure(storage, func(s StorageFacts) *int64 { return s.Capacity }),
		need: func(v study.Variant, rung int) int64 {
			on := p.tile(v, rung).on(storage)
			return max(total(on, part.withGolden), total(on, func(p part) int64 { return times(p.rung+1, p.ClaimBytes) }))
		},
		group: func(study.Variant) string { return "" },
		what: func(v study.Variant, rung int, need, has int64) string {
			return fmt.Sprintf("rung %d of %s needs %s on storage %s, which has %s", rung, v.Name, rough(need), storage, rough(has))
		},
		remedy: func(study.Variant) string { return fmt.Sprintf("increase the size of storage %s", storage) },
	}
}

// volumeLimit is for a storage whose volumes have a size of their own, such as devices.
func (p *Plan) volumeLimit(storage string) limit {
	return limit{
		has: p.figure(storage, func(s StorageFacts) *int64 { return s.VolumeCapacity }),
		need: func(v study.Variant, rung int) int64 {
			return most(p.tile(v, rung).on(storage), func(p part) int64 { return sum(p.golden(), p.growth()) })
		},
		group: func(study.Variant) string { return "" },
		what: func(v study.Variant, rung int, need, has int64) string {
			return fmt.Sprintf("each instance of %s needs %s, and the volumes of storage %s have %s", v.Name, rough(need), storage, rough(has))
		},
		remedy: func(study.Variant) string {
			return "use a smaller data set, or larger devices"
		},
	}
}

// claimLimit is for a class of the platform that makes no volume larger than one.
func (p *Plan) claimLimit(storage string) limit {
	return limit{
		has: p.figure(storage, func(s StorageFacts) *int64 {
			if s.Capacity != nil && *s.Capacity < s.ClaimBytes { // which classLimit says
				return nil
			}
			return s.LargestVolume
		}),
		need: func(v study.Variant, rung int) int64 {
			return most(p.tile(v, rung).on(storage), func(p part) int64 { return p.ClaimBytes })
		},
		group: func(study.Variant) string { return "" },
		what: func(v study.Variant, _ int, need, has int64) string {
			return fmt.Sprintf("each volume of %s asks for %s of storage %s, which makes volumes of at most %s", v.Name, rough(need), storage, rough(has))
		},
		remedy: func(study.Variant) string {
			return fmt.Sprintf("make the volumes of storage %s smaller (size), or name another storage class", storage)
		},
	}
}

// figure returns a function that looks up a figure of a storage. The function returns nil
// for variants that do not use the storage.
func (p *Plan) figure(storage string, of func(StorageFacts) *int64) func(study.Variant) *int64 {
	return func(v study.Variant) (most *int64) {
		for _, on := range p.tile(v, 1).on(storage) {
			if known := of(on.StorageFacts); known != nil && (most == nil || *known > *most) {
				most = known
			}
		}
		return most
	}
}

// fit compares the needs of the largest rung with the machine.
func (p *Plan) fit(m Machine) {
	if len(p.Trials) == 0 {
		p.problem("the study has no trials", "add a ladder, and leave at least one storage in the matrix")
		return
	}
	p.ramp()
	p.outOfReach(m)
	for _, l := range p.limits(m) {
		for _, v := range p.neediest(l) {
			rung := p.largestRung()
			if !l.fits(v, rung) {
				p.problem(l.what(v, rung, l.need(v, rung), *l.has(v)), p.advice(l, v, rung))
			}
		}
	}
	p.place(m)
}

// longestRamp is the longest time for all users to start.
const longestRamp = 48 * time.Hour

// ramp refuses a ladder whose users start too slowly.
func (p *Plan) ramp() {
	for _, v := range p.Variants {
		if rung := p.largestRung(); p.tile(v, rung).ramp() > longestRamp {
			p.problem(fmt.Sprintf("starting the users of rung %d takes more than %s at %v a second", rung, unit.Duration(longestRamp), p.Study.Phases.RampRate),
				"raise phases.ramp_rate, or set it to 0 to start all users at once")
			return
		}
	}
}

// neediest picks the variant of each group that lacks the most.
func (p *Plan) neediest(l limit) []study.Variant {
	rung := p.largestRung()
	worst := map[string]int{}
	var picked []study.Variant
	for _, v := range p.Variants {
		i, known := worst[l.group(v)]
		switch {
		case !known:
			worst[l.group(v)] = len(picked)
			picked = append(picked, v)
		case l.lacks(v, rung) > l.lacks(picked[i], rung):
			picked[i] = v
		}
	}
	return picked
}

// advice says what to change, with the largest count that fits.
func (p *Plan) advice(l limit, v study.Variant, rung int) string {
	n := largest(rung, func(rung int) bool { return l.fits(v, rung) })
	if n == 0 {
		return fmt.Sprintf("%s, or use a larger machine: not even one %s fits", l.remedy(v), p.Noun())
	}
	return fmt.Sprintf("%s, or shorten the ladder: %d %ss fit", l.remedy(v), n, p.Noun())
}

// largest finds the largest count up to most that fits, by bisection.
func largest(most int, fits func(n int) bool) int {
	low, high := 0, most
	for low < high {
		middle := (low + high + 1) / 2
		if fits(middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// bound ends a search for the load line where the machine ends; its first rung
// must fit, or else the plan is refused.
func (p *Plan) bound(m Machine) {
	l := &p.Study.Ladder
	if !l.Auto {
		return
	}
	asked := l.To
	for _, v := range p.Variants {
		for _, limit := range p.limits(m) {
			l.To = max(l.From, largest(l.To, func(n int) bool { return limit.fits(v, n) }))
		}
		l.To = max(l.From, largest(l.To, func(n int) bool { return p.misfit(m, v, n) == "" }))
	}
	if l.To < asked {
		p.Notes = append(p.Notes, fmt.Sprintf("the search ends at %s instead of %d: no more fit on %s", words.Count(l.To, p.Noun()), asked, m.Place()))
	}
}

// rough prints bytes as estimates deserve.
func rough(n int64) string { return unit.Bytes(n).Rough() }
