package price

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// Capacity is what one variant carries within the objectives.
type Capacity struct {
	Name       string
	Factors    map[string]string // levels by path of the matrix
	Throughput float64           // best that keeps the objectives
	At         int               // instances there
	LoadLine   float64           // instances
	Open       bool              // the load line lies at or above that
	Low, High  float64           // of the load line; infinite where it has no upper end
}

// Analyse computes each variant's bill and relates it to what the variant carries. Unit is
// the common unit of work, noun the noun for a rung's load. A cost model with invalid
// prices is an error.
func Analyse(p *study.Prices, measured []Capacity, unit describe.Unit, noun string) (*Prices, error) {
	if problem := problemOf(p); problem != "" {
		return nil, errors.New(problem)
	}
	out := &Prices{Currency: p.Currency, Years: p.Years, Note: p.Note, Unit: unit.Throughput, Noun: noun}
	for _, m := range measured {
		out.Variants = append(out.Variants, bill(p, m))
	}
	markFront(out.Variants)
	out.Configurations = configurations(out.Variants, measured)
	out.Text = conclusions(out, unit)
	return out, nil
}

// problemOf describes the fault of a cost model, in a clause.
func problemOf(p *study.Prices) string {
	if len(p.Items) == 0 {
		return "the cost model has no items"
	}
	if !stats.Plausible(p.Years) {
		return fmt.Sprintf("a period of %v years is not valid", p.Years)
	}
	for _, item := range p.Items {
		if !stats.Plausible(item.Price) || !stats.Plausible(item.Quantity) {
			return fmt.Sprintf("%q costs %v times %v, which is not a price", item.Name, item.Quantity, item.Price)
		}
		if item.PerYear && p.Years == 0 {
			return fmt.Sprintf("%q is priced per year and the cost model names no years", item.Name)
		}
	}
	return ""
}

// bill adds up the items that apply to a variant and relates the total
// to the best throughput that keeps the objectives.
func bill(p *study.Prices, m Capacity) Bill {
	out := Bill{Variant: m.Name, Lines: []Line{}, Throughput: m.Throughput, At: m.At}
	raw := 0.0
	for _, item := range p.Items {
		if !applies(item, m.Factors) {
			continue
		}
		price := item.Price
		if item.PerYear {
			price *= p.Years
		}
		out.Lines = append(out.Lines, Line{Name: item.Name, Kind: item.Kind, Quantity: item.Quantity, Price: price, Total: price * item.Quantity})
		out.Total += price * item.Quantity
		raw += item.Quantity * float64(item.Capacity)
	}
	out.PerUnit = stats.Ratio(out.Total, out.Throughput)
	out.PerInstance = stats.Ratio(out.Total, m.LoadLine)
	out.PerDrive = stats.Ratio(out.Throughput, out.Drives())
	out.PerTerabyte = stats.Ratio(out.Total, raw/1e12)
	return out
}

// Drives counts the items of kind drive.
func (b Bill) Drives() (drives float64) {
	for _, l := range b.Lines {
		if l.Kind == study.DriveItem {
			drives += l.Quantity
		}
	}
	return drives
}

// applies reports whether an item is part of a variant: every level that it
// names must be the variant's.
func applies(item study.PriceItem, factors map[string]string) bool {
	for path, level := range item.For {
		if factors[path] != level {
			return false
		}
	}
	return true
}

// markFront marks the Pareto front: the variants that no other beats in both
// price and throughput. One that keeps the objectives nowhere is never on it.
func markFront(variants []Bill) {
	for i := range variants {
		v := &variants[i]
		v.OnFront = v.Throughput > 0 && !slices.ContainsFunc(variants, func(o Bill) bool { return dominates(o, *v) })
	}
}

func dominates(a, b Bill) bool {
	return a.Total <= b.Total && a.Throughput >= b.Throughput && (a.Total < b.Total || a.Throughput > b.Throughput)
}

// configurations joins the variants with the same bill: what differs between
// them costs nothing, such as how many CPUs a virtual machine was given, so
// whoever buys it takes the best of them.
func configurations(bills []Bill, measured []Capacity) []Configuration {
	var out []Configuration
	byBill := map[string]int{}
	for i, p := range bills {
		key := billKey(p)
		at, ok := byBill[key]
		if !ok {
			at = len(out)
			byBill[key] = at
			out = append(out, Configuration{})
		}
		out[at].add(p, measured[i])
	}
	for i := range out {
		out[i].PerUnit = stats.Ratio(out[i].Total, out[i].Throughput)
		out[i].PerInstance = stats.Ratio(out[i].Total, out[i].LoadLine)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Total < out[j].Total })
	return out
}

func billKey(p Bill) string {
	var b strings.Builder
	for _, l := range p.Lines {
		fmt.Fprintf(&b, "%s\x00%v\x00%v\n", l.Name, l.Quantity, l.Price)
	}
	return b.String()
}

// add takes a variant with the configuration's bill.
func (c *Configuration) add(p Bill, m Capacity) {
	c.Variants = append(c.Variants, p.Variant)
	c.Total = p.Total
	if p.Throughput > c.Throughput {
		c.Throughput, c.At, c.Best = p.Throughput, p.At, p.Variant
	}
	if m.LoadLine > c.LoadLine {
		c.LoadLine, c.Open, c.low, c.high = m.LoadLine, m.Open, m.Low, m.High
	}
	c.Name = configurationName(c, m)
}

// configurationName is the storage class where that alone tells bills apart,
// or else the variants' names.
func configurationName(c *Configuration, m Capacity) string {
	if len(c.Variants) == 1 {
		return m.Name
	}
	if level := m.Factors["storage"]; level != "" {
		return level
	}
	return strings.Join(c.Variants, ", ")
}

// conclusions are the conclusions: each configuration against the cheapest, the
// cheapest that keeps the objectives, and the break-even.
func conclusions(p *Prices, unit describe.Unit) []string {
	texts := []string{}
	if len(p.Configurations) > 1 {
		base := p.Configurations[0]
		for _, c := range p.Configurations[1:] {
			texts = append(texts, compareConfigurations(base, c, p)...)
		}
	}
	if best := cheapestPerUnit(p.Configurations); best != nil {
		texts = append(texts, fmt.Sprintf("The cheapest %s is on `%s`: %s %s for the period, at %s.",
			oneOf(unit), best.Name, words.Money(best.PerUnit), p.Currency, words.Count(best.At, p.Noun)))
	}
	return texts
}

// oneOf writes one of what the throughput counts: "file per second", "MB/s".
func oneOf(u describe.Unit) string {
	period := map[float64]string{1: "second", 60: "minute", 3600: "hour"}[u.Seconds]
	if u.Bytes || period == "" {
		return u.Throughput
	}
	return u.Name + " per " + period
}

// Comparison of two configurations as the price section states it. All are
// relative to the first: 0.0124 is 1.24 % dearer.
type relation struct {
	Dearer      float64 // total of b over a, less 1
	Faster      float64 // throughput of b over a
	PerUnitGain float64 // share of the price per unit that b saves
}

func relate(a, b Configuration) relation {
	return relation{
		Dearer:      stats.Ratio(b.Total, a.Total) - 1,
		Faster:      stats.Ratio(b.Throughput, a.Throughput),
		PerUnitGain: 1 - stats.Ratio(b.PerUnit, a.PerUnit),
	}
}

func compareConfigurations(a, b Configuration, p *Prices) []string {
	r := relate(a, b)
	text := fmt.Sprintf("`%s` costs %s more than `%s` (%s against %s %s)", b.Name, words.PercentChange(r.Dearer), a.Name, words.Thousands(b.Total), words.Thousands(a.Total), p.Currency)
	switch {
	case a.Throughput == 0 && b.Throughput == 0:
		return []string{text + "; neither meets the objectives at any rung."}
	case b.Throughput == 0:
		return []string{text + " and does not meet the objectives at any rung."}
	case a.Throughput == 0:
		return []string{text + "; `" + a.Name + "` does not meet the objectives at any rung."}
	}
	text += fmt.Sprintf(" and gives %s throughput within the objectives (%s against %s), so each %s is %s %s.",
		moreOrLess(r.Faster), words.Thousands(b.Throughput), p.amount(a.Throughput), p.Unit, words.PercentChange(math.Abs(r.PerUnitGain)), cheaperOrDearer(r.PerUnitGain))
	return []string{text, breakEven(a, b, p)}
}

// amount writes a throughput: "1,200 OPM", or "2 tiles" where that is what rungs count.
func (p *Prices) amount(throughput float64) string {
	if p.Unit == p.Noun {
		return words.Count(int(throughput), p.Noun)
	}
	return words.Thousands(throughput) + " " + p.Unit
}

// breakEven says from how many instances the dearer configuration is the
// cheaper way. Sets are bought whole: one of a carries up to its load line, and
// each further one costs as much again.
func breakEven(a, b Configuration, p *Prices) string {
	noun := p.Noun
	switch {
	case a.LoadLine < 1 && b.LoadLine < 1:
		return fmt.Sprintf("Neither carries even one %s.", noun)
	case a.LoadLine < 1:
		return fmt.Sprintf("`%s` cannot carry a single %s, so `%s` pays off from the first.", a.Name, noun, b.Name)
	case a.Open:
		return fmt.Sprintf("Up to %s, the largest rung tried, `%s` also meets the objectives and is cheaper; the break-even point of `%s` is beyond what was measured, unless throughput matters.",
			words.Count(int(a.LoadLine), noun), a.Name, b.Name)
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
		return fmt.Sprintf("Up to %s `%s` is cheaper; %s it takes %s of it (%s %s), so one set of `%s` costs no more (%s).",
			words.Count(from-1, noun), a.Name, countsText(from, carriesB), setsText(sets, setsFor(carriesB, carriesA)), setsPrice(a, sets, setsFor(carriesB, carriesA)), p.Currency, b.Name, words.Thousands(b.Total))
	}
	text := fmt.Sprintf("`%s` never breaks even: up to the %d that one set of it carries", b.Name, carriesB)
	if b.Open {
		text = fmt.Sprintf("`%s` does not break even up to the %d that were tried", b.Name, carriesB)
	}
	sets = setsFor(carriesB, carriesA)
	return fmt.Sprintf("%s, %s of `%s` for %s %s would do, against %s.", text, words.Count(sets, "set"), a.Name, words.Thousands(float64(sets)*a.Total), p.Currency, words.Thousands(b.Total))
}

// equalPrice is for two bills of the same total.
func equalPrice(a, b Configuration, p *Prices) string {
	if b.LoadLine > a.LoadLine {
		a, b = b, a
	}
	return fmt.Sprintf("Both cost the same: `%s` carries %s and `%s` %s.", a.Name, a.lineText(p.Noun), b.Name, b.lineText(p.Noun))
}

// uncertainBreakEven is for load lines known only as a range: a single count would claim
// more precision than they have. It is empty if both are exact.
func uncertainBreakEven(a, b Configuration, sets int, p *Prices) string {
	lowA, highA := a.ends()
	lowB, highB := b.ends()
	if lowA == highA && (lowB == highB || b.Open) {
		return ""
	}
	text := fmt.Sprintf("`%s` carries %s and `%s` %s, so the break-even point is known no better", a.Name, a.lineText(p.Noun), b.Name, b.lineText(p.Noun))
	from, to := float64(sets-1)*lowA+1, float64(sets-1)*highA+1
	switch {
	case sets < 1 || from > highB:
		return fmt.Sprintf("%s: `%s` does not break even within that.", text, b.Name)
	case to > lowB || math.IsInf(to, 1):
		return fmt.Sprintf("%s: `%s` may break even from %s on, or not at all.", text, b.Name, words.Count(int(from), p.Noun))
	case from == to:
		return fmt.Sprintf("%s than that `%s` breaks even from %s on.", text, b.Name, words.Count(int(from), p.Noun))
	}
	return fmt.Sprintf("%s: `%s` breaks even from some count between %s and %s on.", text, b.Name, words.Thousands(from), words.Count(int(to), p.Noun))
}

// ends are the ends of the load line's range: the line itself if no range was given.
func (c Configuration) ends() (low, high float64) {
	if c.high == 0 {
		return c.LoadLine, c.LoadLine
	}
	return c.low, c.high
}

// lineText writes how many a configuration carries: "8 to 15 instances".
func (c Configuration) lineText(noun string) string {
	low, high := c.ends()
	switch {
	case c.Open || math.IsInf(high, 1):
		return "at least " + words.Count(int(low), noun)
	case low == high:
		return words.Count(int(low), noun)
	}
	return fmt.Sprintf("%s to %s", words.Thousands(low), words.Count(int(high), noun))
}

func countsText(from, to int) string {
	if from == to {
		return fmt.Sprintf("at %d", from)
	}
	return fmt.Sprintf("from %d to %d", from, to)
}

// setsFor is how many sets that carry so many each it takes for a count.
func setsFor(instances, each int) int { return stats.Ceil(float64(instances) / float64(each)) }

// setsText writes "2 sets" or "2 to 4 sets".
func setsText(from, to int) string {
	if to <= from {
		return words.Count(from, "set")
	}
	return fmt.Sprintf("%d to %s", from, words.Count(to, "set"))
}

func setsPrice(c Configuration, from, to int) string {
	if to <= from {
		return words.Thousands(float64(from) * c.Total)
	}
	return words.Thousands(float64(from)*c.Total) + " to " + words.Thousands(float64(to)*c.Total)
}

// cheapestPerUnit is the configuration with the lowest price per unit of work
// among those that keep the objectives somewhere.
func cheapestPerUnit(all []Configuration) *Configuration {
	var best *Configuration
	for i := range all {
		if all[i].Throughput > 0 && (best == nil || all[i].PerUnit < best.PerUnit) {
			best = &all[i]
		}
	}
	return best
}

// Cheapest is the configuration with the lowest total that carries so many
// instances within the objectives; ok is false when none does.
func (p *Prices) Cheapest(instances float64) (Configuration, bool) {
	for _, c := range p.Configurations { // ascending by total
		if c.LoadLine >= instances {
			return c, true
		}
	}
	return Configuration{}, false
}

// moreOrLess writes a ratio as a reader says it: "5.4 times the", "4.6 % more".
func moreOrLess(v float64) string {
	switch {
	case v >= 2:
		return words.Times(v, 2) + " times the"
	case v < 1:
		return words.PercentChange(1-v) + " less"
	}
	return words.PercentChange(v-1) + " more"
}

func cheaperOrDearer(gain float64) string {
	if gain < 0 {
		return "dearer"
	}
	return "cheaper"
}
