package grade

import (
	"math"
	"testing"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/study"
)

// A share of a rating may be off by half of its interval: others who used more may have made it.
// One that was measured once has no margin.
func TestTheMarginOfAFraction(t *testing.T) {
	a := &model.Analysis{
		Variants: []model.Variant{{Name: "a", Rungs: []rung.Rung{{Instances: 4}}}, {Name: "once", Rungs: []rung.Rung{{Instances: 4}}}},
		Reply: &model.Reply{Kind: study.OfRating, Groups: []model.ReplyGroup{{Cells: []model.ReplyCell{
			{Variant: "a", Rung: 4, Value: stats.Interval{Value: 0.5, Low: 0.45, High: 0.55, Confidence: 0.95}},
			{Variant: "once", Rung: 4, Value: stats.Exactly(0.5)},
		}}}},
	}
	got := decisions(a.Reply, a.Variants)
	if len(got) != 1 || got[0].rung != &a.Variants[0].Rungs[0] || math.Abs(got[0].margin-0.1) > 1e-9 {
		t.Errorf("%+v", got)
	}
}
