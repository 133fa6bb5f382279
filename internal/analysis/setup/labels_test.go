package setup

import (
	"testing"

	"plimsoll/internal/study"
)

// A label has the levels in which the variants differ, and tells them apart.
func TestLabelsDropWhatIsTheSame(t *testing.T) {
	v := func(name string, levels ...string) study.Variant {
		f := map[string]string{}
		for i := 0; i < len(levels); i += 2 {
			f[levels[i]] = levels[i+1]
		}
		return study.Variant{Name: name, Factors: f}
	}
	for want, variants := range map[string][]study.Variant{
		"offload on": {v("a", "storage", "none", "network.offload", "on"), v("b", "storage", "none", "network.offload", "off")},
		"hdd":        {v("a", "storage", "hdd", "workload.parameters.block", "4KiB"), v("b", "storage", "ssd", "workload.parameters.block", "4KiB")},
		"hdd, 4KiB":  {v("a", "storage", "hdd", "workload.parameters.block", "4KiB")},
		"a":          {v("a", "storage", "none", "workload.parameters.block", "16KiB"), v("b", "storage", "none", "workload.parameters.block", "16KiB")},
	} {
		if got := Labels(variants)["a"]; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
