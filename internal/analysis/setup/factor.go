package setup

import (
	"cmp"
	"slices"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/study"
)

// Factors are those that vary, storage first. Of those that vary together, as the
// size of files and how many of them there are, the first stands for all.
func (s *Subject) Factors() (all []model.Factor) {
	variants := s.Variants()
	for _, path := range factorOrder(variants) {
		f := model.Factor{Path: path, Name: FactorName(path)}
		for _, v := range variants {
			addLevel(&f, v)
		}
		if len(f.Levels) < 2 || slices.ContainsFunc(all, func(before model.Factor) bool { return together(before.Path, path, variants) }) {
			continue
		}
		setValues(&f)
		all = append(all, f)
	}
	return all
}

// together reports whether each level of one factor goes with just one of the other.
func together(a, b string, variants []study.Variant) bool {
	there, back := map[string]string{}, map[string]string{}
	for _, v := range variants {
		x, y := v.Factors[a], v.Factors[b]
		if (there[x] != "" && there[x] != y) || (back[y] != "" && back[y] != x) {
			return false
		}
		there[x], back[y] = y, x
	}
	return true
}

// factorOrder lists the paths of all factors, storage first.
func factorOrder(variants []study.Variant) []string {
	paths := map[string]bool{}
	for _, v := range variants {
		for path := range v.Factors {
			paths[path] = true
		}
	}
	sorted := stats.SortedKeys(paths)
	if at := slices.Index(sorted, "storage"); at > 0 {
		sorted = slices.Insert(slices.Delete(sorted, at, at+1), 0, "storage")
	}
	return sorted
}

// addLevel takes the level of a variant, once.
func addLevel(f *model.Factor, v study.Variant) {
	level, has := v.Factors[f.Path]
	if !has || slices.ContainsFunc(f.Levels, func(l model.Level) bool { return l.Level == level }) {
		return
	}
	l := model.Level{Level: level, Label: LevelText(f.Path, level)}
	if f.Path == "storage" {
		l.Label = cmp.Or(v.Storage().Label, level)
	}
	f.Levels = append(f.Levels, l)
}

// setValues reads the levels as numbers or sizes, if all of them are; only those
// above 0 can stand on a logarithmic axis.
func setValues(f *model.Factor) {
	values, unit := make([]float64, len(f.Levels)), ""
	for i, l := range f.Levels {
		v, bytes, ok := model.LevelValue(l.Level)
		if !ok {
			return
		}
		if bytes {
			unit = "B"
		}
		values[i] = v
	}
	for i := range f.Levels {
		f.Levels[i].Value = values[i]
	}
	f.Unit = unit
	slices.SortStableFunc(f.Levels, func(a, b model.Level) int { return cmp.Compare(a.Value, b.Value) })
}
