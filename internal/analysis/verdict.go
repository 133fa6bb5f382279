package analysis

import (
	"fmt"
	"sort"
	"strings"

	"plimsoll/internal/study"
)

// verdict is one sentence per variant, the one that carries most first.
func verdict(a *Analysis) []Sentence {
	order := make([]int, len(a.Variants))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return better(&a.Variants[order[i]], &a.Variants[order[j]]) })
	out := make([]Sentence, 0, len(order))
	for _, i := range order {
		v := &a.Variants[i]
		out = append(out, Sentence{Variant: v.Name, Text: sentence(v, a.Study)})
	}
	return out
}

// better orders variants by their load line, then by the throughput there.
func better(a, b *Variant) bool {
	if a.LoadLine.Count.Value != b.LoadLine.Count.Value {
		return a.LoadLine.Count.Value > b.LoadLine.Count.Value
	}
	return throughputAt(a, a.LoadLine.Rung) > throughputAt(b, b.LoadLine.Rung)
}

func throughputAt(v *Variant, instances int) float64 {
	if r := v.rung(instances); r != nil {
		return r.Throughput.Value
	}
	return 0
}

// rung finds the rung with so many instances, nil when there is none.
func (v *Variant) rung(instances int) *Rung {
	for i := range v.Rungs {
		if v.Rungs[i].Instances == instances {
			return &v.Rungs[i]
		}
	}
	return nil
}

// sentence says what a variant carries and what gives out first.
func sentence(v *Variant, s StudyInfo) string {
	text := carries(v, s)
	if v.LoadLine.Unstable {
		text += "; a larger rung passed again, so the line is unstable"
	}
	if b := givesOut(v); b != "" {
		text += "; " + b
	}
	return text
}

func carries(v *Variant, s StudyInfo) string {
	l, name := v.LoadLine, "`"+v.Name+"`"
	within := objectivesText(s.Objectives)
	switch {
	case len(v.Rungs) == 0:
		return name + " has no finished trial"
	case allFailed(v.Rungs):
		return name + " failed in every trial"
	case len(s.Objectives) == 0:
		return fmt.Sprintf("%s reaches %s %s at %s (the study sets no objective)", name,
			figures(throughputAt(v, l.Rung)), s.Unit, count(l.Rung, "instance"))
	case l.Open:
		return fmt.Sprintf("%s carries at least %s within %s, the most that were tried", name, count(l.Rung, "instance"), within)
	case l.Rung == 0:
		return fmt.Sprintf("%s does not keep %s at %s, the fewest that were tried", name, within, count(v.Rungs[0].Instances, "instance"))
	}
	noun := " instances"
	if l.Count.Value == 1 && l.Count.High == 1 {
		noun = " instance"
	}
	return name + " carries " + lineWithNoun(l, noun) + " within " + within
}

// lineWithNoun writes "12 instances (11–13)", or the bracket of rungs where
// there is no interval to give.
func lineWithNoun(l LoadLine, noun string) string {
	text := thousands(l.Count.Value) + noun
	if l.Count.Confidence > 0 && l.Count.Low != l.Count.High {
		return fmt.Sprintf("%s (%s–%s)", text, thousands(l.Count.Low), thousands(l.Count.High))
	}
	if l.Count.Value != float64(l.Rung) || l.Next > l.Rung+1 {
		return fmt.Sprintf("%s (interpolated: %d kept, %d did not)", text, l.Rung, l.Next)
	}
	return text
}

func allFailed(rungs []Rung) bool {
	for _, r := range rungs {
		if r.Repetitions > 0 {
			return false
		}
	}
	return true
}

// objectivesText writes the objectives as a reader says them: "p95 ≤ 200 ms".
func objectivesText(objectives []study.Objective) string {
	parts := make([]string, 0, len(objectives))
	for _, o := range objectives {
		parts = append(parts, prettyObjective(o))
	}
	return join(parts)
}

func prettyObjective(o study.Objective) string {
	limit := seconds(o.Limit)
	if o.Metric == "errors" || o.Metric == "rolledback" {
		limit = percent(o.Limit)
	}
	text := o.Metric + " ≤ " + limit
	if !isOrder(o.Operation) {
		text = o.Operation + " " + text
	}
	return strings.Replace(text, "rolledback", "rolled back", 1)
}

// givesOut names the resource closest to saturation where the line lies.
func givesOut(v *Variant) string {
	r := limitingRung(v)
	if r == nil || len(r.Resources) == 0 {
		return ""
	}
	top := r.Resources[0]
	if top.Utilisation < saturated {
		return fmt.Sprintf("nothing measured is saturated (%s %s busy at %s)", plainName(top), percent(top.Utilisation), count(r.Instances, "instance"))
	}
	return fmt.Sprintf("%s gives out first (%s busy at %s)", plainName(top), percent(top.Utilisation), count(r.Instances, "instance"))
}

// saturated is the mean utilisation from which a resource is taken to limit.
// A single server answers ten times slower at 90 % than when idle (M/M/1,
// R = S/(1-U); Kleinrock, "Queueing Systems", 1975).
const saturated = 0.9

// limitingRung is where to look for the bottleneck: the first rung that broke
// an objective, or the largest measured one.
func limitingRung(v *Variant) *Rung {
	if r := v.rung(v.LoadLine.Next); r != nil && r.Repetitions > 0 {
		return r
	}
	for i := len(v.Rungs) - 1; i >= 0; i-- {
		if v.Rungs[i].Repetitions > 0 {
			return &v.Rungs[i]
		}
	}
	return nil
}
