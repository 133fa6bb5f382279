package prometheus

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/platform/telemetry/prometheus/prometheustest"
	"plimsoll/internal/result"
)

// running starts a node-exporter and a Prometheus that asks it every second.
func running(t *testing.T) (prometheus, exporter string) {
	t.Helper()
	exporter = prometheustest.Program(t, "prometheus-node-exporter", func(address string) []string { return []string{"--web.listen-address=" + address} })
	return prometheustest.Start(t, fmt.Sprintf("- {job_name: node, static_configs: [{targets: [%q]}]}\n", exporter)), exporter
}

func find(all []result.Series, kind, name, metric string) *result.Series {
	at := slices.IndexFunc(all, func(s result.Series) bool {
		return s.Kind == kind && (s.Name == name || name == "any") && s.Metric == metric
	})
	if at < 0 {
		return nil
	}
	return &all[at]
}

// A real Prometheus that asks a real node-exporter tells what the machine did.
func TestRealPrometheus(t *testing.T) {
	address, exporter := running(t)
	start := time.Now()
	p := Parameters{
		URL: address, Exporters: []string{"node"}, Step: 1, Window: 4,
		Series: []Series{
			{Name: "file handles", Query: "node_filefd_allocated", Capacity: 1e9},
			{Name: "load", Query: "node_load1", Unit: "1", Item: "job", Role: result.ApplicationRole},
			{Name: "broken", Query: "rate(", Unit: "1"},
		},
	}
	if problems := p.Problems(); len(problems) != 0 {
		t.Fatal(problems)
	}
	var got Answer
	prometheustest.Await(t, "Prometheus has rates", func() bool {
		got = Read(t.Context(), p, Span{From: start, To: time.Now(), Start: start})
		cpu := find(got.Series, "cpu", "", "utilisation")
		return cpu != nil && len(cpu.Values) >= 2
	})
	if len(got.Machines) != 1 || got.Machines[0].Name != "127.0.0.1" || got.Machines[0].Cores < 1 || got.Machines[0].Memory < 1<<20 || !got.Machines[0].Only(result.StorageRole) {
		t.Errorf("machines %+v", got.Machines)
	}
	cpu := find(got.Series, "cpu", "", "utilisation")
	for i, v := range cpu.Values {
		if v < 0 || v > 1 || cpu.Times[i] < 0 || cpu.Times[i] > time.Since(start).Milliseconds() {
			t.Errorf("%v at %d ms", v, cpu.Times[i])
		}
	}
	if cpu.Machine != "127.0.0.1" || cpu.Unit != "1" || cpu.Start != start.UnixMilli() {
		t.Errorf("%+v", cpu)
	}
	for _, want := range [][3]string{{"machine", "", "memory_utilisation"}, {"machine", "", "memory_dirty"}, {"metric", "file handles", "file handles"}, {"metric", "file handles", "utilisation"}, {"metric", "load node", "load"}} {
		if find(got.Series, want[0], want[1], want[2]) == nil {
			t.Errorf("nothing is known of %v", want)
		}
	}
	value, share := find(got.Series, "metric", "file handles", "file handles"), find(got.Series, "metric", "file handles", "utilisation")
	if value != nil && share != nil && math.Abs(share.Values[0]-value.Values[0]/1e9) > 1e-12 {
		t.Errorf("%v of 1e9 is not %v", value.Values[0], share.Values[0])
	}
	if !slices.ContainsFunc(got.Notes, func(n string) bool {
		return strings.HasPrefix(n, "Prometheus did not give broken: ") && strings.Contains(n, "parse error")
	}) {
		t.Errorf("%q", got.Notes)
	}
	t.Run("the platform's own machines", func(t *testing.T) {
		own := Read(t.Context(), p, Span{From: start, To: time.Now(), Start: start, Own: map[string]string{"127.0.0.1": "worker-1"}})
		if len(own.Machines) != 1 || own.Machines[0].Name != "worker-1" || len(own.Machines[0].Roles) != 0 {
			t.Errorf("%+v", own.Machines)
		}
		if exact := Read(t.Context(), p, Span{From: start, To: time.Now(), Start: start, Own: map[string]string{exporter: "worker-2"}}); exact.Machines[0].Name != "worker-2" {
			t.Errorf("%+v", exact.Machines)
		}
	})
	t.Run("machines that nobody wants", func(t *testing.T) {
		p := p
		p.Machines = []string{"ceph-*"}
		if none := Read(t.Context(), p, Span{From: start, To: time.Now(), Start: start}); len(none.Series) != 0 || !strings.Contains(strings.Join(none.Notes, "\n"), "were left out") {
			t.Errorf("%d series, %q", len(none.Series), none.Notes)
		}
	})
	t.Run("a token", func(t *testing.T) { withToken(t, p, address, start) })
	t.Run("every built-in query is understood", func(t *testing.T) { understood(t, address, start) })
}

// withToken reads through a proxy that wants a token, as proxies of clusters do.
func withToken(t *testing.T, p Parameters, address string, start time.Time) {
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	guarded := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer guarded.Close()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.URL = guarded.URL
	span := Span{From: start, To: time.Now(), Start: start}
	if refused := Read(t.Context(), p, span); len(refused.Series) != 0 || !strings.Contains(strings.Join(refused.Notes, "\n"), "who are you?") {
		t.Errorf("without a token: %d series, %q", len(refused.Series), refused.Notes)
	}
	p.TokenFile = file
	if known := Read(t.Context(), p, span); len(known.Series) == 0 {
		t.Errorf("with the token: %q", known.Notes)
	}
	p.TokenFile = file + "-missing"
	if missing := Read(t.Context(), p, span); len(missing.Series) != 0 || !strings.Contains(strings.Join(missing.Notes, "\n"), "no such file") {
		t.Errorf("without the file: %q", missing.Notes)
	}
}

// understood has the queries for exporters that do not run here parsed.
func understood(t *testing.T, address string, start time.Time) {
	for _, name := range Exporters() {
		p := Parameters{URL: address, Exporters: []string{name}}
		if problems := p.Problems(); len(problems) != 0 {
			t.Error(problems)
		}
		for _, note := range Read(t.Context(), p, Span{From: start, To: time.Now(), Start: start}).Notes {
			if strings.Contains(note, "did not give") {
				t.Errorf("%s: %s", name, note)
			}
		}
		for _, s := range p.series() {
			for _, problem := range s.problems() {
				t.Errorf("%s: %s%s: %s %s", name, s.Name, s.As, problem.Path, problem.Text)
			}
		}
	}
}

func TestNobodyAnswers(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got := Read(ctx, Parameters{URL: "http://127.0.0.1:1", Series: []Series{{Name: "x", Query: "up"}}}, Span{From: time.Now().Add(-time.Minute), To: time.Now()})
	if len(got.Series) != 0 || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "connection refused") {
		t.Errorf("%+v", got)
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct {
		field string
		p     Parameters
	}{
		{"url", Parameters{URL: "prometheus:9090"}},
		{"url", Parameters{URL: "http://me:secret@prometheus:9090"}},
		{"exporters", Parameters{Exporters: []string{"windows"}}},
		{"machines", Parameters{Machines: []string{"[a"}}},
		{"step", Parameters{Step: -1}},
		{"window", Parameters{Window: 1e6}},
		{"role", Parameters{Role: "boss"}},
		{"series", Parameters{Exporters: []string{}}},
		{"series[0].query", Parameters{Series: []Series{{Name: "x"}}}},
		{"series[0].name", Parameters{Series: []Series{{Query: "up"}}}},
		{"series[0].as", Parameters{Series: []Series{{Query: "up", As: "device/speed"}}}},
		{"series[0].capacity", Parameters{Series: []Series{{Name: "x", Query: "up", Capacity: -1}}}},
	} {
		if c.p.URL == "" {
			c.p.URL = "http://prometheus:9090"
		}
		if len(c.p.Series)+len(c.p.Exporters) == 0 && c.field != "series" {
			c.p.Exporters = []string{"node"}
		}
		if got := c.p.Problems(); len(got) != 1 || got[0].Path != c.field || strings.Contains(got[0].Text, "secret") {
			t.Errorf("%+v: %v, not one of %s", c.p, got, c.field)
		}
	}
}
