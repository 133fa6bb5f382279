package analysis

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis/answer"
	"plimsoll/internal/analysis/interval"
	"plimsoll/internal/analysis/loadline"
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

// A device that is busy a tenth of the time cannot have 20 requests in flight.
func TestDevicesThatContradictThemselves(t *testing.T) {
	rungs := []rung.Rung{{Resources: []resource.Resource{
		{Name: "disk sdb (hdd)", Kind: "device", Busy: 0.1, Utilisation: 0.1, Queue: 20, Servers: 1},
		{Name: "disk sdc (hdd)", Kind: "device", Busy: 0.99, Utilisation: 0.99, Queue: 300, Servers: 1},
	}}}
	resource.Settle(resourcesOf(rungs))
	answer.SetEvidence(rungs)
	if all := rungs[0].Resources; !all[0].Uncertain || all[1].Uncertain || !strings.Contains(all[0].Evidence, "contradict") {
		t.Errorf("%+v", all)
	}
}

// Why a line is less sure than its rungs say is told.
func TestALineSaysWhyItIsWider(t *testing.T) {
	v := &Variant{Rungs: []rung.Rung{{Instances: 8, Repetitions: 3}, {Instances: 16, Repetitions: 1}},
		LoadLine: loadline.LoadLine{Rung: 8, Next: 16, Count: interval.Interval{Value: 8, Low: 4, High: 20, Confidence: interval.Confidence}}}
	text := whyWider(v)
	for _, want := range []string{"it would be 8 to 15", "its 3 trials differ by too much", "16 does not is not sure, because it was measured once"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q: %s", want, text)
		}
	}
}
