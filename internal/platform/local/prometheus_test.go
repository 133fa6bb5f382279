package local_test

import (
	"slices"
	"testing"
	"time"

	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/platform/telemetry/prometheus"
	"plimsoll/internal/platform/telemetry/prometheus/prometheustest"
	"plimsoll/internal/result"
)

// A study on this machine may name a Prometheus: it tells of this machine, under any of
// its names, and of machines of the storage.
func TestPrometheusOfTheStudy(t *testing.T) {
	url := prometheustest.Start(t, "- {job_name: nothing, static_configs: [{targets: ['127.0.0.1:1']}]}\n")
	asked := &local.Parameters{Prometheus: &prometheus.Parameters{URL: url, Step: 1, Window: 4, Series: []prometheus.Series{
		{Name: "up", Query: "up", Capacity: 1},
		{Name: "queue", Query: `label_replace(up, "node", "ceph-1", "", "")`, Machine: "node", Capacity: 1},
	}}}
	if bad := (local.Kind{}).Validate(asked); len(bad) > 0 {
		t.Fatal(bad)
	}
	p, err := local.Kind{}.Bind(asked).New(localtest.Env(t))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close(t.Context())
	start := time.Now()
	o, err := p.Observe(t.Context(), platform.Observation{Interval: 100 * time.Millisecond, Start: start})
	if err != nil {
		t.Fatal(err)
	}
	var got prometheus.Answer
	t.Cleanup(func() { t.Log(got.Notes) })
	prometheustest.Await(t, "Prometheus has scraped", func() bool {
		got = prometheus.Read(t.Context(), *asked.Prometheus, prometheus.Span{From: start, To: time.Now(), Start: start})
		return len(got.Series) > 0
	})
	seen, err := o.Stop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, h := range seen.Machines {
		names = append(names, h.Name)
	}
	if !slices.Equal(names, []string{result.LocalMachine, "ceph-1"}) || !seen.Machines[1].Only(result.StorageRole) {
		t.Errorf("machines %+v; notes %q", seen.Machines, seen.Notes)
	}
	for _, want := range names {
		if !slices.ContainsFunc(seen.Series, func(s result.Series) bool {
			return s.Machine == want && s.Kind == "metric" && s.Metric == "utilisation"
		}) {
			t.Errorf("no metric of %s: %q", want, seen.Notes)
		}
	}
	if !slices.ContainsFunc(seen.Series, func(s result.Series) bool { return s.Kind == "cpu" }) {
		t.Error("this machine was not sampled")
	}
}

func TestImpossiblePrometheusIsRefused(t *testing.T) {
	bad := local.Kind{}.Validate(&local.Parameters{Prometheus: &prometheus.Parameters{URL: "prometheus"}})
	if len(bad) == 0 || bad[0].Path != "prometheus.url" {
		t.Errorf("%v", bad)
	}
}
