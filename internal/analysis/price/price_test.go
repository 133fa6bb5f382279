package price

import "testing"

// Sets of the cheaper configuration are bought whole, and each costs money: the
// count from which one of the dearer is the cheaper way, worked out by hand.
func TestBreakEvenPaysForEverySet(t *testing.T) {
	p := &Prices{Currency: "EUR", Noun: "instance"}
	cheap := func(total, line float64) Configuration {
		return Configuration{Name: "hdd", Total: total, LoadLine: line}
	}
	dear := func(total, line float64) Configuration {
		return Configuration{Name: "ssd", Total: total, LoadLine: line}
	}
	for _, c := range []struct {
		name string
		a, b Configuration
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
