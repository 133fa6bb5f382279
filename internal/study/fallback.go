package study

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
)

// Fallbacks replaces every storage class that is not usable by its
// "otherwise", or by that one's, and gives a note for each. A class without a
// usable fallback is left as it is, for the plan to refuse.
func (s *Study) Fallbacks(usable func(Storage) error) []string {
	var notes []string
	for _, name := range append([]string(nil), s.StorageOrder...) {
		if note := s.fallBack(name, usable); note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

func (s *Study) fallBack(name string, usable func(Storage) error) string {
	asked := s.Storage[name]
	reason := usable(asked)
	if reason == nil {
		return ""
	}
	taken := asked.Otherwise
	for taken != nil && usable(*taken) != nil {
		taken = taken.Otherwise
	}
	if taken == nil {
		return ""
	}
	replacement := *taken
	replacement.OtherwiseNote = fmt.Sprintf("storage %s: class %s instead of %s, which cannot be used here: %v", name, taken.Class, asked.Class, reason)
	s.Storage[name] = replacement
	if taken.Rename != "" {
		s.rename(name, taken.Rename)
	}
	return replacement.OtherwiseNote
}

// rename gives a storage another name wherever the study mentions it. A name
// that another storage already goes by is not taken.
func (s *Study) rename(from, to string) {
	if _, taken := s.Storage[to]; taken {
		return
	}
	s.Storage[to] = s.Storage[from]
	delete(s.Storage, from)
	follow := s.following(from, to)
	for i, name := range s.StorageOrder {
		if name == from {
			s.StorageOrder[i] = to
		}
	}
	for i, f := range s.Matrix.Factors {
		if namesStorage(f.Path) {
			renameLevels(f.Levels, from, to)
		}
		s.Matrix.Factors[i].Path = follow(f.Path)
	}
	for _, ex := range s.Matrix.Exclude {
		renameChosen(ex, from, to, follow)
	}
	if s.Prices != nil {
		for _, item := range s.Prices.Items {
			renameChosen(item.For, from, to, follow)
		}
	}
	for _, one := range s.Tile() {
		renameValues(one.Engine.Storage, from, to)
		for _, e := range one.Stack {
			renameValues(e.Storage, from, to)
		}
	}
}

// namesStorage reports whether the levels of a factor are names of storages.
func namesStorage(factor string) bool { return factor == storageFactor || isPlacing(factor) }

func renameLevels(levels []any, from, to string) {
	for i, level := range levels {
		if level == from {
			levels[i] = to
		}
	}
}

// following has a factor that changes a parameter of a storage follow that to its new
// name. Where the class there has no such parameter, the factor stays one of a storage that
// is gone, and concerns no variant.
func (s *Study) following(from, to string) func(factor string) string {
	return func(factor string) string {
		parameter, ok := strings.CutPrefix(factor, storageFactor+"."+from+".")
		p := s.Storage[to].Parameters
		if !ok || p == nil {
			return factor
		}
		key, _, _ := strings.Cut(parameter, ".")
		if known, _ := fieldsOf(reflect.ValueOf(p).Elem()); !known[key].IsValid() {
			return factor
		}
		return storageFactor + "." + to + "." + parameter
	}
}

// renameChosen renames storages among the levels of factors, and in the factors that
// change a parameter of one.
func renameChosen[L any](chosen map[string]L, from, to string, follow func(factor string) string) {
	for factor, level := range maps.Clone(chosen) {
		if namesStorage(factor) && any(level) == any(from) {
			chosen[factor] = any(to).(L)
		}
		if now := follow(factor); now != factor {
			delete(chosen, factor)
			chosen[now] = level
		}
	}
}

func renameValues(names map[string]string, from, to string) {
	for mount, name := range names {
		if name == from {
			names[mount] = to
		}
	}
}
