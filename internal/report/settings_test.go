package report

import (
	"testing"

	"plimsoll/internal/analysis"
)

func TestSettingsNameTheVariantsOfEachValue(t *testing.T) {
	for want, s := range map[string]analysis.Setting{
		"16":                                 {Value: "16"},
		"2 for hdd, ssd and nfs, 4 for nvme": {Values: []analysis.SettingValue{{Value: "2", For: "hdd, ssd and nfs"}, {Value: "4", For: "nvme"}}},
		"on for ssd":                         {Values: []analysis.SettingValue{{Value: "on", For: "ssd"}}},
		"read, write":                        {Values: []analysis.SettingValue{{Value: "read"}, {Value: "write"}}},
	} {
		if got := settingText(s); got != want {
			t.Errorf("%v is %q, want %q", s, got, want)
		}
	}
}
