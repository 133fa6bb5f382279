package verdict

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/say/warning"
	"plimsoll/internal/text/words"
)

// mostDoubts are named in the line of a bound, in each direction.
const mostDoubts = 2

// Bounded writes the texts of a bound: "may be 3 % too low because of short
// phases, or 6 % too high because of data in memory. That is 2,023 to 2,217 OPM".
//
// Needs: The bound of each doubt about the figures that the answer rests on, and their sum.
func Bounded(a *model.Analysis, shipped bool) *model.AnswerBound {
	if a.Bound == nil {
		return nil
	}
	b := *a.Bound
	within := func(off bound.Bound, low, high float64) string {
		if off.Open || b.Figure <= 0 {
			return ""
		}
		return rangeText(a, b, low, high)
	}
	b.Measured, b.Range = rangeText(a, b, b.Figure, b.Figure), within(b.Bound, b.Low, b.High)
	b.Doubts = slices.Clone(b.Doubts)
	cured := func(c *model.Cure) *model.Cure {
		if c == nil {
			return nil
		}
		out := *c
		out.Text = cureText(a, out, b.Bound, shipped)
		return &out
	}
	for i := range b.Doubts {
		d := &b.Doubts[i]
		d.Text, d.Cure, d.Range = warning.Doubted(d.Kind), cured(d.Cure), within(d.Bound, d.Low, d.High)
	}
	b.Cure, b.Text = cured(b.Cure), boundText(a, b)
	return &b
}

func boundText(a *model.Analysis, b model.AnswerBound) string {
	text := sizeText(b)
	if text == "" {
		return ""
	}
	if len(a.Variants) > 1 && b.Variant != "" {
		text = say.F("`%s` %s", b.Variant, text)
	}
	if b.Range != "" {
		text = say.F("%s. That is %s", text, b.Range)
	}
	if all := listText(a, b); all != "" {
		text = say.F("%s: %s", text, all)
	}
	if b.Turns {
		text = say.F("%s. Within that the answer could be the opposite", text)
	}
	return text
}

// listText is the time for all items of a list in the range of its throughput: "all queries in 34 to 73 s". It is
// empty for other work, and where the bound is in seconds itself.
//
// Needs: The time for the whole list, and the bound of its throughput.
func listText(a *model.Analysis, b model.AnswerBound) string {
	if len(a.Lists) == 0 || b.Range == "" || b.Unit == "s" || b.Unit == "" || b.Low <= 0 {
		return ""
	}
	for _, c := range a.Lists[0].Columns {
		if c.Variant == b.Variant && c.Total.Value > 0 {
			fast, slow := words.Seconds(c.Total.Value*b.Figure/b.High), words.Seconds(c.Total.Value*b.Figure/b.Low)
			return say.F("all %s in %s to %s", a.Study.Work.Unit.Plural, fast, slow)
		}
	}
	return ""
}

func sizeText(b model.AnswerBound) string {
	if b.Open {
		return say.F("may be off by more than the run can tell because of %s", because(b.Doubts, func(d model.Doubt) float64 {
			if d.Open {
				return 1
			}
			return 0
		}))
	}
	low, high := percent(b.TooLow), percent(b.TooHigh)
	lows := because(b.Doubts, func(d model.Doubt) float64 { return d.TooLow })
	highs := because(b.Doubts, func(d model.Doubt) float64 { return d.TooHigh })
	switch {
	case low == "" && high == "":
		return ""
	case high == "":
		return say.F("may be %s too low because of %s", low, lows)
	case low == "":
		return say.F("may be %s too high because of %s", high, highs)
	case lows == highs && low == high:
		return say.F("may be %s too low or too high because of %s", low, lows)
	case lows == highs:
		return say.F("may be %s too low or %s too high because of %s", low, high, lows)
	}
	return say.F("may be %s too low because of %s, or %s too high because of %s", low, lows, high, highs)
}

// rangeText writes two figures in the unit of a bound, or one where they read alike: "2,023 to 2,217 OPM".
func rangeText(a *model.Analysis, b model.AnswerBound, low, high float64) string {
	from, to := words.Figures(low), words.Figures(high)
	of := func(text string) string { return say.F("%s %s", text, b.Unit) }
	switch b.Unit {
	case "s":
		from, to = words.Seconds(low), words.Seconds(high)
		of = func(text string) string { return text }
	case "":
		of = func(text string) string { return say.F("%s times", text) }
	case a.Study.Noun:
		few, many := whole(low), whole(high)
		from, to = words.Whole(few), words.Whole(many)
		of = func(string) string { return say.Count(many, b.Unit) }
	}
	if from == to {
		return of(to)
	}
	return say.F("%s to %s", from, of(to))
}

// whole is how many whole instances a line carries.
func whole(line float64) int {
	const rounding = 1e-9
	return int(math.Floor(line + rounding))
}

// percent is a share in two digits; empty for less than half of a hundredth.
func percent(share float64) string {
	if share < 0.005 {
		return ""
	}
	v := share * 100
	if v > 99.5 {
		step := math.Pow(10, math.Floor(math.Log10(v))-1)
		v = math.Round(v/step) * step
	}
	return say.F("%s %%", words.Thousands(math.Round(v)))
}

// because names the gravest of doubts by a size.
func because(doubts []model.Doubt, size func(model.Doubt) float64) string {
	sorted := slices.DeleteFunc(slices.Clone(doubts), func(d model.Doubt) bool { return size(d) <= 0 })
	slices.SortStableFunc(sorted, func(x, y model.Doubt) int { return cmp.Compare(size(y), size(x)) })
	var names []string
	for _, d := range sorted {
		if text := warning.Doubted(d.Kind); !slices.Contains(names, text) {
			names = append(names, text)
		}
	}
	return say.Join(names[:min(len(names), mostDoubts)])
}

// cureText says what would shrink a bound, with which command, and how long that takes: "run `plimsoll run
// quickstart --set repetitions=3`. That brings 12 % down to 7 %, and takes about 9 min". For a study that is not shipped it
// names only the settings, because its file is unknown here.
//
// Needs: A setting that takes a quarter off the bound or betters its grade, or, where something else was seen on the
// machine, a quiet one.
func cureText(a *model.Analysis, c model.Cure, was bound.Bound, shipped bool) string {
	how := say.F("run it again")
	switch {
	case shipped:
		how = say.F("run `%s`", command(a, c.Set))
	case len(c.Set) > 0:
		how = say.F("run it with `%s`", strings.Join(flags(c.Set), " "))
	}
	if c.Guests {
		how = say.F("%s where the hypervisor gives no CPU to other guests", how)
	}
	if c.Idle {
		how = say.F("%s while nothing else runs on the machine", how)
	}
	then := cmp.Or(percent(c.Left.Size()), "0 %")
	switch takes := c.Minutes >= 0.5; {
	case was.Open && takes:
		return say.F("%s. That takes about %.0f min, and the answer is then at most about %s off", how, c.Minutes, then)
	case was.Open:
		return say.F("%s. The answer is then at most about %s off", how, then)
	case takes:
		return say.F("%s. That brings %s down to %s, and takes about %.0f min", how, percent(was.Size()), then, c.Minutes)
	}
	return say.F("%s. That brings %s down to %s", how, percent(was.Size()), then)
}
