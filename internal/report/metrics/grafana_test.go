package metrics

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/platform/telemetry/prometheus/prometheustest"
	"plimsoll/internal/report/live"
	"plimsoll/internal/result"
)

// dashboard is what the test reads of Grafana's JSON model.
type dashboard struct {
	Panels []struct {
		ID      int
		Title   string
		Targets []struct{ Expr string }
	}
	Templating struct {
		List []struct{ Name, Type, Definition string }
	}
	Annotations struct {
		List []struct{ Expr string }
	}
}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	text, err := os.ReadFile("../../../deploy/grafana/plimsoll.json")
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Everything that the dashboard asks for is there: a real Prometheus reads it, with the
// token, from the listener that a run has.
func TestTheDashboardShowsARun(t *testing.T) {
	d := readDashboard(t)
	server := prometheustest.Start(t, served(t))
	asked := map[int]bool{}
	for _, panel := range d.Panels {
		if asked[panel.ID] {
			t.Errorf("two panels have the number %d", panel.ID)
		}
		asked[panel.ID] = true
		for _, target := range panel.Targets {
			hasData(t, server, panel.Title, target.Expr)
		}
	}
	for _, a := range d.Annotations.List {
		query(t, server, a.Expr) // it marks only what has just begun
	}
	if len(asked) < 20 {
		t.Errorf("%d panels", len(asked))
	}
	for _, v := range d.Templating.List {
		if v.Type == "query" {
			metric, label, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(v.Definition, "label_values("), ")"), ", ")
			hasData(t, server, "variable "+v.Name, fmt.Sprintf("count by (%s) (%s{%s!=\"\"})", label, metric, label))
		}
	}
}

// served serves a run that goes on until the test ends, where a token is asked for, and
// gives how to ask it.
func served(t *testing.T) (scrapes string) {
	t.Helper()
	r := begun(t)
	file := filepath.Join(t.TempDir(), "token")
	l, err := live.Listen(live.Options{Addr: live.Loopback, TokenFile: file})
	if err != nil {
		t.Fatal(err)
	}
	l.Handle("GET /metrics", r.Handler())
	l.Start()
	ended := make(chan struct{})
	goesOn := make(chan struct{})
	go func() {
		defer close(ended)
		goOn(r, goesOn)
	}()
	t.Cleanup(func() {
		close(goesOn)
		<-ended
		if err := l.Close(t.Context()); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	at, err := url.Parse(l.URL())
	if err != nil {
		t.Fatal(err)
	}
	if status := prometheustest.Get("http://" + at.Host + "/metrics"); status != http.StatusUnauthorized {
		t.Errorf("without the token the answer is %d", status)
	}
	return fmt.Sprintf("- {job_name: plimsoll, authorization: {credentials_file: %q}, static_configs: [{targets: [%q]}]}\n", file, at.Host)
}

// goOn adds to everything that a run counts, until it is told to end.
func goOn(r *Run, end <-chan struct{}) {
	for second := 5; ; second++ {
		select {
		case <-end:
			return
		case <-time.After(200 * time.Millisecond):
		}
		more(r, second)
	}
}

func more(r *Run, second int) {
	h := result.NewHistogram()
	_ = h.RecordValue(2_000_000) // within the range
	text, err := result.EncodeHistogram(h)
	if err != nil {
		panic(err)
	}
	r.Record(result.Record{Kind: result.KindOperation, Driver: "driver-0", Phase: result.Measure, Operation: "order", Count: 1, Bytes: 50, Errors: map[string]int64{"timeout": 1}, Histogram: text})
	r.Record(result.Record{Kind: result.KindDriver, Driver: "driver-0", Second: second, Users: 8, LateMax: 0.02, CPUUser: 0.25})
	for _, q := range quantities {
		r.Sampled([]result.Series{{Kind: q.kind, Name: "sda", Metric: q.metric, Machine: "local", Times: []int64{int64(second) * 1000}, Values: []float64{0.5}}})
	}
}

// hasData waits until an expression of the dashboard gives something, with the
// variables as they are at first.
func hasData(t *testing.T, server, title, expression string) {
	t.Helper()
	expression = strings.NewReplacer("$__rate_interval", "30s", `"$variant"`, `".*"`, `"$operation"`, `".*"`, `"$machine"`, `".*"`, `"$phase"`, `"measure"`).Replace(expression)
	if strings.Contains(expression, "$") {
		t.Errorf("%s: %s has a variable that the dashboard has not", title, expression)
	}
	prometheustest.Await(t, title+" has data: "+expression, func() bool { return query(t, server, expression) > 0 })
}

// query counts the series that an expression gives now.
func query(t *testing.T, server, expression string) int {
	t.Helper()
	r, err := http.Get(server + "/api/v1/query?query=" + url.QueryEscape(expression))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	var answer struct {
		Data struct{ Result []any }
	}
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v: %s", expression, r.StatusCode, err, text)
	}
	return len(answer.Data.Result)
}
