package verdict

import (
	"slices"
	"sort"
	"strings"

	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/pairwise"
	"plimsoll/internal/analysis/price"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/text/words"
)

// Leading are the leading questions of the study's readers, a paragraph each,
// with the figure that proves it.
//
// Needs: “Which configuration performs best? How does performance scale as load grows? Where is the
// bottleneck, and what removes it?”: a variant with a throughput; a bottleneck or effect for the last.
// “How many … fit within the limit?”: a question of capacity or survival. “Which storage class does
// this workload need?”: variants on several storages. “How long does a checkpoint take, and what does
// it cost? …: a checkpoint takes 1.9 s (0.56 GB/s) and a restore 0.8 s (1.3 GB/s)”: work that saves
// the state of other work (`Saves` of the profile); mean times and bytes of both operations at the
// smallest rung.
func Leading(a *model.Analysis) []model.Answer {
	measured := measuredVariants(a.Variants)
	if len(measured) == 0 {
		return nil
	}
	caveat := caveatOf(a)
	out := []model.Answer{
		{Question: say.F("Which configuration performs best?"), Text: ofEachUnit(ofEachWork(bestSetUp))(a, measured) + caveat, Figure: "throughput"},
	}
	if !a.Reply.ByThroughput() {
		out = append(out, model.Answer{Question: say.F("How many %s fit within the limit?", say.Noun(a.Study.Noun+"s")), Text: howMany(measured, a.Study) + caveat, Figure: "response"})
	}
	out = append(out, model.Answer{Question: say.F("How does performance scale as load grows?"), Text: howItScales(measured), Figure: "model-" + measured[0].Name})
	if ofStorages(measured) {
		out = append(out, model.Answer{Question: say.F("Which storage class does this workload need?"), Text: ofEachUnit(whichStorage)(a, measured) + caveat, Figure: "throughput"})
	}
	if text := whereItLimits(measured, a.Findings); text != "" {
		figure := "throughput"
		if len(measured[0].Rungs[0].Resources) > 0 {
			figure = "utilisation"
		}
		out = append(out, model.Answer{Question: say.F("Where is the bottleneck, and what removes it?"), Text: text, Figure: figure})
	}
	if text := savingTimes(measured); text != "" {
		out = append(out, model.Answer{Question: say.F("How long does a %s take, and what does it cost?", a.Study.Work.Saves.Save), Text: text + caveat})
	}
	return append(append(out, ofLists(a)...), PriceAnswers(a.Prices, a.Study.Work.Unit.Name)...)
}

// PriceAnswers are the questions about what variants carry for their price, counted in units
// of a name.
func PriceAnswers(p *price.Prices, unit string) []model.Answer {
	if p == nil || len(p.Text) == 0 {
		return nil
	}
	return []model.Answer{{Question: say.F("What does %s cost?", say.A(unit)), Text: strings.Join(p.Text, " "), Figure: "price-performance"}}
}

// ofLists are the questions about the items of a list, at its smallest rung.
//
// Needs: A workload with a list of work; for the first, two variants that ran it.
func ofLists(a *model.Analysis) (out []model.Answer) {
	if len(a.Lists) == 0 {
		return nil
	}
	l := a.Lists[0]
	figure := say.F("items-%d", l.Rung)
	if len(l.Differ) > 0 {
		out = append(out, model.Answer{Question: say.F("Which %s differ?", a.Study.Work.Unit.Plural), Text: strings.Join(l.Differ, " "), Figure: figure})
	}
	return append(out, model.Answer{Question: say.F("What would a faster store give?"), Text: strings.Join(l.Store, " "), Figure: figure})
}

// ofStorages reports whether several storages were measured.
func ofStorages(variants []*model.Variant) bool {
	return slices.ContainsFunc(variants, func(v *model.Variant) bool { return v.Factors["storage"] != variants[0].Factors["storage"] })
}

// caveatOf is what a reader of one answer alone must know: a grade that doubts the figures,
// with its most serious reason, and what is simulated.
//
// Needs: A grade of C or worse, and its gravest warning; a simulated medium; a reduced profile.
func caveatOf(a *model.Analysis) string {
	text := ""
	if a.Grade >= "C" {
		text = say.F(" These trials are graded %s.", a.Grade)
		if a.GradeReason != "" {
			text = say.F(" These trials are graded %s: %s.", a.Grade, a.GradeReason)
		}
	}
	if w := a.Run.Within; w != nil {
		text += " " + withinText(w) + "."
	}
	if a.Run.Simulated {
		text += say.F(" The medium is simulated.")
	}
	if a.Study.Reduced {
		text += say.F(" The profile is reduced.")
	}
	return text
}

// withinText says that no network was measured, whatever the study calls its storage.
//
// Needs: A doubt: streams of bytes to a server of the run that keeps nothing, and driver and server of
// each trial on one machine.
func withinText(w *model.LocalTraffic) string {
	return say.F("Driver and %s shared one machine: no %s crossed a network", w.Role, w.User)
}

// measuredVariants are those with a throughput, the best within the
// objectives first.
func measuredVariants(variants []model.Variant) []*model.Variant {
	var out []*model.Variant
	for i := range variants {
		if rung.First(variants[i].Rungs) != nil {
			out = append(out, &variants[i])
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return bestKept(out[i]) > bestKept(out[j]) })
	return out
}

// bestKept is a variant's highest throughput within the objectives.
func bestKept(v *model.Variant) float64 {
	if i := rung.Best(v.Rungs, func(r rung.Rung) bool { return r.Kept }); i >= 0 {
		return v.Rungs[i].Throughput.Value
	}
	return 0
}

// answerer answers a question about some variants, those that did best first.
type answerer func(*model.Analysis, []*model.Variant) string

// ofEachUnit answers a question that compares throughput once for each unit, where variants
// count in different units.
//
// Needs: Variants of different units are answered apart.
func ofEachUnit(answer answerer) answerer {
	unit := func(_ *model.Analysis, v *model.Variant) string { return v.Work.Unit.Throughput }
	return func(a *model.Analysis, variants []*model.Variant) string {
		byUnit := slices.SortedStableFunc(slices.Values(variants), func(x, y *model.Variant) int { return strings.Compare(unit(a, x), unit(a, y)) })
		return ofEach(say.F("Of those that count"), unit, answer)(a, byUnit)
	}
}

// ofEachWork answers for each kind of work by itself: reads are not faster storage than
// writes, and with a web tier, storage may not matter that decides without it.
func ofEachWork(answer answerer) answerer { return ofEach(say.F("With"), workOf, answer) }

// ofEach answers for the variants of each group by themselves, in the order of their
// first ones.
func ofEach(intro string, group func(*model.Analysis, *model.Variant) string, answer answerer) answerer {
	return func(a *model.Analysis, variants []*model.Variant) string {
		members := map[string][]*model.Variant{}
		var groups []string
		for _, v := range variants {
			name := group(a, v)
			if members[name] == nil {
				groups = append(groups, name)
			}
			members[name] = append(members[name], v)
		}
		if len(groups) == 1 {
			return answer(a, variants)
		}
		texts := make([]string, len(groups))
		for i, name := range groups {
			texts[i] = say.F("%s %s: %s", intro, name, answer(a, members[name]))
		}
		return strings.Join(texts, " ")
	}
}

// bestSetUp names the variant with the highest throughput within the objectives.
//
// Needs: The highest throughput of the rungs that keep them.
func bestSetUp(a *model.Analysis, variants []*model.Variant) string {
	best := variants[0]
	if bestKept(best) == 0 {
		return say.F("No tested variant meets the objectives at any rung.")
	}
	if a.Study.OpenLoop && len(a.Study.Objectives) > 0 {
		return bestAtRate(a, variants)
	}
	r := best.Rungs[rung.Best(best.Rungs, func(r rung.Rung) bool { return r.Kept })]
	text := say.F("`%s`: %s at %s%s (%s)", best.Name, say.FigureText(r.Throughput, best.Work.Unit.Throughput), say.Count(r.Instances, a.Study.Noun), within(a.Study), say.TimesMeasured(&r))
	if len(variants) > 1 && bestKept(variants[1]) > 0 {
		text += ahead(a, best, variants[1])
	}
	return text + "."
}

// bestAtRate distinguishes open-loop variants, whose throughput is the offered rate, by the
// load that they carry and by p99 there.
//
// Needs: An open loop; the two variants that carry most, p99 at the line.
func bestAtRate(a *model.Analysis, variants []*model.Variant) string {
	var parts []string
	for _, v := range byRank(variants, rateRank)[:min(2, len(variants))] {
		text := say.F("`%s` carries %s", v.Name, say.LineRange(v.LoadLine, a.Study.Noun))
		if r := rung.Find(v.Rungs, v.LoadLine.Rung); r != nil && r.Percentile["p99"] > 0 {
			text += say.F(", with a p99 of %s at %d", words.Seconds(r.Percentile["p99"]), r.Instances)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ") + "."
}

// within says that objectives were kept, where there are any.
func within(s model.StudyInfo) string {
	if len(s.Objectives) == 0 {
		return ""
	}
	return say.F(" within the objectives")
}

// ahead says by how much the best variant is ahead of the next, which the best
// rungs of both do not tell: they may differ by chance.
//
// Needs: The ratio at the common rungs of the two, with its interval; rungs in common.
func ahead(a *model.Analysis, best, next *model.Variant) string {
	c := pairwise.ContrastOf(a, next, best)
	if c.Published {
		return say.F(", %s times that of the next best, `%s`", say.Times(bestKept(best)/bestKept(next), 3), next.Name)
	}
	order := c.Order()
	if order == pairwise.NoRung {
		return say.F("; `%s`, the next best, was measured at different rungs, so which is faster is undecided", next.Name)
	}
	held := say.F("%s %s", say.ChangeText("throughput", c.Mean()), say.RungsText(c, a.Study.Noun))
	switch order {
	case pairwise.Unrepeated:
		return say.F("; whether that is more than the next best, `%s`, is undecided, because there are too few repetitions (%s)", next.Name, held)
	case pairwise.More:
		return say.F("; more than the next best, `%s`: %s", next.Name, held)
	case pairwise.Less:
		return say.F("; but less than the next best, `%s`, at the rungs where both were measured: %s", next.Name, held)
	}
	return say.F("; whether that is more than the next best, `%s`, is undecided: %s", next.Name, held)
}

func howMany(variants []*model.Variant, s model.StudyInfo) string {
	if len(s.Objectives) == 0 {
		return say.F("The study sets no objective, so the only limit is the largest rung that was tried.")
	}
	var parts, open []string
	for _, v := range variants {
		parts = append(parts, say.F("%s on `%s` (%s)", say.LineRange(v.LoadLine, s.Noun), v.Name, restsOn(v)))
		if text := doubts(v); text != "" {
			open = append(open, say.F("On `%s`, %s", v.Name, text))
		}
	}
	return words.Sentences(append([]string{say.F("Within %s: %s", objectivesText(s), say.Join(parts))}, open...)...)
}

func howItScales(variants []*model.Variant) string {
	parts := make([]string, 0, len(variants))
	for _, v := range variants {
		if text := scaling(v); text != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return say.F("Only one rung was measured, so nothing can be said about scaling.")
	}
	return strings.Join(parts, " ")
}

// scaling states the efficiency at the largest rung, and where throughput peaked if the
// repetitions distinguish the peak from noise.
//
// Needs: “reaches 80 % of linear scaling at …”: two rungs. “is past its measured peak at …”:
// throughput there is clearly more than at the largest rung.
func scaling(v *model.Variant) string {
	n, x := rung.Throughputs(v.Rungs)
	if len(n) < 2 {
		return ""
	}
	last := len(n) - 1
	linear := stats.Ratio(x[last]/n[last], x[0]/n[0])
	text := say.F("`%s` reaches %s of linear scaling at %s", v.Name, words.Percent(linear), words.Figures(n[last]))
	if peak := rung.PastPeak(v.Rungs); peak > 0 {
		text += say.F(" and is past its measured peak at %d", peak)
	} else if half := halfLinear(n, x); half > 0 {
		text += say.F(" and first falls below half at %s", words.Figures(half))
	}
	return text + "."
}

// halfLinear is the first count at which less than half of linear growth is
// left, 0 for none.
func halfLinear(n, x []float64) float64 {
	for i := range n {
		if x[i]/n[i] < 0.5*x[0]/n[0] {
			return n[i]
		}
	}
	return 0
}

func whichStorage(a *model.Analysis, variants []*model.Variant) string {
	if len(bestByStorage(variants)) < 2 {
		return storageFor(a, variants) // says so, once
	}
	return ofEachWork(storageFor)(a, variants)
}

// workOf names what of a variant's factors makes the work another one: "tier web".
func workOf(a *model.Analysis, v *model.Variant) string {
	var parts []string
	for _, f := range a.Factors {
		if level := v.Factors[f.Path]; model.ParameterOf(f.Path) != "" && level != "" {
			parts = append(parts, f.Name+" "+level)
		}
	}
	return say.Join(parts)
}

// storageFor compares the best variant of each storage class.
func storageFor(a *model.Analysis, variants []*model.Variant) string {
	best := bestByStorage(variants)
	if len(best) < 2 {
		return say.F("Only one storage class was tried.")
	}
	first, second := best[0], best[1]
	name := func(v *model.Variant) string { return "`" + v.Factors["storage"] + "`" }
	switch {
	case bestKept(first) == 0:
		return say.F("No tested variant meets the objectives.")
	case bestKept(second) == 0:
		return say.F("%s: %s does not meet the objectives at any rung.", words.Capital(name(first)), name(second))
	}
	if a.Run.Reference != "" {
		return publishedStorage(first, second, a.Study, name)
	}
	return storageText(a, first, second, name)
}

// publishedStorage takes figures as they are: their repetitions are not known.
//
// Needs: Published figures.
func publishedStorage(first, second *model.Variant, s model.StudyInfo, name func(*model.Variant) string) string {
	a, b := bestKept(first), bestKept(second)
	if a/b < 1+pairwise.Moved && closeLines(first.LoadLine, second.LoadLine) {
		return say.F("It makes little difference: %s gives %s more than %s%s.", name(first), words.PercentChange(a/b-1), name(second), within(s))
	}
	return say.F("%s gives %s times the throughput of %s%s%s.", name(first), say.Times(a/b, 3), name(second), within(s), willDo(second, s, name))
}

// willDo says how many instances the slower storage surely carries.
//
// Needs: The lower end of the load line of the slower storage.
func willDo(v *model.Variant, s model.StudyInfo, name func(*model.Variant) string) string {
	if l := v.LoadLine; l.Count.Low >= 1 && !l.Open {
		return say.F("; up to %s, %s is enough", say.Count(int(l.Count.Low), s.Noun), name(v))
	}
	return ""
}

// storageText says which storage does more at the common rungs and carries more,
// or that it is not decided.
//
// Needs: The intervals of the load lines, or of the ratio at the common rungs, within 10 % for "little
// difference".
func storageText(a *model.Analysis, first, second *model.Variant, name func(*model.Variant) string) string {
	c := pairwise.ContrastOf(a, second, first)
	if len(c.Rungs) == 0 {
		return say.F("Undecided: %s and %s have no rung in common.", name(first), name(second))
	}
	mean, lines := c.Mean(), first.LoadLine.Against(second.LoadLine)
	held := say.F("%s does %s against %s %s", name(first), say.ChangeText("throughput", mean), name(second), say.RungsText(c, a.Study.Noun))
	carry := say.F("%s carries %s, %s %s", name(first), say.LineRange(first.LoadLine, a.Study.Noun), name(second), say.LineRange(second.LoadLine, a.Study.Noun))
	switch {
	case lines == loadline.CarriesMore || lines == loadline.CarriesFewer:
		return say.F("%s; %s%s.", words.Capital(carry), held, willDo(second, a.Study, name))
	case len(first.Rungs) == 1 && len(second.Rungs) == 1: // there is no line to be seen
		return words.Capital(held) + "."
	case c.Stands(mean) == pairwise.Gained || c.Stands(mean) == pairwise.Lost:
		return say.F("%s. %s; which carries more is undecided.", words.Capital(held), words.Capital(carry))
	case c.Stands(mean) == pairwise.Steadied:
		return say.F("It makes little difference to throughput: %s. %s; which carries more is undecided.", held, words.Capital(carry))
	}
	return say.F("Undecided: %s; %s.", held, carry)
}

func closeLines(a, b loadline.LoadLine) bool {
	return a.Open && b.Open || stats.Ratio(a.Count.Value, b.Count.Value) < 1.15
}

// bestByStorage keeps the first variant of each storage class.
func bestByStorage(variants []*model.Variant) []*model.Variant {
	var out []*model.Variant
	seen := map[string]bool{}
	for _, v := range variants {
		if level := v.Factors["storage"]; level != "" && !seen[level] {
			seen[level] = true
			out = append(out, v)
		}
	}
	return out
}

// whereItLimits joins the bottleneck findings with the experiments that would
// prove them, and what varying a resource has already proved.
func whereItLimits(variants []*model.Variant, findings []model.Finding) string {
	var parts []string
	for _, v := range variants {
		for _, f := range findings {
			if f.Variant == v.Name && (f.Kind == model.BottleneckFinding || f.Kind == model.EffectFinding) {
				parts = append(parts, words.NonEmpty([]string{f.Text, f.Next})...)
			}
		}
	}
	return strings.Join(parts, " ")
}
