package report

import (
	"testing"

	"plimsoll/internal/analysis"
)

func TestSettingsNameTheVariantsOfEachValue(t *testing.T) {
	a := &analysis.Analysis{Variants: []analysis.Variant{{Name: "hdd"}, {Name: "ssd"}, {Name: "nvme"}, {Name: "nfs"}}}
	for want, s := range map[string]analysis.Setting{
		"16":                               {Value: "16"},
		"2 on hdd, ssd and nfs, 4 on nvme": {ByVariant: map[string]string{"hdd": "2", "ssd": "2", "nvme": "4", "nfs": "2"}},
		"on on ssd":                        {ByVariant: map[string]string{"ssd": "on"}},
	} {
		if got := settingText(a, s); got != want {
			t.Errorf("%v is %q, want %q", s, got, want)
		}
	}
}
