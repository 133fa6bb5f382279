package metrics

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"plimsoll/internal/platform/telemetry/prometheus/prometheustest"
)

// receiver is a collector that stores the requests it gets, and can be set to refuse them.
type receiver struct {
	mu      sync.Mutex
	refuses bool
	refused int
	headers http.Header
	pushed  []*collector.ExportMetricsServiceRequest
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
}

func decode(request *http.Request) (*collector.ExportMetricsServiceRequest, error) {
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
	var message collector.ExportMetricsServiceRequest
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
