package limit

import (
	"cmp"
	"strings"

	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// InstanceText writes "p95 was 2.9 s on instance 5 (0.4 % of the orders, where 12 % would be
// even; on node worker-2, volume t3-db-005), and 48 ms over all".
//
// Needs: Figures of the single instances.
func InstanceText(v *model.Variant, o rung.ObjectiveResult, noun string) string {
	w := o.Worst
	name, value := o.Name(), words.Seconds
	if o.Metric == study.Undone {
		name = say.F("work that was offered and not done")
	}
	if o.Metric == study.Idle {
		name = v.Work.MetricOf(o.Operation).Rest
	}
	if o.IsShare() {
		value = words.Percent
	}
	text := say.F("%s was %s on %s %d", name, value(w.Value), say.Noun(noun), w.Instance)
	if w.Starved {
		text = say.F("%s %d starved: it completed %s, and its users waited for %s on average", say.Noun(noun), w.Instance,
			say.CountOf(int(w.Units), v.Work.Unit.Name, v.Work.Unit.Plural), value(w.Value))
	}
	return say.F("%s (%s), and %s over all", text, placeText(v, w.Share, w.Even, w.Machine, w.Volumes), value(o.Value))
}

// placeText says how much of the work an instance did, and where.
func placeText(v *model.Variant, share, even float64, machine string, volumes []string) string {
	text := say.F("%s of the %s, where %s would be even", words.Percent(share), v.Work.Unit.Plural, words.Percent(even))
	var where []string
	if machine != "" {
		where = append(where, say.F("on node %s", machine))
	}
	if len(volumes) > 0 {
		where = append(where, say.F("on volume %s", strings.Join(volumes, ", ")))
	}
	if len(where) > 0 {
		text += "; " + strings.Join(where, ", ")
	}
	return text
}

// Fairness says in words how evenly the instances were served where the line
// ends, if that is worth a sentence, and which could not be judged one by one.
func Fairness(s *setup.Subject, v *model.Variant) (model.Finding, bool) {
	r := loadline.Limiting(v.Rungs, v.LoadLine)
	if r == nil {
		return model.Finding{}, false
	}
	f := model.Finding{ID: "fairness-" + v.Name, Kind: model.FairnessFinding, Variant: v.Name, Rung: r.Instances, Trials: r.Trials, Numbers: map[string]float64{}}
	var parts []string
	if r.Fairness != nil && r.Fairness.Uneven != nil {
		parts = append(parts, unevenText(s, v, r, r.Fairness.Uneven))
		f.Numbers["jain"] = r.Fairness.Uneven.Jain
		f.Cause = &diagnose.Cause{Kind: diagnose.Uneven, Instance: r.Fairness.Uneven.Least}
	}
	for _, o := range r.Objectives {
		if o.Worst != nil && o.Worst.Starved {
			f.Cause = &diagnose.Cause{Kind: diagnose.Starving, Instance: o.Worst.Instance}
		}
		if few := tooFewText(v, o, s.Noun); few != "" {
			parts = append(parts, few)
			f.Numbers["too_few"] = float64(o.Worst.TooFew)
		}
	}
	f.Text = strings.Join(parts, " ")
	return f, f.Text != ""
}

// unevenText puts Jain's index in words: of n instances, an index J is as if J*n of
// them had shared all the work evenly (Jain, Chiu and Hawe, DEC-TR-301, 1984).
//
// Needs: Work of each instance, uneven beyond chance; an objective that all together keep.
func unevenText(s *setup.Subject, v *model.Variant, r *rung.Rung, u *rung.Imbalance) string {
	return say.F("The %s of `%s` were not served alike at %s: Jain's index was %.2f in trial %s, as if %.1f of %d had shared the work evenly and the others had got none. %s %d did least (%s).",
		say.Noun(s.Noun+"s"), v.Name, say.Count(r.Instances, s.Noun), u.Jain, u.Trial, u.Jain*float64(u.Of), u.Of,
		words.Capital(say.Noun(s.Noun)), u.Least, placeText(v, u.Share, 1/float64(u.Of), u.Machine, u.Volumes))
}

// tooFewText says that instances lie beyond a limit on too little work to be judged.
func tooFewText(v *model.Variant, o rung.ObjectiveResult, noun string) string {
	if o.Worst == nil || o.Worst.TooFew == 0 || !o.Kept {
		return ""
	}
	return say.F("%s of `%s` had a %s beyond the limit in a trial, on too few %s to judge by %s: all together keep it.",
		words.Capital(say.Count(o.Worst.TooFew, noun)), v.Name, o.Name(), cmp.Or(o.Operation, v.Work.Unit.Plural), say.Noun(noun))
}
