package plan

import (
	"maps"
	"slices"
)

// parts has an estimator for each storage that its application lies on, as if that were
// all of it: the variant's own first, then the others by their keys.
func (e estimator) parts() (all tile) {
	own := e
	own.storage = e.variant.StorageName
	for _, name := range slices.Sorted(maps.Keys(e.facts.Placed)) {
		part := e.placed(name)
		all = append(all, part)
		own.facts.give(e.facts.Placed[name].Holds)
		own.facts.Profile.Growth -= part.facts.Profile.Growth
	}
	if e.facts.Unused {
		return all
	}
	return append(tile{own}, all...)
}

// placed is the part of an application on a storage other than the variant's own. The data
// there grow in proportion to their share of all data.
func (e estimator) placed(name string) estimator {
	s, part := e.facts.Placed[name], e
	h := s.Holds
	part.storage = name
	d := &part.facts.Dataset
	d.Bytes, d.UserBytes, d.Files, d.UserFiles = h.Bytes, h.UserBytes, h.Files, h.UserFiles
	f := &part.facts
	f.Overhead, f.Files, f.Place, f.InMemory, f.Copies = h.Overhead, h.ServerFiles, s.Place, s.InMemory, s.Copies
	f.Capacity, f.VolumeCapacity, f.ClaimSource, f.ClaimBytes = s.Capacity, s.VolumeCapacity, s.ClaimSource, s.ClaimBytes
	if all := e.dataset(); all > 0 {
		f.Profile.Growth *= float64(part.dataset()) / float64(all)
	} else {
		f.Profile.Growth = 0
	}
	return part
}

// give takes away what lies elsewhere.
func (f *Facts) give(h Holding) {
	f.Dataset.Bytes -= h.Bytes
	f.Dataset.UserBytes -= h.UserBytes
	f.Dataset.Files -= h.Files
	f.Dataset.UserFiles -= h.UserFiles
	f.Overhead -= h.Overhead
	f.Files -= h.ServerFiles
}

// parts returns the parts of all applications.
func (t tile) parts() (all tile) {
	for _, e := range t {
		all = append(all, e.parts()...)
	}
	return all
}

// on are the parts of all applications that lie on a storage.
func (t tile) on(storage string) (all tile) {
	return slices.DeleteFunc(t.parts(), func(e estimator) bool { return e.storage != storage })
}

// storages are the keys of all that volumes lie on.
func (p *Plan) storages() (all []string) {
	for _, v := range p.Applications() {
		for _, part := range p.estimator(v, 1).parts() {
			if !slices.Contains(all, part.storage) {
				all = append(all, part.storage)
			}
		}
	}
	return all
}
