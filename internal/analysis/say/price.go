package say

import (
	"math"

	"plimsoll/internal/analysis/price"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
	"plimsoll/internal/text/words"
)

// SetPriceWords writes the conclusions: each configuration against the cheapest, the
// cheapest that keeps the objectives, and the break-even. Unit is the common unit of work.
//
// Needs: A bill, and throughput within the objectives.
func SetPriceWords(p *price.Prices, unit describe.Unit) {
	if p == nil {
		return
	}
	texts := []string{}
	if len(p.Configurations) > 1 {
		base := p.Configurations[0]
		for _, c := range p.Configurations[1:] {
			texts = append(texts, compareConfigurations(base, c, p)...)
		}
	}
	if best := p.CheapestPerUnit(); best != nil {
		texts = append(texts, F("The cheapest %s is on `%s`: %s %s for the period, at %s.",
			oneOf(unit), best.Name, words.Money(best.PerUnit), p.Currency, Count(best.At, p.Noun)))
	}
	p.Text = texts
}

// oneOf writes one of what the throughput counts: "file per second", "MB/s".
func oneOf(u describe.Unit) string {
	switch {
	case u.Bytes:
	case u.Seconds == 1:
		return F("%s per second", u.Name)
	case u.Seconds == 60:
		return F("%s per minute", u.Name)
	case u.Seconds == 3600:
		return F("%s per hour", u.Name)
	}
	return u.Throughput
}

// compareConfigurations holds the bill and the throughput of a configuration against the cheapest.
//
// Needs: The bills of both, and what each does within the objectives.
func compareConfigurations(a, b price.Configuration, p *price.Prices) []string {
	r := price.Relate(a, b)
	text := F("`%s` costs %s more than `%s` (%s against %s %s)", b.Name, words.PercentChange(r.Dearer), a.Name, words.Thousands(b.Total), words.Thousands(a.Total), p.Currency)
	switch {
	case a.Throughput == 0 && b.Throughput == 0:
		return []string{F("%s; neither meets the objectives at any rung.", text)}
	case b.Throughput == 0:
		return []string{F("%s and does not meet the objectives at any rung.", text)}
	case a.Throughput == 0:
		return []string{F("%s; `%s` does not meet the objectives at any rung.", text, a.Name)}
	}
	text += F(" and gives %s throughput within the objectives (%s against %s), so each %s is %s %s.",
		moreOrLess(r.Faster), words.Thousands(b.Throughput), amountText(p, a.Throughput), p.Unit, words.PercentChange(math.Abs(r.PerUnitGain)), cheaperOrDearer(r.PerUnitGain))
	return []string{text, breakEven(a, b, p)}
}

// amountText writes a throughput: "1,200 OPM", or "2 tiles" where that is what rungs count.
func amountText(p *price.Prices, throughput float64) string {
	if p.Unit == p.Noun {
		return Count(int(throughput), p.Noun)
	}
	return words.Thousands(throughput) + " " + p.Unit
}

// breakEven says from how many instances the dearer configuration is the
// cheaper way. Sets are bought whole: one of a carries up to its load line, and
// each further one costs as much again.
//
// Needs: Load lines of both that are one count each; sets are bought whole.
func breakEven(a, b price.Configuration, p *price.Prices) string {
	noun := p.Noun
	switch {
	case a.LoadLine < 1 && b.LoadLine < 1:
		return F("Neither carries even one %s.", Noun(noun))
	case a.LoadLine < 1:
		return F("`%s` cannot carry a single %s, so `%s` pays off from the first.", a.Name, Noun(noun), b.Name)
	case a.Open:
		return F("Up to %s, the largest rung tried, `%s` also meets the objectives and is cheaper; the break-even point of `%s` is beyond what was measured, unless throughput matters.",
			Count(int(a.LoadLine), noun), a.Name, b.Name)
	}
	carriesA, carriesB := int(a.LoadLine), int(b.LoadLine)
	if a.Total > 0 && a.Total == b.Total {
		return equalPrice(a, b, p)
	}
	sets := int(math.Ceil(stats.Ratio(b.Total, a.Total))) // of a that cost as much as one of b, or more
	if text := uncertainBreakEven(a, b, sets, p); text != "" {
		return text
	}
	from := (sets-1)*carriesA + 1
	if a.Total > 0 && from <= carriesB {
		return F("Up to %s `%s` is cheaper; %s it takes %s of it (%s %s), so one set of `%s` costs no more (%s).",
			Count(from-1, noun), a.Name, countsText(from, carriesB), setsText(sets, price.SetsFor(carriesB, carriesA)), setsPrice(a, sets, price.SetsFor(carriesB, carriesA)), p.Currency, b.Name, words.Thousands(b.Total))
	}
	text := F("`%s` never breaks even: up to the %d that one set of it carries", b.Name, carriesB)
	if b.Open {
		text = F("`%s` does not break even up to the %d that were tried", b.Name, carriesB)
	}
	sets = price.SetsFor(carriesB, carriesA)
	return F("%s, %s of `%s` for %s %s would do, against %s.", text, Count(sets, "set"), a.Name, words.Thousands(float64(sets)*a.Total), p.Currency, words.Thousands(b.Total))
}

// equalPrice is for two bills of the same total.
//
// Needs: Two bills of the same total.
func equalPrice(a, b price.Configuration, p *price.Prices) string {
	if b.LoadLine > a.LoadLine {
		a, b = b, a
	}
	return F("Both cost the same: `%s` carries %s and `%s` %s.", a.Name, carriedText(a, p.Noun), b.Name, carriedText(b, p.Noun))
}

// uncertainBreakEven is for load lines known only as a range: a single count would claim
// more precision than they have. It is empty if both are exact.
//
// Needs: A load line that is a range.
func uncertainBreakEven(a, b price.Configuration, sets int, p *price.Prices) string {
	lowA, highA := a.Ends()
	lowB, highB := b.Ends()
	if lowA == highA && (lowB == highB || b.Open) {
		return ""
	}
	text := F("`%s` carries %s and `%s` %s, so the break-even point is known no better", a.Name, carriedText(a, p.Noun), b.Name, carriedText(b, p.Noun))
	from, to := float64(sets-1)*lowA+1, float64(sets-1)*highA+1
	switch {
	case sets < 1 || from > highB:
		return F("%s: `%s` does not break even within that.", text, b.Name)
	case to > lowB || math.IsInf(to, 1):
		return F("%s: `%s` may break even from %s on, or not at all.", text, b.Name, Count(int(from), p.Noun))
	case from == to:
		return F("%s than that `%s` breaks even from %s on.", text, b.Name, Count(int(from), p.Noun))
	}
	return F("%s: `%s` breaks even from some count between %s and %s on.", text, b.Name, words.Thousands(from), Count(int(to), p.Noun))
}

// carriedText writes how many a configuration carries: "8 to 15 instances".
func carriedText(c price.Configuration, noun string) string {
	low, high := c.Ends()
	switch {
	case c.Open || math.IsInf(high, 1):
		return F("at least %s", Count(int(low), noun))
	case low == high:
		return Count(int(low), noun)
	}
	return F("%s to %s", words.Thousands(low), Count(int(high), noun))
}

func countsText(from, to int) string {
	if from == to {
		return F("at %d", from)
	}
	return F("from %d to %d", from, to)
}

// setsText writes "2 sets" or "2 to 4 sets".
func setsText(from, to int) string {
	if to <= from {
		return Count(from, "set")
	}
	return F("%d to %s", from, Count(to, "set"))
}

func setsPrice(c price.Configuration, from, to int) string {
	if to <= from {
		return words.Thousands(float64(from) * c.Total)
	}
	return F("%s to %s", words.Thousands(float64(from)*c.Total), words.Thousands(float64(to)*c.Total))
}

// moreOrLess writes a ratio as a reader says it: "5.4 times the", "4.6 % more".
func moreOrLess(v float64) string {
	switch {
	case v >= 2:
		return F("%s times the", Times(v, 2))
	case v < 1:
		return F("%s less", words.PercentChange(1-v))
	}
	return F("%s more", words.PercentChange(v-1))
}

func cheaperOrDearer(gain float64) string {
	if gain < 0 {
		return F("dearer")
	}
	return F("cheaper")
}

// PriceProblem says in a clause why a cost model cannot be one.
func PriceProblem(p price.Problem) string {
	switch p.Fault {
	case price.NoPeriod:
		return F("a period of %v years is not valid", p.Years)
	case price.NoPrice:
		return F("%q costs %v times %v, which is not a price", p.Item.Name, p.Item.Quantity, p.Item.Price)
	case price.NoSpace:
		return F("%q has a capacity of %s and a reserve of %v, which leave no space", p.Item.Name, p.Item.Capacity, float64(p.Item.Reserve))
	case price.NoYears:
		return F("%q is priced per year and the cost model names no years", p.Item.Name)
	}
	return F("the cost model has no items")
}
