package plan

import (
	"fmt"
	"slices"

	"plimsoll/internal/describe"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// store is a file system that a run fills, with a directory of the run on it.
type store struct {
	describe.Space
	directory string
	kept      bool  // it holds that directory
	results   int64 // bytes of the results that it holds; 0 where they lie elsewhere
}

// stores are the file systems of all volumes, of the data sets that are kept and of
// the results: what lies on the same one adds up.
func (p *Plan) stores(m Machine) (all []store) {
	if m.Space == nil {
		return nil
	}
	at := func(directory string) *store {
		of := m.Space(directory)
		i := slices.IndexFunc(all, func(s store) bool { return s.ID == of.ID && (of.ID != "" || s.directory == directory) })
		if i < 0 {
			i = len(all)
			all = append(all, store{Space: of, directory: directory})
		}
		return &all[i]
	}
	for _, of := range p.volumes() {
		if of.Place != "" {
			at(of.Place)
		}
	}
	if m.Kept != "" {
		at(m.Kept).kept = true
	}
	if m.Results != "" {
		at(m.Results).results = p.results()
	}
	return all
}

// share is a part of the data on a file system.
type share struct {
	what         string
	bytes, files int64
}

// shares returns the data that are on a file system at once while a variant runs at a rung:
// its volumes, the copies of data sets that they are cloned from, kept data sets, and
// results. Volumes of other variants have been removed by then.
func (p *Plan) shares(at store, holds func(place string) bool, v study.Variant, rung int) []share {
	volumes, copies, kept := share{what: "volumes"}, share{what: "copies of data sets"}, share{what: "data sets that are kept"}
	for _, of := range p.tile(v, rung).parts() {
		if holds(of.Place) {
			volumes.bytes = sum(volumes.bytes, of.stored())
			volumes.files = sum(volumes.files, whole[int64](float64(times(of.rung, of.files()))*of.copies()))
		}
	}
	if at.kept {
		for _, of := range p.kept() {
			kept.add(of)
		}
	}
	for _, of := range p.copies(func(of part) bool { return holds(of.Place) }) {
		copies.add(of)
	}
	all := []share{volumes, copies, kept}
	if at.results > 0 {
		all = append(all, share{what: "results", bytes: sum(at.results, p.tile(v, rung).recorded())})
	}
	return slices.DeleteFunc(all, func(s share) bool { return s.bytes == 0 && s.files == 0 })
}

// add adds what a golden copy has on a storage.
func (s *share) add(of part) {
	s.bytes = sum(s.bytes, of.made())
	s.files = sum(s.files, of.Holds.Files, of.Holds.ServerFiles)
}

// on says which directories for volumes are on a file system.
func (p *Plan) on(m Machine, at store) func(place string) bool {
	holds := map[string]bool{}
	for _, of := range p.volumes() {
		holds[of.Place] = of.Place != "" && at.has(m, of.Place)
	}
	return func(place string) bool { return holds[place] }
}

// has reports whether a directory lies on the file system.
func (at store) has(m Machine, directory string) bool {
	return directory == at.directory || at.ID != "" && m.Space(directory).ID == at.ID
}

// knownFree converts a figure of free space for a limit: negative means not known, so nil.
func knownFree(free int64) *int64 {
	if free < 0 {
		return nil
	}
	return &free
}

// spaceLimit is the free space of one file system.
func (p *Plan) spaceLimit(m Machine, at store) limit {
	holds := p.on(m, at)
	need := func(v study.Variant, rung int) (total int64) {
		for _, s := range p.shares(at, holds, v, rung) {
			total = sum(total, s.bytes)
		}
		return total
	}
	return limit{
		has:   func(study.Variant) *int64 { return knownFree(at.Bytes) },
		need:  need,
		group: func(study.Variant) string { return "" },
		what: func(v study.Variant, rung int, need, _ int64) string {
			var parts []string
			for _, s := range p.shares(at, holds, v, rung) {
				if s.bytes > 0 {
					parts = append(parts, s.what+" "+rough(s.bytes))
				}
			}
			return fmt.Sprintf("rung %d of %s needs %s of disk in %s (%s); %s is free there", rung, v.Name, rough(need), at.directory, words.Join(parts), rough(at.Bytes))
		},
		remedy: func(study.Variant) string { return "free some space or use a smaller data set" },
	}
}

// inodeLimit is how many more files one file system takes.
func (p *Plan) inodeLimit(m Machine, at store) limit {
	holds := p.on(m, at)
	return limit{
		has: func(study.Variant) *int64 { return knownFree(at.Files) },
		need: func(v study.Variant, rung int) (total int64) {
			for _, s := range p.shares(at, holds, v, rung) {
				total = sum(total, s.files)
			}
			return total
		},
		group: func(study.Variant) string { return "" },
		what: func(v study.Variant, rung int, need, _ int64) string {
			return fmt.Sprintf("rung %d of %s makes about %d files and directories in %s; %d inodes are free there (df -i)", rung, v.Name, need, at.directory, at.Files)
		},
		remedy: func(study.Variant) string { return "use fewer files, or a file system with more inodes" },
	}
}
