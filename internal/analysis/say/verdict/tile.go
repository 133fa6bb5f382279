package verdict

import (
	"slices"
	"strings"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/say/limit"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// Tile states how many tiles meet the objectives, which members miss them at the next rung
// and which of these breaks first, the bottleneck, and the score. why gives the reason for
// each broken member. first is the variant of the member that breaks first; nil for none.
func Tile(t model.Tile, why []string, first *model.Variant) string {
	return words.Sentences(gateText(t, why), tileFirst(t, first), tileScore(t))
}

// tileFirst names the member that breaks first, where several do, the tile in which it is
// worst, and what limits it there.
//
// Needs: “The first to break is shop, at 3.2 tiles”: several members broken at the same count; the
// count at which each reaches its limit; "is" where the intervals of their load lines do not meet. “It
// is worst in tile 3 of 4”: the figures of each instance at the count that broke.
func tileFirst(t model.Tile, first *model.Variant) string {
	if t.First == nil || first == nil {
		return ""
	}
	who, in, cause := "", "", ""
	if len(t.Broken) > 1 && t.First.At > 0 {
		who = say.F("the first to break may be %s, at %s tiles by interpolation", t.First.Member, words.Figures(t.First.At))
		if t.First.Shown {
			who = say.F("the first to break is %s, at %s tiles", t.First.Member, words.Figures(t.First.At))
		}
	}
	if t.First.Tile > 0 && t.Next > 1 {
		in = say.F("it is worst in tile %d of %d", t.First.Tile, t.Next)
	}
	if t.First.Cause != nil {
		cause = limit.GivesOut(first, "instance")
	}
	return words.Capital(strings.Join(words.NonEmpty([]string{who, in, cause}), "; "))
}

// tileScore is the score of the tiles that are carried, where it is known of more than the
// reference, and from where on tiles add nothing to it.
//
// Needs: The throughput of every member at that count and at the reference; more counts than the
// reference, or a published one.
func tileScore(t model.Tile) string {
	carried := scoreAt(t, t.Rung)
	if carried == 0 || t.Rung == t.Rungs[0].Tiles && !slices.ContainsFunc(t.References, func(r model.TileReference) bool { return r.Variant != t.Variant }) {
		return "" // the reference itself
	}
	text := say.F("The score at %s is %s", say.Count(t.Rung, "tile"), words.Figures(carried))
	if t.Flat > 0 {
		text += say.F("; %s add nothing to it (%s), and it is highest at %d (%s)", say.Count(t.Flat, "tile"), words.Figures(scoreAt(t, t.Flat)), t.Peak, words.Figures(scoreAt(t, t.Peak)))
	}
	return text
}

// scoreAt is the score of a number of tiles, 0 where it is not known.
func scoreAt(t model.Tile, tiles int) float64 {
	for _, r := range t.Rungs {
		if r.Tiles == tiles {
			return r.Score.Value
		}
	}
	return 0
}

// gateText states how many tiles meet every objective, and which members miss them above.
func gateText(t model.Tile, why []string) string {
	switch carries := say.Count(t.Rung, "tile"); {
	case t.Rung == 0 && t.Next == 0:
		return say.F("`%s` has no finished trial.", t.Variant)
	case t.Rung == 0:
		return say.F("`%s` carries not even %s: %s.", t.Variant, say.Count(t.Next, "tile"), reasons(t, why))
	case t.Next == 0:
		return say.F("`%s` carries %s, the most that was measured: every member keeps its objectives.", t.Variant, carries)
	default:
		return say.F("`%s` carries %s; at %d, %s.", t.Variant, carries, t.Next, reasons(t, why))
	}
}

// reasons names the members with the reason why each is broken. A reason common to all,
// such as a failed trial, is given alone.
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
		return say.F("nothing was measured")
	}
	var parts []string
	for _, i := range rung.Broken(r) {
		if i < len(objectives) && r.Repetitions > 0 {
			o := objectives[i]
			parts = append(parts, say.F("%s (%s)", BrokenText(v, o, r.Objectives[i]), ObjectiveText(o, v.Work)))
		}
	}
	if r.Break.Any() {
		parts = append(parts, r.Breaks)
	}
	if len(parts) == 0 {
		return say.F("%s failed", say.Count(r.Failed, "trial"))
	}
	return say.Join(parts)
}
