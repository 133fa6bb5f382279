package price

import (
	"math"
	"plimsoll/internal/describe"
	"plimsoll/internal/study"
	"testing"
)

// Figures that are no prices are refused with the reason.
func TestWhatIsNoPrice(t *testing.T) {
	one := func(p float64) []study.PriceItem { return []study.PriceItem{{Name: "server", Quantity: 1, Price: p}} }
	for _, c := range []struct {
		prices study.Prices
		fault  Fault
	}{
		{study.Prices{Years: 3, Items: one(math.NaN())}, NoPrice},
		{study.Prices{Years: 3, Items: one(-1)}, NoPrice},
		{study.Prices{Items: []study.PriceItem{{Name: "support", Quantity: 1, Price: 1, PerYear: true}}}, NoYears},
		{study.Prices{Years: 1}, NoItems},
	} {
		if p, problem := Analyse(&c.prices, nil, describe.Unit{}, "instance"); p != nil || problem == nil || problem.Fault != c.fault {
			t.Errorf("%+v: %v, want %v", c.prices, problem, c.fault)
		}
	}
}
