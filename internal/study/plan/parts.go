package plan

import (
	"maps"
	"slices"

	"plimsoll/internal/study"
)

// part estimates what an application has on one storage.
type part struct {
	estimator
	storage string // its key
	StorageFacts
}

// parts has one for each storage that instances of the application have volumes on, by the
// storages' keys.
func (e estimator) parts() (all []part) {
	for _, name := range slices.Sorted(maps.Keys(e.facts.Storages)) {
		if s := e.facts.Storages[name]; s.Holds != nil {
			all = append(all, part{e, name, s})
		}
	}
	return all
}

// parts returns the parts of all applications.
func (t tile) parts() (all []part) {
	for _, e := range t {
		all = append(all, e.parts()...)
	}
	return all
}

// on returns the parts of all applications on a storage.
func (t tile) on(storage string) []part {
	return slices.DeleteFunc(t.parts(), func(p part) bool { return p.storage != storage })
}

// volumes returns a part for each storage that instances of any variant have volumes on, of
// every application.
func (p *Plan) volumes() (all []part) {
	for _, v := range p.Applications() {
		all = append(all, p.estimator(v, 1).parts()...)
	}
	return all
}

// kept returns the parts of every data set that instances are cloned from, each once.
func (p *Plan) kept() (all []part) {
	seen := map[string]bool{}
	for _, v := range p.Applications() {
		if id := p.FactsOf(v).Dataset.id(); id != "" && !seen[id] {
			seen[id] = true
			all = append(all, p.estimator(v, 1).parts()...)
		}
	}
	return all
}

// copies returns a part for each copy of a data set that volumes are cloned from: one on each
// of some storages.
func (p *Plan) copies(some func(part) bool) (all []part) {
	seen := map[string]bool{}
	for _, of := range p.volumes() {
		id := of.facts.Dataset.id()
		if copied := of.storage + "/" + id; id != "" && some(of) && !seen[copied] {
			seen[copied] = true
			all = append(all, of)
		}
	}
	return all
}

// storages are the keys of all storages that instances have volumes on.
func (p *Plan) storages() (all []string) {
	for _, of := range p.volumes() {
		if !slices.Contains(all, of.storage) {
			all = append(all, of.storage)
		}
	}
	return all
}

// data is the size of an instance's data on the storage.
func (p part) data() int64 { return sum(p.Holds.Bytes, times(p.variant.Load.Users, p.Holds.UserBytes)) }

// files is how many files an instance has on the storage.
func (p part) files() int64 {
	return sum(p.Holds.ServerFiles, p.Holds.Files, times(p.variant.Load.Users, p.Holds.UserFiles))
}

// golden is the size of an instance before it is driven, and of the copy that
// volumes are cloned from.
func (p part) golden() int64 { return sum(p.data(), p.Holds.Overhead) }

// made is the size of a golden copy, without what each user adds.
func (p part) made() int64 { return sum(p.Holds.Bytes, p.Holds.Overhead) }

// space is what instances store in their volumes.
func (p part) space() int64 { return times(p.rung, sum(p.golden(), p.growth())) }

// stored is what the storage keeps of its volumes.
func (p part) stored() int64 { return whole[int64](float64(p.space()) * p.copies()) }

func (p part) copies() float64 { return max(1, p.Copies) }

// withGolden is the space of a trial's volumes and the copy that they are
// cloned from, where there is one.
func (p part) withGolden() int64 {
	if p.facts.Dataset.Key == "" {
		return p.space()
	}
	return sum(p.space(), p.golden())
}

// growth is what one instance's data there gain while it is driven: they grow in proportion
// to their share of all data. Without data, those on the variant's own storage grow.
func (p part) growth() int64 {
	grown := 0.0
	switch all := p.dataset(); {
	case all > 0:
		grown = p.grown() * float64(p.data()) / float64(all)
	case p.storage == p.variant.StorageName:
		grown = p.grown()
	}
	if size := float64(p.variant.Engine.Volume); size > 0 {
		grown = min(grown, max(0, size-float64(p.data())))
	}
	return whole[int64](grown)
}

// volumeBytes is the size that the volumes need; see Plan.VolumeBytes.
func (p part) volumeBytes() int64 {
	most := p.variant.Engine.Volume
	for _, server := range p.variant.Stack {
		most = max(most, server.Volume)
	}
	if most > 0 {
		return int64(most)
	}
	const gib = 1 << 30
	return times(int(sum(p.golden(), p.golden(), p.growth(), p.growth(), 2*gib-1)/gib), int64(gib))
}

// VolumeBytes is the size that volumes of a variant on one of its storages need, where
// volumes have one: what the study says of its servers, or else twice the data there at
// the end of a trial and a gibibyte for logs, in whole gibibytes.
func (p *Plan) VolumeBytes(v study.Variant, storage string) int64 {
	return most(p.tile(v, max(1, p.largestRung())).on(storage), part.volumeBytes)
}
