package price

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
	"plimsoll/internal/study"
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
// prices is a problem.
func Analyse(p *study.Prices, measured []Capacity, unit describe.Unit, noun string) (*Prices, *Problem) {
	if problem := problemOf(p); problem != nil {
		return nil, problem
	}
	out := &Prices{Currency: p.Currency, Years: p.Years, Note: p.Note, Unit: unit.Throughput, Noun: noun, Text: []string{}}
	for _, m := range measured {
		out.Variants = append(out.Variants, bill(p, m))
	}
	markFront(out.Variants)
	equalise(out.Variants)
	out.Configurations = configurations(out.Variants, measured)
	return out, nil
}

// Fault is why a cost model cannot be one.
type Fault int

// Faults of a cost model.
const (
	NoItems Fault = iota + 1
	NoPeriod
	NoPrice
	NoSpace
	NoYears
)

// Problem is a fault of a cost model: its years, or one of its items.
type Problem struct {
	Fault Fault
	Years float64
	Item  study.PriceItem
}

// problemOf is the fault of a cost model, nil where it has none.
func problemOf(p *study.Prices) *Problem {
	if len(p.Items) == 0 {
		return &Problem{Fault: NoItems}
	}
	if !stats.Plausible(p.Years) {
		return &Problem{Fault: NoPeriod, Years: p.Years}
	}
	for _, item := range p.Items {
		if !stats.Plausible(item.Price) || !stats.Plausible(item.Quantity) {
			return &Problem{Fault: NoPrice, Item: item}
		}
		if item.Capacity < 0 || !(item.Reserve >= 0 && item.Reserve < 1) {
			return &Problem{Fault: NoSpace, Item: item}
		}
		if item.PerYear && p.Years == 0 {
			return &Problem{Fault: NoYears, Item: item}
		}
	}
	return nil
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
		out.Usable += item.Usable()
	}
	out.PerUnit = stats.Ratio(out.Total, out.Throughput)
	out.PerInstance = stats.Ratio(out.Total, m.LoadLine)
	out.PerDrive = stats.Ratio(out.Throughput, out.Drives())
	out.PerTerabyte = stats.Ratio(out.Total, raw/1e12)
	out.PerUsableTerabyte = stats.Ratio(out.Total, out.Usable/1e12)
	return out
}

// equalise compares variants at the usable space of the largest: smaller ones are bought so many
// times. ("Adjusted for equivalent capacity": Red Hat, "Red Hat Gluster Storage on Supermicro
// storage servers", 2017, price-performance analysis.) Where a variant's space is not known, or all
// are equal, there is nothing to compare.
func equalise(bills []Bill) {
	largest, smallest := 0.0, math.Inf(1)
	for _, b := range bills {
		largest, smallest = max(largest, b.Usable), min(smallest, b.Usable)
	}
	if !(smallest > 0) || largest-smallest < 1e-9*largest {
		return
	}
	for i := range bills {
		b := &bills[i]
		b.Sets = largest / b.Usable
		b.EqualTotal, b.EqualThroughput = b.Sets*b.Total, b.Sets*b.Throughput
	}
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
		b.WriteString(strings.Join([]string{l.Name, strconv.FormatFloat(l.Quantity, 'g', -1, 64), strconv.FormatFloat(l.Price, 'g', -1, 64)}, "\x00") + "\n")
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
		c.LoadLine, c.Open, c.Low, c.High = m.LoadLine, m.Open, m.Low, m.High
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

// Relation is how a configuration compares with a cheaper one: 0.0124 is 1.24 % dearer.
type Relation struct {
	Dearer      float64 // total of b over a, less 1
	Faster      float64 // throughput of b over a
	PerUnitGain float64 // share of the price per unit that b saves
}

// Relate compares b with a.
func Relate(a, b Configuration) Relation {
	return Relation{
		Dearer:      stats.Ratio(b.Total, a.Total) - 1,
		Faster:      stats.Ratio(b.Throughput, a.Throughput),
		PerUnitGain: 1 - stats.Ratio(b.PerUnit, a.PerUnit),
	}
}

// Ends are the ends of the load line's range: the line itself if no range was given.
func (c Configuration) Ends() (low, high float64) {
	if c.High == 0 {
		return c.LoadLine, c.LoadLine
	}
	return c.Low, c.High
}

// SetsFor is how many sets that carry so many each it takes for a count.
func SetsFor(instances, each int) int { return stats.Ceil(float64(instances) / float64(each)) }

// CheapestPerUnit is the configuration with the lowest price per unit of work
// among those that keep the objectives somewhere, nil where none does.
func (p *Prices) CheapestPerUnit() *Configuration {
	all := p.Configurations
	var best *Configuration
	for i := range all {
		if all[i].Throughput > 0 && (best == nil || all[i].PerUnit < best.PerUnit) {
			best = &all[i]
		}
	}
	return best
}
