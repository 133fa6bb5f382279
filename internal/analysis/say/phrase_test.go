package say

import (
	"testing"

	"plimsoll/internal/analysis/resource"
)

// A resource's phrase says which total it is a share of.
func TestSaysOfWhat(t *testing.T) {
	for _, c := range []struct {
		r                  resource.Resource
		load, share, shown string
	}{
		{resource.Resource{Kind: "cpu", Utilisation: 0.97, Servers: 8}, "97 % busy", "97 %", ""},
		{resource.Resource{Kind: "node", Utilisation: 0.97}, "used to 97 % of its limit", "97 % of its limit", ""},
		{resource.Resource{Kind: "quota", Utilisation: 0.97}, "97 % used", "97 %", ""},
		{resource.Resource{Kind: "device", Utilisation: 0.2, Busy: 0.2, Servers: 1}, "20 % busy", "20 %", ""},
		{resource.Resource{Kind: "device", Utilisation: 0.2, Busy: 0.6, Servers: 16}, "used to 20 % of its parallel capacity", "20 % of its parallel capacity",
			"the kernel shows it busy 60 % of the time, as it does while any request is in flight"},
		{resource.Resource{Kind: "device", Utilisation: 0.97, Busy: 0.97, Servers: 12, ByRate: true}, "used to 97 % of its sequential rate", "97 % of its sequential rate", ""},
	} {
		if LoadText(c.r) != c.load || ShareText(c.r) != c.share || KernelBusy(c.r) != c.shown {
			t.Errorf("%+v: %q, %q, %q", c.r, LoadText(c.r), ShareText(c.r), KernelBusy(c.r))
		}
	}
}

// The evidence of request times about a device depends on what was assumed about it.
func TestEvidence(t *testing.T) {
	device := func(w resource.Width) resource.Resource {
		return resource.Resource{Kind: resource.Device, Busy: 0.1, Queue: 5.82, Await: 0.01, Assumed: "the hypervisor calls it rotating", Width: w}
	}
	const assumed = "It is assumed to serve 1 request in parallel (the hypervisor calls it rotating)"
	for want, w := range map[string]resource.Width{
		"": {},
		"The kernel shows it busy 10 % of the time with 5.82 requests in flight on average, which contradict each other.":                                                 {Doubt: resource.Contradictory},
		assumed + "; its request times were not recorded.":                                                                                                                {Doubt: resource.Unrecorded, Assumed: 1},
		assumed + ". With 5.82 in flight a request took 10 ms, and with 1.45 it took 10 ms: requests hardly wait for each other, so the device's parallelism is unknown.": {Doubt: resource.Unsettled, Assumed: 1, BestQueue: 1.45, BestAwait: 0.01},
		assumed + ", and the request times confirm it: a request took 10 ms with 5.82 in flight and 2 ms with 1.45.":                                                      {Doubt: resource.Borne, Assumed: 1, BestQueue: 1.45, BestAwait: 0.002},
		assumed + "; but with 5.82 requests in flight each took 10 ms, and 2 ms with 1.45: it serves about 4 in parallel and queues the rest.":                            {Doubt: resource.Corrected, Assumed: 1, BestQueue: 1.45, BestAwait: 0.002, Shown: 4},
	} {
		if got := evidenceText(device(w)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestQuotas(t *testing.T) {
	for want, r := range map[string]resource.Resource{
		"0.6 cores, throttled in 149 of 208 periods": {Kind: resource.Container, Servers: 0.6, Periods: 208, Throttled: 149. / 208},
		"1 core": {Kind: resource.Container, Servers: 1},
		"":       {Kind: resource.CPU, Servers: 1},
	} {
		if got := QuotaText(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
