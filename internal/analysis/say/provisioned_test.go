package say

import (
	"strings"
	"testing"

	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

func TestHowInstancesGotTheirData(t *testing.T) {
	instances := make([]result.InstanceSummary, 4)
	for want, p := range map[string]result.Provisioning{
		"The volumes of `a` are clones (volume clone) of a data set that was loaded once, in 12.5 s; 4 instances took 2.1 s, at most 4 at once.":           {By: "volume clone", Seconds: 2.1, GoldenSeconds: 12.5, AtOnce: 4},
		"Each instance of `a` was loaded by itself, because StorageClass slow does not clone claims (no); 4 instances took 1 min 20 s, at most 2 at once.": {By: result.InPlace, Why: "StorageClass slow does not clone claims (no)", Seconds: 80, AtOnce: 2},
	} {
		got := provisionedText(&result.Trial{Variant: study.Variant{Name: "a"}, Rung: 4, Part: result.Part{Instances: instances, Provisioned: &p}})
		if got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		if strings.Contains(got, "..") {
			t.Error(got)
		}
	}
}
