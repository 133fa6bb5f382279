package rung

import (
	"slices"
	"strings"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// BalancerTraffic is what balancers passed on to one of the servers behind them, over all
// repetitions: to the first one of every instance, to the second one, and so on.
type BalancerTraffic struct {
	By       string  `json:"by"`             // role of the balancers
	To       string  `json:"to"`             // "gateway-1"
	Requests float64 `json:"requests"`       // a second
	Bytes    float64 `json:"bytes"`          // of requests and answers, a second
	Share    float64 `json:"requests_share"` // of all that these balancers passed on
	OfBytes  float64 `json:"bytes_share"`    // of all that these balancers passed on
}

// passedOn adds up what the balancers of each role counted; none where there is but one
// server behind them.
func passedOn(passed []*result.Trial) (all []BalancerTraffic) {
	for _, s := range passed[0].Servers {
		var behind []BalancerTraffic
		for _, t := range passed {
			behind = addPassed(behind, s, trial.MetricsOf(t), 1/float64(len(passed)))
		}
		if len(behind) < 2 {
			continue
		}
		var requests, bytes float64
		for _, p := range behind {
			requests, bytes = requests+p.Requests, bytes+p.Bytes
		}
		for n := range behind {
			behind[n].Share, behind[n].OfBytes = stats.Ratio(behind[n].Requests, requests), stats.Ratio(behind[n].Bytes, bytes)
		}
		all = append(all, behind...)
	}
	return all
}

// addPassed adds what the servers of a role counted in a trial, which has a weight.
func addPassed(behind []BalancerTraffic, s result.Server, m trial.Metrics, weight float64) []BalancerTraffic {
	for _, name := range m.Names(describe.GaugeKind) {
		requests, ok := m.Mean(describe.GaugeKind, name, "requests")
		if !ok || !s.Runs(name) {
			continue
		}
		bytes, _ := m.Mean(describe.GaugeKind, name, "bytes")
		_, to, _ := strings.Cut(name, "/")
		at := slices.IndexFunc(behind, func(p BalancerTraffic) bool { return p.To == to })
		if at < 0 {
			at, behind = len(behind), append(behind, BalancerTraffic{By: s.Role, To: to})
		}
		behind[at].Requests += weight * requests
		behind[at].Bytes += weight * bytes
	}
	return behind
}
