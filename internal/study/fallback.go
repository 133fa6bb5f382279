package study

import "fmt"

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
	for i, name := range s.StorageOrder {
		if name == from {
			s.StorageOrder[i] = to
		}
	}
	for _, f := range s.Matrix.Factors {
		if f.Path == storageFactor {
			renameLevels(f.Levels, from, to)
		}
	}
	for _, ex := range s.Matrix.Exclude {
		if ex[storageFactor] == from {
			ex[storageFactor] = to
		}
	}
	s.renamePrices(from, to)
}

func renameLevels(levels []any, from, to string) {
	for i, level := range levels {
		if level == from {
			levels[i] = to
		}
	}
}

func (s *Study) renamePrices(from, to string) {
	if s.Prices == nil {
		return
	}
	for _, item := range s.Prices.Items {
		if item.For[storageFactor] == from {
			item.For[storageFactor] = to
		}
	}
}
