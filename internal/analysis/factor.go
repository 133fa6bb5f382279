package analysis

import (
	"cmp"
	"slices"
	"strconv"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/study"
	"plimsoll/internal/unit"
)

// Factor is an axis of the study's matrix on which the variants differ.
type Factor struct {
	Path string `json:"path"`           // as in the matrix: workload.parameters.file_size
	Name string `json:"name"`           // for charts: "file size"
	Unit string `json:"unit,omitempty"` // of the levels' values: B for sizes; empty for plain numbers
	// Levels ascend where all of them are numbers above 0; else they stand as in
	// the plan, and have no values.
	Levels []Level `json:"levels"`
}

// Level is one setting of a factor.
type Level struct {
	Level string  `json:"level"`           // as in Variant.Factors
	Label string  `json:"label"`           // for charts
	Value float64 `json:"value,omitempty"` // bytes or a number; 0 where it is neither
}

// factors are those that vary, storage first. Of those that vary together, as the
// size of files and how many of them there are, the first stands for all.
func (s *subject) factors() (all []Factor) {
	variants := s.variantList()
	for _, path := range factorOrder(variants) {
		f := Factor{Path: path, Name: factorName(path)}
		for _, v := range variants {
			f.add(v)
		}
		if len(f.Levels) < 2 || slices.ContainsFunc(all, func(before Factor) bool { return together(before.Path, path, variants) }) {
			continue
		}
		f.setValues()
		all = append(all, f)
	}
	return all
}

// together says that each level of one factor goes with just one of the other.
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

// add takes the level of a variant, once.
func (f *Factor) add(v study.Variant) {
	level, has := v.Factors[f.Path]
	if !has || slices.ContainsFunc(f.Levels, func(l Level) bool { return l.Level == level }) {
		return
	}
	l := Level{Level: level, Label: levelText(f.Path, level)}
	if f.Path == "storage" {
		l.Label = cmp.Or(v.Storage.Label, level)
	}
	f.Levels = append(f.Levels, l)
}

// setValues reads the levels as numbers or sizes, if all of them are; only those
// above 0 can stand on a logarithmic axis.
func (f *Factor) setValues() {
	values, unit := make([]float64, len(f.Levels)), ""
	for i, l := range f.Levels {
		v, bytes, ok := levelValue(l.Level)
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
	slices.SortStableFunc(f.Levels, func(a, b Level) int { return cmp.Compare(a.Value, b.Value) })
}

// levelValue reads "16" or "32KB"; bytes says that it is a size.
func levelValue(text string) (v float64, bytes, ok bool) {
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return v, false, stats.Plausible(v) && v > 0
	}
	size, err := unit.ParseBytes(text)
	return float64(size), true, err == nil && size > 0
}
