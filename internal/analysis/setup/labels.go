package setup

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/study"
)

// Labels are readable labels of a study's variants by name, made of the levels in which
// they differ: "hdd, 4 CPU".
func Labels(variants []study.Variant) map[string]string {
	labels, seen := map[string]string{}, map[string]bool{}
	for _, v := range variants {
		labels[v.Name] = label(v, func(path string) bool { return !varies(variants, path) })
		seen[labels[v.Name]] = true
	}
	if len(seen) == len(labels) {
		return labels
	}
	for _, v := range variants { // what tells them apart is no factor of the study
		labels[v.Name] = label(v, func(string) bool { return false })
	}
	return labels
}

// varies reports whether variants have different levels of a factor; of a single one, nothing is
// left out.
func varies(variants []study.Variant, path string) bool {
	if len(variants) == 1 {
		return true
	}
	level := func(v study.Variant) string { return v.Factors[path] }
	return slices.ContainsFunc(variants, func(v study.Variant) bool { return level(v) != level(variants[0]) })
}

// label joins the levels of a variant, but for the factors left out.
func label(v study.Variant, leftOut func(path string) bool) string {
	parts := []string{}
	if level, ok := v.Factors["storage"]; ok && !leftOut("storage") {
		parts = append(parts, cmp.Or(v.Storage().Label, level))
	}
	for _, path := range stats.SortedKeys(v.Factors) {
		if path != "storage" && !leftOut(path) {
			parts = append(parts, LevelText(path, v.Factors[path]))
		}
	}
	if len(parts) == 0 {
		return v.Name
	}
	return strings.Join(parts, ", ")
}
