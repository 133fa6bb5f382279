package limit

import (
	"testing"

	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/trial"
)

// What is used up beside the resource that is used most is named, too.
func TestBothSaturatedResourcesAreNamed(t *testing.T) {
	r := &rung.Rung{Instances: 8, Resources: []resource.Resource{
		{Name: "CPU of the machine", Kind: "cpu", Utilisation: 0.97, Servers: 4},
		{Name: "disk sdb (hdd)", Label: trial.Label{Name: "disk sdb", Bracket: "hdd"}, Kind: "device", Utilisation: 0.94, Servers: 1},
		{Name: "network eth0", Kind: "network", Utilisation: 0.2},
	}}
	if text := saturatedToo(r, &r.Resources[0]); text != "disk sdb (94 % busy) is saturated as well" {
		t.Error(text)
	}
}
