package plan

import (
	"fmt"
	"slices"

	"plimsoll/internal/study"
	"plimsoll/internal/words"
)

// resultBytes is what a trial adds to its run's directory: samples, records, logs.
const resultBytes = 256 << 10

// store is a file system that a run fills, with a directory of the run on it.
type store struct {
	FileSystem
	directory     string
	kept, results bool // it holds those directories
}

// stores are the file systems of all volumes, of the data sets that are kept and of
// the results: what lies on the same one adds up.
func (p *Plan) stores(m Machine) (all []store) {
	if m.FileSystem == nil {
		return nil
	}
	at := func(directory string) *store {
		of := m.FileSystem(directory)
		i := slices.IndexFunc(all, func(s store) bool { return s.ID == of.ID && (of.ID != "" || s.directory == directory) })
		if i < 0 {
			i = len(all)
			all = append(all, store{FileSystem: of, directory: directory})
		}
		return &all[i]
	}
	for _, v := range p.each() {
		for _, place := range p.FactsOf(v).places() {
			at(place)
		}
	}
	if m.Kept != "" {
		at(m.Kept).kept = true
	}
	if m.Results != "" {
		at(m.Results).results = true
	}
	return all
}

// share is a part of what is put on a file system.
type share struct {
	what         string
	bytes, files int64
}

// shares are what is on a file system at once when a variant runs at a rung: its
// volumes, the copies of data sets that they are cloned from, data sets that are
// kept, results. Volumes of other variants have gone by then.
func (p *Plan) shares(at store, holds func(variant string) bool, v study.Variant, rung int) []share {
	volumes, copies, kept := share{what: "volumes"}, share{what: "copies of data sets"}, share{what: "data sets that are kept"}
	for _, e := range p.tile(v, rung) {
		if holds(e.variant.Title()) {
			each := sum(e.facts.Files, e.facts.Dataset.FilesOf(e.variant.Load.Users))
			volumes.bytes = sum(volumes.bytes, whole[int64](float64(e.volumes())*e.copies()))
			volumes.files = sum(volumes.files, whole[int64](float64(times(e.rung, each))*e.copies()))
		}
	}
	made, imported := map[string]bool{}, map[string]bool{}
	for _, other := range p.each() {
		f := p.FactsOf(other)
		if f.Dataset.Key == "" {
			continue
		}
		bytes, files := sum(f.Dataset.Bytes, f.Overhead), sum(f.Dataset.Files, f.Files)
		id := f.Dataset.Servers + "/" + f.Dataset.Key
		if at.kept && !made[id] {
			made[id] = true
			kept.bytes, kept.files = sum(kept.bytes, bytes), sum(kept.files, files)
		}
		if id = other.StorageName + "/" + id; holds(other.Title()) && !imported[id] {
			imported[id] = true
			copies.bytes, copies.files = sum(copies.bytes, bytes), sum(copies.files, files)
		}
	}
	all := []share{volumes, copies, kept}
	if at.results {
		all = append(all, share{what: "results", bytes: times(len(p.Trials), int64(resultBytes))})
	}
	return slices.DeleteFunc(all, func(s share) bool { return s.bytes == 0 && s.files == 0 })
}

// on says which variants have their volumes on a file system.
func (p *Plan) on(m Machine, at store) func(variant string) bool {
	holds := map[string]bool{}
	for name, f := range p.Facts {
		holds[name] = slices.ContainsFunc(f.places(), func(place string) bool { return at.has(m, place) })
	}
	return func(variant string) bool { return holds[variant] }
}

// has reports whether a directory lies on the file system.
func (at store) has(m Machine, directory string) bool {
	return directory == at.directory || at.ID != "" && m.FileSystem(directory).ID == at.ID
}

// free is what a variant may put on a file system and on the others that its volumes lie
// on: how its data are shared out among them is not known. Negative is not known.
func (p *Plan) free(m Machine, at store, v study.Variant, of func(FileSystem) int64) int64 {
	all, counted := of(at.FileSystem), []store{at}
	for _, one := range v.Tile() {
		places := p.FactsOf(one).places()
		if !slices.ContainsFunc(places, func(place string) bool { return at.has(m, place) }) {
			continue
		}
		for _, place := range places {
			if slices.ContainsFunc(counted, func(s store) bool { return s.has(m, place) }) {
				continue
			}
			other := store{FileSystem: m.FileSystem(place), directory: place}
			counted = append(counted, other)
			if all < 0 || of(other.FileSystem) < 0 {
				return -1
			}
			all = sum(all, of(other.FileSystem))
		}
	}
	return all
}

// known makes a limit's figure of free space: a full file system is known, and not
// to be taken for an unknown one.
func known(free int64) int64 {
	if free == 0 {
		return 1
	}
	return free
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
		has: func(v study.Variant) int64 {
			return known(p.free(m, at, v, func(f FileSystem) int64 { return f.Bytes }))
		},
		need:  need,
		group: func(study.Variant) string { return "" },
		what: func(v study.Variant, rung int, need, _ int64) string {
			free := p.free(m, at, v, func(f FileSystem) int64 { return f.Bytes })
			var parts []string
			for _, s := range p.shares(at, holds, v, rung) {
				if s.bytes > 0 {
					parts = append(parts, s.what+" "+rough(s.bytes))
				}
			}
			return fmt.Sprintf("rung %d of %s needs %s of disk in %s (%s); %s is free there", rung, v.Name, rough(need), at.directory, words.Join(parts), rough(max(0, free)))
		},
		remedy: func(study.Variant) string { return "free some space or use a smaller data set" },
	}
}

// inodeLimit is how many more files one file system takes.
func (p *Plan) inodeLimit(m Machine, at store) limit {
	holds := p.on(m, at)
	return limit{
		has: func(v study.Variant) int64 {
			return known(p.free(m, at, v, func(f FileSystem) int64 { return f.Files }))
		},
		need: func(v study.Variant, rung int) (total int64) {
			for _, s := range p.shares(at, holds, v, rung) {
				total = sum(total, s.files)
			}
			return total
		},
		group: func(study.Variant) string { return "" },
		what: func(v study.Variant, rung int, need, _ int64) string {
			return fmt.Sprintf("rung %d of %s makes about %d files and directories in %s; %d inodes are free there (df -i)", rung, v.Name, need, at.directory, max(0, p.free(m, at, v, func(f FileSystem) int64 { return f.Files })))
		},
		remedy: func(study.Variant) string { return "use fewer files, or a file system with more inodes" },
	}
}
