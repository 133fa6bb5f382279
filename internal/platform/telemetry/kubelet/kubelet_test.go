package kubelet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/platform/telemetry"
	"plimsoll/internal/result"
)

// recorded answers with what a real kubelet said at two moments, 30 s apart: of a
// node with two cores on which one container, limited to a fifth of a core, writes.
type recorded struct {
	refuse string // part of the paths that it does not answer
	asked  map[string]int
}

var errRefused = errors.New("nodes/proxy is forbidden")

func (r *recorded) get(_ context.Context, _, what string) (io.ReadCloser, error) {
	if r.refuse != "" && strings.Contains(what, r.refuse) {
		return nil, errRefused
	}
	if r.asked == nil {
		r.asked = map[string]int{}
	}
	r.asked[what]++
	return os.Open(filepath.Join("testdata", fmt.Sprintf("%s-%d", path.Base(what), min(r.asked[what], 2))))
}

// twice asks twice, as long as nothing is known to be missing.
func twice(t *testing.T, r *recorded, offset time.Duration) *Sampler {
	t.Helper()
	s := Start(t.Context(), Config{
		Get: r.get, Start: time.UnixMilli(1795362400000), Interval: time.Hour,
		Nodes: func() []Node { return []Node{{Name: "node1", Cores: 2, Memory: 25276502016, Offset: offset}} },
		Pods: func() []Pod {
			return []Pod{{Kind: "instance", Name: "db-000", Namespace: "observe-dev", Pod: "t1-db-000", Container: "server"}, {Kind: "driver", Name: "driver-0", Namespace: "observe-dev", Pod: "elsewhere", Container: "task"}}
		},
	})
	for s.askedOnce("node1") == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	return s
}

func (s *Sampler) askedOnce(node string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tries[node]; t != nil {
		return t.asked
	}
	return 0
}

func find(all []result.Series, kind, name, metric string) *result.Series {
	at := slices.IndexFunc(all, func(s result.Series) bool { return s.Kind == kind && s.Name == name && s.Metric == metric })
	if at < 0 {
		return nil
	}
	return &all[at]
}

func check(t *testing.T, all []result.Series, kind, name, metric string, at int64, want float64) {
	t.Helper()
	s := find(all, kind, name, metric)
	if s == nil {
		t.Errorf("there is no %s %s %s", kind, name, metric)
		return
	}
	last := len(s.Values) - 1
	if math.Abs(s.Values[last]-want) > 1e-4*max(1, want) || s.Times[last] != at || s.Machine != "node1" {
		t.Errorf("%s %s %s is %v at %v on %s, not %v at %d", kind, name, metric, s.Values, s.Times, s.Machine, want, at)
	}
}

// A rate is over the time between two looks of the kubelet, which takes each container
// at moments of its own, not over that between two questions.
func TestRatesAreThoseOfTheKubeletsOwnMoments(t *testing.T) {
	s := twice(t, &recorded{}, 0)
	all := s.Stop(t.Context())
	check(t, all, "cpu", "", "busy", 48375, 39.655328391/20.020)
	check(t, all, "cpu", "", "utilisation", 48375, 39.655328391/20.020/2)
	check(t, all, "machine", "", "memory_used", 48375, 3728846848)
	check(t, all, "machine", "", "memory_utilisation", 48375, 3728846848./25276502016)
	check(t, all, "instance", "db-000", "cpu", 46773, 5.108150712/30.873)
	check(t, all, "instance", "db-000", "cpu_limit", 46773, 0.2)
	check(t, all, "instance", "db-000", "cpu_utilisation", 46773, 5.108150712/30.873/0.2)
	check(t, all, "instance", "db-000", "throttled_periods", 46773, 111./309)
	check(t, all, "instance", "db-000", "throttled", 46773, 1.633392888/30.873)
	check(t, all, "device", "vda", "reads", 48375, 8668/20.020)
	check(t, all, "device", "vda", "utilisation", 48375, 5.252/20.020)
	check(t, all, "device", "vda", "queue", 48375, 17.882/20.020)
	check(t, all, "device", "vda", "read_await", 48375, 7.276/8668)
	check(t, all, "device", "vda", "write_bytes", 48375, 512*(1686625529.-1678270761)/20.020)
	if len(find(all, "cpu", "", "busy").Values) != 1 || len(find(all, "machine", "", "memory_used").Values) != 2 {
		t.Errorf("values of moments that were told twice, or of none before: %v", all)
	}
	if find(all, "machine", "", "disk_utilisation") == nil {
		t.Error("nothing is known of the node's file system")
	}
	if i := slices.IndexFunc(all, func(s result.Series) bool { return s.Kind == "driver" }); i >= 0 {
		t.Errorf("a pod that is not there has %s", all[i].Metric)
	}
	for _, s := range all {
		if !slices.ContainsFunc(telemetry.Metrics(), func(m telemetry.Metric) bool { return m.Kind == s.Kind && m.Name == s.Metric && m.Unit == s.Unit }) {
			t.Errorf("%s %s in %s is not in the table", s.Kind, s.Metric, s.Unit)
		}
	}
	if notes := s.Notes(); len(notes) != 1 || !strings.Contains(notes[0], "every 2") {
		t.Errorf("%q", notes)
	}
}

// The clock of a node may differ from the campaign's.
func TestMomentsAreThoseOfTheCampaignsClock(t *testing.T) {
	s := twice(t, &recorded{}, 3*time.Second)
	check(t, s.Stop(t.Context()), "cpu", "", "busy", 45375, 39.655328391/20.020)
}

func TestAnsweringTheSameAgainAddsNothing(t *testing.T) {
	s := twice(t, &recorded{asked: map[string]int{"metrics/cadvisor": 1, "stats/summary": 1}}, 0)
	if cpu := find(s.Stop(t.Context()), "cpu", "", "busy"); cpu != nil {
		t.Errorf("%v", cpu)
	}
}

// A kubelet without cAdvisor's metrics tells CPU and memory all the same.
func TestResourceMetricsStandIn(t *testing.T) {
	s := twice(t, &recorded{refuse: "cadvisor"}, 0)
	all := s.Stop(t.Context())
	check(t, all, "cpu", "", "busy", 48375, 39.655328391/20.020)
	check(t, all, "instance", "db-000", "cpu", 46773, 5.108150712/30.873)
	check(t, all, "instance", "db-000", "memory", 46773, 4227072)
}

func TestWhatMayNotBeReadIsNoted(t *testing.T) {
	s := twice(t, &recorded{refuse: "/"}, 0)
	if all := s.Stop(t.Context()); len(all) != 0 {
		t.Errorf("%v", all)
	}
	if notes := s.Notes(); len(notes) != 1 || notes[0] != "what node node1 did is not known: nodes/proxy is forbidden" {
		t.Errorf("%q", notes)
	}
}

// Pressure comes from cAdvisor's metrics, or else from the summary.
func TestPressure(t *testing.T) {
	const before, after = `container_pressure_memory_waiting_seconds_total{container="server",id="/a",namespace="n",pod="p"} 10 1000
container_pressure_memory_stalled_seconds_total{container="server",id="/a",namespace="n",pod="p"} 1 1000
`, `container_pressure_memory_waiting_seconds_total{container="server",id="/a",namespace="n",pod="p"} 15 11000
container_pressure_memory_stalled_seconds_total{container="server",id="/a",namespace="n",pod="p"} 2 11000
`
	summary := func(second, some int) string {
		psi := fmt.Sprintf(`{"some":{"total":%d},"full":{"total":0}}`, some)
		return fmt.Sprintf(`{"node":{"io":{"time":"1970-01-01T00:00:%02dZ","psi":%s}},"pods":[{"podRef":{"name":"p","namespace":"n"},
			"containers":[{"name":"server","memory":{"time":"1970-01-01T00:00:%02dZ","psi":%s}}]}]}`, second, psi, second, psi)
	}
	answers := map[string][]string{"metrics/cadvisor": {before, after}, "stats/summary": {summary(1, 0), summary(11, 2e9)}}
	get := func(_ context.Context, _, what string) (io.ReadCloser, error) {
		text := answers[what][0]
		answers[what] = answers[what][1:]
		return io.NopCloser(strings.NewReader(text)), nil
	}
	s := Start(t.Context(), Config{
		Get: get, Start: time.UnixMilli(0), Interval: time.Hour, Nodes: func() []Node { return []Node{{Name: "node1"}} },
		Pods: func() []Pod { return []Pod{{"instance", "db-000", "n", "p", "server"}} },
	})
	for s.askedOnce("node1") == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	all := s.Stop(t.Context())
	check(t, all, "pressure", "db-000/memory", "some", 11000, 0.5)
	check(t, all, "pressure", "db-000/memory", "full", 11000, 0.1)
	check(t, all, "pressure", "io", "some", 11000, 0.2)
	if n := len(find(all, "pressure", "db-000/memory", "some").Values); n != 1 {
		t.Errorf("told %d times", n)
	}
}

// BenchmarkParse measures the cost of one answer of a busy node: 110 pods, as many as a
// node may have.
func BenchmarkParse(b *testing.B) {
	one, err := os.ReadFile("testdata/cadvisor-1")
	if err != nil {
		b.Fatal(err)
	}
	var text strings.Builder
	for n := range 110 {
		text.WriteString(strings.ReplaceAll(string(one), "t1-db-000", fmt.Sprintf("t1-db-%03d", n)))
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parse(strings.NewReader(text.String()), time.Now()); err != nil {
			b.Fatal(err)
		}
	}
}
