package limit

import (
	"testing"

	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/study"
)

// What others used up is a doubt that says which way it can have moved the answer; what they used
// of a resource that is not used up is none.
func TestDisturbedSaysWhichWay(t *testing.T) {
	shared := func(name string, r resource.Resource) model.Variant {
		return model.Variant{Name: name, LoadLine: loadline.LoadLine{Rung: 4, Open: true},
			Rungs: []rung.Rung{{Instances: 4, Repetitions: 1, Resources: []resource.Resource{r}}}}
	}
	cpu := resource.Resource{Kind: resource.CPU, Name: "CPU", Utilisation: 0.99, Other: 0.61}
	disk := resource.Resource{Kind: resource.Device, Name: "disk vda", Utilisation: 0.99, Other: 0.4}
	idle := resource.Resource{Kind: resource.CPU, Name: "CPU", Utilisation: 0.5, Other: 0.3}
	times := &model.Reply{Kind: study.Comparison, Metric: "p99"}
	for _, c := range []struct {
		want     string
		reply    *model.Reply
		variants []model.Variant
	}{
		{"Disturbed: other programs used 61 % of the machine's CPU. It can only have lowered what `a` carries: at least 4 stands.", nil, []model.Variant{shared("a", cpu)}},
		{"Disturbed: other programs used up to 61 % of the machine's CPU, which can only have lowered these figures.", nil, []model.Variant{shared("a", cpu), shared("b", cpu)}},
		{"Disturbed: something else used 40 % of disk vda with `a`. That can only have raised these figures, and may have changed their ratios.", times, []model.Variant{shared("a", disk), shared("b", idle)}},
		{"", nil, []model.Variant{shared("a", idle), {Name: "b"}}},
	} {
		if got := Disturbed(&model.Analysis{Variants: c.variants, Reply: c.reply}); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
