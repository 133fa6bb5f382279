package analysis

import (
	"fmt"
	"math"

	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/words"
)

// steep is the exponent of growth from which response time is said to spike:
// ten per cent more load makes it half as long again.
const steep = 4

// spikeFinding finds where response time jumps: from one rung to the next it
// at least doubles, and grows with more than the fourth power of the load. A
// queue that merely fills grows in proportion.
func (s *subject) spikeFinding(v *Variant) (Finding, bool) {
	var before *rung.Rung
	for i := range v.Rungs {
		r := &v.Rungs[i]
		if r.Repetitions == 0 || r.Mean.Value <= 0 {
			continue
		}
		if before != nil && spikes(before, r) {
			return Finding{
				ID: "spike-" + v.Name, Kind: "spike", Variant: v.Name, Rung: r.Instances,
				Text: fmt.Sprintf("Response time spikes on `%s` between %d and %s: from %s to %s on average.", v.Name,
					before.Instances, words.Count(r.Instances, s.noun), words.Seconds(before.Mean.Value), words.Seconds(r.Mean.Value)),
				Numbers: map[string]float64{"before": before.Mean.Value, "after": r.Mean.Value},
				Trials:  append(append([]string{}, before.Trials...), r.Trials...),
			}, true
		}
		before = r
	}
	return Finding{}, false
}

func spikes(a, b *rung.Rung) bool {
	growth := b.Mean.Value / a.Mean.Value
	return growth >= 2 && math.Log(growth) > steep*math.Log(float64(b.Instances)/float64(a.Instances))
}
