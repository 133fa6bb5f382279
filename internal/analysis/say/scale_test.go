package say

import (
	"testing"

	"plimsoll/internal/analysis/scale"
	"plimsoll/internal/analysis/stats"
)

func TestTheLawInWords(t *testing.T) {
	v := scale.Variant{Name: "a"}
	v.Work.Unit.Throughput = "OPM"
	parameters := scale.Scalability{Holds: true, Sigma: stats.Exactly(0.02), Kappa: stats.Exactly(0.001)}
	course := func(c scale.Course) scale.Scalability {
		s := parameters
		s.Course = c
		return s
	}
	const holds = "`a` scales with contention σ = 0.02 and coherency κ = 0.001"
	for _, c := range []struct {
		law  scale.Scalability
		want string
	}{
		{scale.Scalability{Doubted: scale.Misfit{Why: scale.OffRung, At: 32, Off: 0.26}},
			"The scalability law does not describe `a`: at 32 it is off by 26 % from the measurement. Its parameters and peak are omitted."},
		{scale.Scalability{Doubted: scale.Misfit{Why: scale.TooFewRungs, Rungs: 3}},
			"The scalability law does not describe `a`: any 3 rungs fit it exactly; at least 4 are needed to tell whether it holds. Its parameters and peak are omitted."},
		{scale.Scalability{Doubted: scale.Misfit{Why: scale.Undetermined}, Beat: &scale.Violation{From: 1, Bound: 400, At: 8, Measured: 600}},
			"The scalability law does not describe `a`: the rungs do not determine its parameters. Its parameters and peak are omitted. The demands measured at 1 instance are no upper bound: they allow 400 OPM at 8, and 600 was measured."},
		{course(scale.Course{Shape: scale.FallsFromStart, First: 1}), holds + ": throughput falls from the smallest rung on, so its peak is at 1 instance or below."},
		{course(scale.Course{Shape: scale.LevelsToCeiling, Ceiling: 99262}), holds + ": it levels off towards 99,262 OPM, with no peak in the measured range."},
	} {
		if got := Scalability(&c.law, v, "instance"); got.Text != c.want {
			t.Errorf("got  %s\nwant %s", got.Text, c.want)
		}
	}
}
