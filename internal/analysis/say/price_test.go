package say

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis/price"
	"plimsoll/internal/describe"
	"plimsoll/internal/study"
)

// A line that is known as 8 to 15 gives no break-even point to the digit, and bills of
// the same total have none.
func TestBreakEvenIsNoMoreExactThanItsLines(t *testing.T) {
	p := &price.Prices{Currency: "EUR", Noun: "instance"}
	a := price.Configuration{Name: "hdd", Total: 1000, LoadLine: 11, Low: 8, High: 15}
	b := price.Configuration{Name: "ssd", Total: 1500, LoadLine: 40, Low: 32, High: 63}
	const between = "`hdd` carries 8 to 15 instances and `ssd` 32 to 63 instances, so the break-even point is known no better: `ssd` breaks even from some count between 9 and 16 instances on."
	if got := breakEven(a, b, p); got != between {
		t.Errorf("got %s", got)
	}
	b.Low, b.High = 8, 15
	if got := breakEven(a, b, p); !strings.HasSuffix(got, "`ssd` may break even from 9 instances on, or not at all.") {
		t.Errorf("got %s", got)
	}
	same := price.Configuration{Name: "ssd", Total: 1000, LoadLine: 40}
	if got := breakEven(price.Configuration{Name: "hdd", Total: 1000, LoadLine: 11}, same, p); got != "Both cost the same: `ssd` carries 40 instances and `hdd` 11 instances." {
		t.Errorf("got %s", got)
	}
}

// Sets of the cheaper configuration are bought whole, and each costs money: the
// count from which one of the dearer is the cheaper way, worked out by hand.
func TestBreakEvenPaysForEverySet(t *testing.T) {
	p := &price.Prices{Currency: "EUR", Noun: "instance"}
	cheap := func(total, line float64) price.Configuration {
		return price.Configuration{Name: "hdd", Total: total, LoadLine: line}
	}
	dear := func(total, line float64) price.Configuration {
		return price.Configuration{Name: "ssd", Total: total, LoadLine: line}
	}
	for _, c := range []struct {
		name string
		a, b price.Configuration
		want string
	}{
		{"less than two sets", cheap(1000, 10), dear(1500, 40),
			"Up to 10 instances `hdd` is cheaper; from 11 to 40 it takes 2 to 4 sets of it (2,000 to 4,000 EUR), so one set of `ssd` costs no more (1,500)."},
		{"as much as three sets", cheap(1000, 10), dear(2500, 40),
			"Up to 20 instances `hdd` is cheaper; from 21 to 40 it takes 3 to 4 sets of it (3,000 to 4,000 EUR), so one set of `ssd` costs no more (2,500)."},
		{"exactly two sets", cheap(1000, 10), dear(2000, 15),
			"Up to 10 instances `hdd` is cheaper; from 11 to 15 it takes 2 sets of it (2,000 EUR), so one set of `ssd` costs no more (2,000)."},
		{"four times the price for 2.5 times the line", cheap(1000, 10), dear(4000, 25),
			"`ssd` never breaks even: up to the 25 that one set of it carries, 3 sets of `hdd` for 3,000 EUR would do, against 4,000."},
		{"no more instances", cheap(1000, 10), dear(1500, 10),
			"`ssd` never breaks even: up to the 10 that one set of it carries, 1 set of `hdd` for 1,000 EUR would do, against 1,500."},
	} {
		if got := breakEven(c.a, c.b, p); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// A line of nothing makes nothing cheaper "up to no instances".
func TestNothingIsCheaperUpToNoInstances(t *testing.T) {
	p := &price.Prices{Currency: "EUR", Noun: "instance"}
	for _, low := range []float64{0, 1} {
		for _, line := range []float64{0, 0.5, 1, 8} {
			a := price.Configuration{Name: "hdd", Total: 1000, LoadLine: line, Low: min(low, line), High: line}
			b := price.Configuration{Name: "ssd", Total: 1500, LoadLine: 40, Low: 40, High: 40}
			if got := breakEven(a, b, p); strings.Contains(got, "no instances") || strings.Contains(got, "Up to 0") || strings.Contains(got, "from 0") {
				t.Errorf("a line of %v: %s", line, got)
			}
		}
	}
}

// Where a unit of work is what rungs count, amounts are written as counts.
func TestThePriceOfWhatRungsCount(t *testing.T) {
	measured := []price.Capacity{
		{Name: "hdd", Factors: map[string]string{"storage": "hdd"}, Throughput: 2, At: 2, LoadLine: 2},
		{Name: "ssd", Factors: map[string]string{"storage": "ssd"}, Throughput: 4, At: 4, LoadLine: 4},
	}
	of := &study.Prices{Currency: "EUR", Items: []study.PriceItem{
		{Name: "disk", Quantity: 1, Price: 100, For: map[string]string{"storage": "hdd"}}, {Name: "flash", Quantity: 1, Price: 150, For: map[string]string{"storage": "ssd"}},
	}}
	for unit, want := range map[describe.Unit]string{
		{Name: "tile", Plural: "tiles", Throughput: "tile"}:               "(4 against 2 tiles), so each tile is 25.0 % cheaper",
		{Name: "order", Plural: "orders", Throughput: "OPM", Seconds: 60}: "(4 against 2 OPM), so each OPM is 25.0 % cheaper",
	} {
		p, problem := price.Analyse(of, measured, unit, "tile")
		SetPriceWords(p, unit)
		if problem != nil || !strings.Contains(strings.Join(p.Text, "\n"), want) {
			t.Errorf("%v, %q; want %q", problem, p.Text, want)
		}
	}
}
