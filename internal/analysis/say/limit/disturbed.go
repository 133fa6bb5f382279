package limit

import (
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/text/words"
)

// Disturbed says that others used up what variants ran on, and which way that can have moved the
// answer; empty where they did not. Others can only lower throughput and load lines; a ratio of two they
// can move either way.
//
// Needs: A doubt: a resource that is used up where a line ends, by others, too; "stands" of one line
// without an upper end. Not of survival.
func Disturbed(a *model.Analysis) string {
	var most *resource.Resource
	var lines []*model.Variant
	for i := range a.Variants {
		v := &a.Variants[i]
		shared := sharedAt(loadline.Limiting(v.Rungs, v.LoadLine))
		if shared == nil {
			continue
		}
		if most == nil || shared.Other > most.Other {
			most = shared
		}
		lines = append(lines, v)
	}
	if most == nil {
		return ""
	}
	upTo := ""
	if len(lines) > 1 {
		upTo = say.F("up to ")
	}
	text := say.F("something else used %s%s of %s", upTo, words.Percent(most.Other), most.Plain())
	if most.Kind == resource.CPU {
		text = say.F("other programs used %s%s of %s's CPU", upTo, words.Percent(most.Other), say.MachineText(*most))
	}
	if reach := lines[0].LoadLine.Reach(); !a.Reply.ByThroughput() && len(lines) == 1 && reach.Extent == loadline.AtLeast {
		return say.F("Disturbed: %s. It can only have lowered what `%s` carries: at least %s stands.", text, lines[0].Name, words.Whole(reach.Low))
	}
	if len(lines) == 1 && len(a.Variants) > 1 {
		text = say.F("%s with `%s`", text, lines[0].Name)
	}
	moved := say.F("lowered")
	if a.Reply.ByThroughput() && a.Reply.Metric != "" {
		moved = say.F("raised") // times
	}
	if a.Reply.ByThroughput() && len(a.Variants) > 1 {
		return say.F("Disturbed: %s. That can only have %s these figures, and may have changed their ratios.", text, moved)
	}
	return say.F("Disturbed: %s, which can only have %s these figures.", text, moved)
}

// sharedAt is the resource at a rung that others use up as well; nil for none.
func sharedAt(r *rung.Rung) *resource.Resource {
	if r == nil {
		return nil
	}
	return resource.Shared(r.Resources)
}
