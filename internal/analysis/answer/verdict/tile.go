package verdict

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/study"
	"plimsoll/internal/words"
)

// TileQuestion is the leading question of a study with members.
func TileQuestion(t model.Tile) string {
	return fmt.Sprintf("How many tiles does %s carry?", t.Variant)
}

// Tile says how many tiles there are within the objectives, and who does not keep them at
// the next rung; why says it of each member that is broken.
func Tile(t model.Tile, why []string) string {
	switch carries := words.Count(t.Rung, "tile"); {
	case t.Rung == 0 && t.Next == 0:
		return fmt.Sprintf("`%s` has no finished trial.", t.Variant)
	case t.Rung == 0:
		return fmt.Sprintf("`%s` carries not even %s: %s.", t.Variant, words.Count(t.Next, "tile"), reasons(t, why))
	case t.Next == 0:
		return fmt.Sprintf("`%s` carries %s, the most that was measured: every member keeps its objectives.", t.Variant, carries)
	default:
		return fmt.Sprintf("`%s` carries %s; at %d, %s.", t.Variant, carries, t.Next, reasons(t, why))
	}
}

// reasons names the members with why each is broken; what is one for all, as a trial that
// failed, stands for itself.
func reasons(t model.Tile, why []string) string {
	if len(why) > 1 && len(slices.Compact(slices.Clone(why))) == 1 {
		return why[0]
	}
	var all []string
	for i, member := range t.Broken {
		all = append(all, member+": "+why[i])
	}
	return strings.Join(all, "; ")
}

// BrokenMember says why a member of a tile does not keep its objectives at a rung; nil is one
// that was not measured.
func BrokenMember(objectives []study.Objective, v *model.Variant, r *rung.Rung) string {
	if r == nil {
		return "nothing was measured"
	}
	var parts []string
	for _, i := range rung.Broken(r) {
		if i < len(objectives) && r.Repetitions > 0 {
			o := objectives[i]
			parts = append(parts, fmt.Sprintf("%s (%s)", BrokenText(v, o, r.Objectives[i]), ObjectiveText(o, v.Work)))
		}
	}
	if r.Break.Any() {
		parts = append(parts, r.Breaks)
	}
	if len(parts) == 0 {
		return fmt.Sprintf("%s failed", words.Count(r.Failed, "trial"))
	}
	return words.Join(parts)
}
