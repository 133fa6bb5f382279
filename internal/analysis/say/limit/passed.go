package limit

import (
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/text/words"
)

// Passed says in words how balancers shared requests and bytes out where the line ends;
// false where no balancer has several servers behind it.
//
// Needs: A balancer that counted the requests of each server behind it.
func Passed(s *setup.Subject, v *model.Variant) (model.Finding, bool) {
	r := loadline.Limiting(v.Rungs, v.LoadLine)
	if r == nil || len(r.Passed) == 0 {
		return model.Finding{}, false
	}
	f := model.Finding{ID: "balance-" + v.Name, Kind: model.BalanceFinding, Variant: v.Name, Rung: r.Instances, Trials: r.Trials, Numbers: map[string]float64{}}
	var requests float64
	var shares []string
	for _, p := range r.Passed {
		requests += p.Requests
		shares = append(shares, passedText(p))
		f.Numbers[p.To+" requests"], f.Numbers[p.To+" bytes"] = p.Share, p.OfBytes
	}
	f.Text = say.F("The %s of `%s` passed on %s requests/s at %s: %s.",
		r.Passed[0].By, v.Name, words.Number(requests), say.Count(r.Instances, s.Noun), say.Join(shares))
	return f, true
}

// passedText writes "33 % to gateway-1 (35 % of the bytes)".
func passedText(p rung.BalancerTraffic) string {
	return say.F("%s to %s (%s of the bytes)", words.Percent(p.Share), p.To, words.Percent(p.OfBytes))
}
