package limit

import (
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/text/words"
)

// Spike finds where response time jumps: from one rung to the next it
// at least doubles, and grows with more than the fourth power of the load. A
// queue that merely fills grows in proportion.
//
// Needs: Two neighbouring rungs, the mean at least doubled, by more than the fourth power of the load;
// no telemetry.
func Spike(s *setup.Subject, v *model.Variant) (model.Finding, bool) {
	var before *rung.Rung
	for i := range v.Rungs {
		r := &v.Rungs[i]
		if r.Repetitions == 0 || r.Mean.Value <= 0 {
			continue
		}
		if before != nil && diagnose.Spikes(before, r) {
			return model.Finding{
				ID: "spike-" + v.Name, Kind: model.SpikeFinding, Variant: v.Name, Rung: r.Instances,
				Text: say.F("Response time spikes on `%s` between %d and %s: from %s to %s on average.", v.Name,
					before.Instances, say.Count(r.Instances, s.Noun), words.Seconds(before.Mean.Value), words.Seconds(r.Mean.Value)),
				Numbers: map[string]float64{"before": before.Mean.Value, "after": r.Mean.Value},
				Trials:  append(append([]string{}, before.Trials...), r.Trials...),
			}, true
		}
		before = r
	}
	return model.Finding{}, false
}
