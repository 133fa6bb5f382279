package pairwise

import (
	"slices"

	"plimsoll/internal/analysis/items"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
)

// FailingVariants lists, in plan order, the variants that meet their objectives at no rung or had
// list items fail.
func FailingVariants(a *model.Analysis) (all []model.FailingVariant) {
	for i := range a.Variants {
		v := &a.Variants[i]
		b := model.FailingVariant{Variant: v.Name, Nowhere: nowhere(a, v), Items: failedItems(a.Lists, v.Name)}
		if b.Nowhere || len(b.Items) > 0 {
			all = append(all, b)
		}
	}
	return all
}

// nowhere reports whether a variant was measured, and keeps the objectives at no rung.
func nowhere(a *model.Analysis, v *model.Variant) bool {
	return len(a.Study.Objectives) > 0 && rung.Best(v.Rungs, rung.Measured) >= 0 && rung.Best(v.Rungs, meetsObjectives) < 0
}

// failedItems are those that a variant failed at any rung, each once.
func failedItems(lists []items.List, variant string) (names []string) {
	for _, l := range lists {
		at := slices.IndexFunc(l.Columns, func(c items.Column) bool { return c.Variant == variant })
		for _, r := range l.Rows {
			if at >= 0 && r.Cells[at].Failed > 0 && !slices.Contains(names, r.Name) {
				names = append(names, r.Name)
			}
		}
	}
	return names
}

// commonItems are the list items that failed for no variant; nil if no item failed, or none
// is common.
func commonItems(a *model.Analysis) (names []string) {
	failed := map[string]bool{}
	for _, b := range a.Breaking {
		for _, item := range b.Items {
			failed[item] = true
		}
	}
	if len(failed) == 0 {
		return nil
	}
	for _, l := range a.Lists {
		for _, r := range l.Rows {
			done := !slices.ContainsFunc(r.Cells, func(c items.Cell) bool { return c.Time.Value <= 0 })
			if done && !failed[r.Name] && !slices.Contains(names, r.Name) {
				names = append(names, r.Name)
			}
		}
	}
	return names
}
