package price

import (
	"testing"

	"plimsoll/internal/describe"
	"plimsoll/internal/study"
)

// Variants are compared at the space of the largest; where one's is not known, or all are equal, not at all.
func TestEqualSpace(t *testing.T) {
	drive := func(storage, protection string, quantity float64) study.PriceItem {
		return study.PriceItem{
			Name: storage, Kind: study.DriveItem, Quantity: quantity, Price: 100, Capacity: 10e12,
			Protection: protection, Reserve: 0.1, For: map[string]string{"storage": storage},
		}
	}
	of := []Capacity{
		{Name: "a", Factors: map[string]string{"storage": "a"}, Throughput: 50},
		{Name: "b", Factors: map[string]string{"storage": "b"}, Throughput: 80},
	}
	prices := func(items ...study.PriceItem) []Bill {
		p, problem := Analyse(&study.Prices{Currency: "USD", Years: 1, Items: items}, of, describe.Unit{}, "instance")
		if problem != nil {
			t.Fatalf("%+v", problem)
		}
		return p.Variants
	}
	// 10 drives of 10 TB as 4+2 are 66.7 TB, less a tenth; 6 as three copies are 20, less a tenth.
	all := prices(drive("a", "disperse 4+2 on JBOD", 10), drive("b", "replica 3", 6))
	if all[0].Usable != 60e12 || all[1].Usable != 18e12 || all[0].Sets != 1 || all[0].EqualTotal != 1000 {
		t.Errorf("%+v", all)
	}
	if b := all[1]; b.Sets != 60./18 || b.EqualTotal != 2000 || b.EqualThroughput != 80*60./18 || b.PerUsableTerabyte != 600./18 {
		t.Errorf("%+v", b)
	}
	for _, items := range [][]study.PriceItem{
		{drive("a", "replica 3", 6), drive("b", "", 6)},
		{drive("a", "replica 3", 6), drive("b", "replica 3", 6)},
	} {
		for _, b := range prices(items...) {
			if b.Sets != 0 || b.EqualTotal != 0 {
				t.Errorf("%+v", b)
			}
		}
	}
	wrong := drive("a", "replica 3", 6)
	wrong.Reserve = -1e300
	if _, problem := Analyse(&study.Prices{Currency: "USD", Years: 1, Items: []study.PriceItem{wrong}}, of, describe.Unit{}, "instance"); problem == nil || problem.Fault != NoSpace {
		t.Errorf("a reserve below nothing is %+v", problem)
	}
}
