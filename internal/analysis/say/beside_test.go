package say

import (
	"testing"

	"plimsoll/internal/analysis/model"
)

func TestAgreements(t *testing.T) {
	curve := func(published bool, throughput, response float64) model.GrowthCurve {
		return model.GrowthCurve{Variant: "hdd", Storage: "hdd", Published: published, Points: []model.GrowthPoint{{Instances: 8, Throughput: throughput, Response: response}}}
	}
	for want, published := range map[string]model.GrowthCurve{
		"At 8 instances `hdd` does 4 times the throughput of one; the published `hdd` does 7.5 times, with 3 and 1.2 times the response time.": curve(true, 7.5, 1.2),
		"At 8 instances `hdd` does 4 times the throughput of one; the published `hdd` does 7.5 times.":                                         curve(true, 7.5, 0),
	} {
		if got := Agreements([]model.GrowthCurve{curve(false, 4, 3), published}, "instance"); len(got) != 1 || got[0] != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
