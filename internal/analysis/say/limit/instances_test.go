package limit

import (
	"testing"

	"plimsoll/internal/analysis/rung"
)

func TestInstancesInWords(t *testing.T) {
	v, r := orders(0.1)
	worst := rung.WorstInstance{Instance: 7, Value: 2.9, Share: 0.002, Even: 0.125, Machine: "worker-2", Volumes: []string{"t1-db-007"}}
	o := rung.ObjectiveResult{Operation: "purchase", Metric: "mean", Value: 0.055, Worst: &worst}
	const place = "(0.2 % of the orders, where 12 % would be even; on node worker-2, on volume t1-db-007)"
	if got := InstanceText(v, o, "instance"); got != "purchase mean was 2.9 s on instance 7 "+place+", and 55 ms over all" {
		t.Error(got)
	}
	worst.Starved, worst.Units = true, 3
	if got := InstanceText(v, o, "instance"); got != "instance 7 starved: it completed 3 orders, and its users waited for 2.9 s on average "+place+", and 55 ms over all" {
		t.Error(got)
	}
	u := &rung.Imbalance{Jain: 0.88, Of: 8, Least: 7, Share: 0.002, Machine: "worker-2", Volumes: []string{"t1-db-007"}, Trial: "ssd/8/1"}
	if got := unevenText(subject(), v, r, u); got != "The instances of `a` were not served alike at 8 instances: Jain's index was 0.88 in trial ssd/8/1, as if 7.0 of 8 had shared the work evenly and the others had got none. Instance 7 did least "+place+"." {
		t.Error(got)
	}
	if got := passedText(rung.BalancerTraffic{To: "gateway-3", Share: 0.5, OfBytes: 1. / 3}); got != "50 % to gateway-3 (33 % of the bytes)" {
		t.Error(got)
	}
}
