package metrics

import (
	"compress/gzip"
	"context"
	"encoding/pem"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	otlp "go.opentelemetry.io/proto/slim/otlp/collector/metrics/v1"
	metrics "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"plimsoll/internal/platform/telemetry/prometheus/prometheustest"
)

// receiver is a collector that stores the requests it gets, and can be set to refuse them.
type receiver struct {
	mu      sync.Mutex
	refuses bool
	part    *otlp.ExportMetricsPartialSuccess // what it says of what it took
	refused int
	headers http.Header
	pushed  []*otlp.ExportMetricsServiceRequest
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refuses {
		r.refused++
		http.Error(w, "come back later", http.StatusServiceUnavailable)
		return
	}
	message, err := decode(request)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.headers = request.Header
	r.pushed = append(r.pushed, message)
	if r.part == nil {
		return
	}
	text, err := proto.Marshal(&otlp.ExportMetricsServiceResponse{PartialSuccess: r.part})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
	_, _ = w.Write(text) // who asked tells
}

func decode(request *http.Request) (*otlp.ExportMetricsServiceRequest, error) {
	body := io.Reader(request.Body)
	if request.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			return nil, err
		}
		body = unpacked
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	var message otlp.ExportMetricsServiceRequest
	return &message, proto.Unmarshal(text, &message)
}

func (r *receiver) set(refuses bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuses = refuses
}

func (r *receiver) counts() (pushed, refused int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.pushed), r.refused
}

// latest finds a metric in what was sent last.
func (r *receiver) latest(name string) *metrics.Metric {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.pushed) == 0 {
		return nil
	}
	for _, of := range r.pushed[len(r.pushed)-1].ResourceMetrics {
		for _, scope := range of.ScopeMetrics {
			if at := slices.IndexFunc(scope.Metrics, func(m *metrics.Metric) bool { return m.Name == name }); at >= 0 {
				return scope.Metrics[at]
			}
		}
	}
	return nil
}

// A collector gets what a scrape gets, with the headers of the environment; that it is
// away is said once, and that it is back; the last push is made when the run ends.
func TestPush(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20secret")
	r, to := begun(t), &receiver{}
	server := httptest.NewServer(to)
	defer server.Close()
	ctx, end := context.WithCancel(t.Context())
	var messages []string
	ended := make(chan error)
	go func() {
		ended <- r.push(ctx, server.URL+"/v1/metrics", 50*time.Millisecond, func(text string) { messages = append(messages, text) })
	}()
	prometheustest.Await(t, "metrics arrive", func() bool { pushed, _ := to.counts(); return pushed >= 2 })
	to.set(true)
	prometheustest.Await(t, "some are refused", func() bool { _, refused := to.counts(); return refused >= 3 })
	to.set(false)
	before, _ := to.counts()
	prometheustest.Await(t, "they arrive again", func() bool { pushed, _ := to.counts(); return pushed > before })
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if len(messages) != 2 || !strings.Contains(messages[0], "cannot be pushed to "+server.URL) || !strings.Contains(messages[1], "again") {
		t.Errorf("reported %q", messages)
	}
	to.check(t)
}

func (r *receiver) check(t *testing.T) {
	t.Helper()
	if got := r.headers.Get("Authorization"); got != "Bearer secret" {
		t.Errorf("the collector was told %q", got)
	}
	units := r.latest("plimsoll_units_total")
	if units == nil || !units.GetSum().GetIsMonotonic() || !slices.ContainsFunc(units.GetSum().DataPoints, func(p *metrics.NumberDataPoint) bool { return p.GetAsDouble() == 6 }) {
		t.Errorf("units of work: %v", units)
	}
	times := r.latest("plimsoll_operation_duration_seconds")
	if times == nil || !slices.ContainsFunc(times.GetHistogram().GetDataPoints(), func(p *metrics.HistogramDataPoint) bool { return p.Count == 8 && len(p.ExplicitBounds) == len(bounds) }) {
		t.Errorf("response times: %v", times)
	}
}

// sent is what a collector gets from a run by an environment.
func sent(t *testing.T, to *receiver, server *httptest.Server, environment map[string]string) error {
	t.Helper()
	for name, value := range environment {
		t.Setenv("OTEL_EXPORTER_OTLP_"+name, value)
	}
	c, err := newCollector(server.URL)
	if err != nil {
		return err
	}
	r := begun(t)
	registry := prometheus.NewRegistry()
	registry.MustRegister(r)
	figures, err := r.figures(registry, time.Unix(2000, 0))
	if err != nil {
		t.Fatal(err)
	}
	return c.send(t.Context(), figures)
}

// What a collector takes in part is said; a message that goes with nothing rejected as well.
func TestWhatACollectorTakesInPart(t *testing.T) {
	for name, c := range map[string]struct {
		part *otlp.ExportMetricsPartialSuccess
		says string
	}{
		"all":       {&otlp.ExportMetricsPartialSuccess{}, ""},
		"a part":    {&otlp.ExportMetricsPartialSuccess{RejectedDataPoints: 3, ErrorMessage: "too many"}, "3 data points are rejected: too many"},
		"a warning": {&otlp.ExportMetricsPartialSuccess{ErrorMessage: "soon no more"}, "soon no more"},
	} {
		to := &receiver{part: c.part}
		server := httptest.NewServer(to)
		err := sent(t, to, server, nil)
		server.Close()
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

// text is a file that holds it.
func text(t *testing.T, of string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte(of), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// The variables for metrics go before those for all that is exported.
func TestEnvironmentOfACollector(t *testing.T) {
	t.Run("a certificate, compression and headers", func(t *testing.T) {
		to := &receiver{}
		server := httptest.NewTLSServer(to)
		defer server.Close()
		err := sent(t, to, server, map[string]string{
			"CERTIFICATE": text(t, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))), "COMPRESSION": "gzip", "HEADERS": "a=all, b=all", "METRICS_HEADERS": "a = one%2Ctwo ,,",
		})
		if err != nil || to.headers.Get("A") != "one,two" || to.headers.Get("B") != "" || to.headers.Get("Content-Encoding") != "gzip" {
			t.Errorf("%v, headers %v", err, to.headers)
		}
	})
	t.Run("a stranger's certificate", func(t *testing.T) {
		to := &receiver{}
		server := httptest.NewTLSServer(to)
		defer server.Close()
		if err := sent(t, to, server, nil); err == nil || len(to.pushed) > 0 {
			t.Errorf("it was trusted: %v", err)
		}
	})
	for name, environment := range map[string]map[string]string{
		"no file":        {"CERTIFICATE": filepath.Join(t.TempDir(), "none")},
		"a device":       {"CERTIFICATE": os.DevNull},
		"no certificate": {"CERTIFICATE": text(t, "none")},
		"no key":         {"CLIENT_CERTIFICATE": text(t, "none"), "CLIENT_KEY": text(t, "none")},
		"a name alone":   {"HEADERS": "secret"},
		"no name":        {"HEADERS": "=secret"},
		"half an escape": {"HEADERS": "a=secret%2"},
	} {
		t.Run(name, func(t *testing.T) {
			to := &receiver{}
			server := httptest.NewServer(to)
			defer server.Close()
			if err := sent(t, to, server, environment); err == nil || !strings.Contains(err.Error(), "OTEL_EXPORTER_OTLP_") || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v", err)
			}
		})
	}
}

// Buckets count what is in each of them, and counters say since when.
func TestFiguresOfAHistogram(t *testing.T) {
	to := &receiver{}
	server := httptest.NewServer(to)
	defer server.Close()
	if err := sent(t, to, server, nil); err != nil {
		t.Fatal(err)
	}
	for _, p := range to.latest("plimsoll_operation_duration_seconds").GetHistogram().DataPoints {
		of, in := uint64(0), map[float64]uint64{}
		for at, n := range p.BucketCounts {
			if of += n; n > 0 {
				in[append(p.ExplicitBounds, math.Inf(1))[at]] = n
			}
		}
		if of != p.Count || p.Count == 8 && !maps.Equal(in, map[float64]uint64{1e-3: 2, 2.5e-3: 4, 0.4: 2}) {
			t.Errorf("%d of %d are in buckets: %v", of, p.Count, in)
		}
		if p.StartTimeUnixNano != 1000e9 || p.TimeUnixNano != 2000e9 {
			t.Errorf("from %d to %d", p.StartTimeUnixNano, p.TimeUnixNano)
		}
	}
	if share := to.latest("plimsoll_run_progress_ratio").GetGauge().GetDataPoints(); len(share) != 1 || share[0].GetAsDouble() != 0.25 || share[0].StartTimeUnixNano != 0 {
		t.Errorf("progress: %v", share)
	}
}

func TestEndpoints(t *testing.T) {
	for address, good := range map[string]bool{
		"http://127.0.0.1:4318/v1/metrics": true, "https://collector.example/v1/metrics": true,
		"127.0.0.1:4318": false, "file:///etc/passwd": false, "http://": false, "http://user:secret@collector.example": false,
		"https://collector.example/v1/metrics?key=secret": false, "": false, "http://%zz": false,
	} {
		err := CheckEndpoint(address)
		if (err == nil) != good {
			t.Errorf("%s: %v", address, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") && strings.Contains(err.Error(), address) {
			t.Errorf("the error repeats a secret: %v", err)
		}
	}
}

// What the headers hold goes to the address that was given alone, and to no other machine in the
// clear.
func TestHeadersFollowNoRedirect(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=secret")
	elsewhere := &receiver{}
	other := httptest.NewServer(elsewhere)
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL+"/v1/metrics", http.StatusPermanentRedirect))
	defer server.Close()
	ctx, end := context.WithCancel(t.Context())
	end() // one push at the end
	var messages []string
	_ = begun(t).push(ctx, server.URL+"/v1/metrics", time.Hour, func(text string) { messages = append(messages, text) })
	if pushed, refused := elsewhere.counts(); pushed+refused > 0 || len(messages) != 1 {
		t.Errorf("%d pushes went on to the other server: %q", pushed+refused, messages)
	}
	for address, right := range map[string]bool{
		"http://collector.example/v1/metrics": false, "https://collector.example/v1/metrics": true,
		"http://127.0.0.1:4318/v1/metrics": true, "http://[::1]:4318/v1/metrics": true, "http://localhost:4318/v1/metrics": true,
	} {
		if err := CheckEndpoint(address); (err == nil) != right {
			t.Errorf("%s: %v", address, err)
		}
	}
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "")
	if err := CheckEndpoint("http://collector.example/v1/metrics"); err != nil {
		t.Error(err)
	}
}
