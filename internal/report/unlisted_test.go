package report

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/report/tables"
)

// A page of many nodes has the busiest resources of a rung at once, counts the others, and
// has all of them in the table; the analysis stays whole.
func TestAPageListsTheBusiestOfManyResources(t *testing.T) {
	a := liveFixture()
	r := &a.Variants[0].Rungs[0]
	r.Resources = []resource.Resource{{Kind: resource.Memory, Name: "memory", Utilisation: 0.9}}
	for n := range 100 {
		r.Resources = append(r.Resources, resource.Resource{Kind: resource.CPU, Name: fmt.Sprintf("CPU of node %d", n), Utilisation: 0.8 - float64(n)/1000})
	}
	shown := forPage(a).Variants[0].Rungs[0]
	if len(shown.Resources) != mostListed+1 || shown.Unlisted[resource.CPU] != 100-mostListed || len(shown.Unlisted) != 1 {
		t.Errorf("%d resources, and besides them %v", len(shown.Resources), shown.Unlisted)
	}
	if last := shown.Resources[mostListed].Name; last != fmt.Sprintf("CPU of node %d", mostListed-1) {
		t.Errorf("the last is %s", last)
	}
	if len(r.Resources) != 101 || r.Unlisted != nil {
		t.Error("the analysis was changed")
	}
	var text strings.Builder
	if err := tables.CSV(&text, a, "resources"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "CPU of node 99") {
		t.Error("the table leaves some out")
	}
}

// A page says of each resource whether it holds throughput back: it has no threshold of its own.
func TestAPageSaysWhatHoldsBack(t *testing.T) {
	a := liveFixture()
	r := &a.Variants[0].Rungs[0]
	r.Resources = []resource.Resource{
		{Kind: resource.Device, Name: "busy", Utilisation: 0.9},
		{Kind: resource.Quota, Name: "throttled", Utilisation: 0.6, Throttled: 0.7},
		{Kind: resource.Device, Name: "not quite busy", Utilisation: 0.89},
		{Kind: resource.Device, Name: "perhaps busy", Utilisation: 0.95, Uncertain: true},
		{Kind: resource.CPU, Name: "used by others", Utilisation: 0.95, Other: 0.5},
		{Kind: resource.Memory, Name: "full", Utilisation: 0.99},
	}
	for i, one := range forPage(a).Variants[0].Rungs[0].Resources {
		if one.HoldsBack != (i < 2) {
			t.Errorf("%s: holds back is %v", one.Name, one.HoldsBack)
		}
	}
	if r.Resources[0].HoldsBack {
		t.Error("the analysis was changed")
	}
}
