// Package prometheus asks an existing Prometheus what machines did, on every platform:
// it takes queries and a stretch of time and gives series as package telemetry does,
// and the machines that they are of.
package prometheus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"

	"plimsoll/internal/describe"
	"plimsoll/internal/platform/telemetry"
	"plimsoll/internal/result"
)

// Span is what to ask about.
type Span struct {
	// From and To are moments of the campaign's clock, which the machines of a
	// Prometheus are taken to share.
	From, To time.Time
	// Start is what times count from.
	Start time.Time
	// Own are the platform's machines by what a Prometheus may call them: their names
	// and addresses.
	Own map[string]string
}

// Answer is the answer of a Prometheus.
type Answer struct {
	Machines []result.Host // sorted by name, including the platform's machines
	Series   []result.Series
	Notes    []string
}

const (
	usualStep   = 15 * time.Second
	usualWindow = time.Minute
	// patience bounds one question.
	patience = 30 * time.Second
	// mostSeries bounds the series kept, and mostMachines their machines: a Prometheus may
	// know every machine of a company.
	mostSeries   = 5000
	mostMachines = 200
)

// Read asks every query once. What cannot be had is in the notes.
func Read(ctx context.Context, p Parameters, s Span) Answer {
	a := &answer{parameters: p, span: s, machines: map[string]*result.Host{}}
	client, err := p.client()
	if err != nil {
		return Answer{Notes: []string{"the Prometheus of the study was not asked: " + err.Error()}}
	}
	var failed []string
	for _, series := range p.series() {
		if err := a.ask(ctx, client, series); err != nil {
			failed = append(failed, fmt.Sprintf("%s: %v", cmp.Or(series.Name, series.As), err))
		}
	}
	a.noteFailures(failed)
	return a.whole()
}

// client speaks to it.
func (p Parameters) client() (v1.API, error) {
	var transport http.RoundTripper = api.DefaultRoundTripper
	if p.TokenFile != "" {
		at, err := url.Parse(p.URL)
		if err != nil {
			return nil, err
		}
		transport = bearer{p.TokenFile, at, transport}
	}
	client, err := api.NewClient(api.Config{Address: p.URL, RoundTripper: transport})
	if err != nil {
		return nil, err
	}
	return v1.NewAPI(client), nil
}

// answer collects.
type answer struct {
	parameters Parameters
	span       Span
	machines   map[string]*result.Host
	series     []result.Series
	notes      []string
	dropped    int
}

// ask takes one query over the span.
func (a *answer) ask(ctx context.Context, client v1.API, s Series) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	step := a.parameters.Step.duration(usualStep)
	window := model.Duration(a.parameters.Window.duration(usualWindow)).String()
	query := strings.ReplaceAll(s.Query, "$window", window)
	value, warnings, _, err := client.QueryRange(ctx, query, v1.Range{Start: a.span.From, End: a.span.To, Step: step})
	if err != nil {
		return detailed(err)
	}
	for _, w := range warnings {
		a.notes = append(a.notes, fmt.Sprintf("Prometheus on %s: %s", cmp.Or(s.Name, s.As), w))
	}
	matrix, ok := value.(model.Matrix)
	if !ok {
		return fmt.Errorf("the query gives a %s, not a range of values", value.Type())
	}
	for _, stream := range matrix {
		a.take(s, stream)
	}
	return nil
}

// detailed is an error with the detail that Prometheus gives.
func detailed(err error) error {
	var refused *v1.Error
	if errors.As(err, &refused) && refused.Detail != "" {
		return fmt.Errorf("%w (%s)", err, strings.TrimSpace(refused.Detail))
	}
	return err
}

// take makes series of one stream of values.
func (a *answer) take(s Series, stream *model.SampleStream) {
	host := a.machine(s, string(stream.Metric[model.LabelName(cmp.Or(s.Machine, "instance"))]))
	if host == nil || len(a.series) >= mostSeries {
		a.dropped++
		return
	}
	times, values := a.values(stream)
	if len(values) == 0 {
		return
	}
	item := string(stream.Metric[model.LabelName(s.Item)])
	switch kind, metric, as := strings.Cut(s.As, "/"); {
	case s.As == coresOfMachine:
		host.Cores = cmp.Or(host.Cores, values[len(values)-1])
	case s.As == memoryOfMachine:
		host.Memory = cmp.Or(host.Memory, int64(values[len(values)-1]))
	case as:
		a.add(host, kind, item, metric, telemetry.Unit(kind, metric), times, values)
	default:
		name := strings.TrimSpace(s.Name + " " + item)
		a.add(host, describe.MetricKind, name, s.Name, cmp.Or(s.Unit, "1"), times, values)
		if s.Capacity > 0 {
			shares := make([]float64, len(values))
			for i, v := range values {
				shares[i] = v / s.Capacity
			}
			a.add(host, describe.MetricKind, name, "utilisation", "1", times, shares)
		}
	}
}

func (a *answer) add(host *result.Host, kind, name, metric, unit string, times []int64, values []float64) {
	a.series = append(a.series, result.Series{
		Kind: kind, Name: name, Metric: metric, Unit: unit, Machine: host.Name,
		Start: a.span.Start.UnixMilli(), Times: times, Values: values,
	})
}

// values are those that are known, in milliseconds since the start.
func (a *answer) values(stream *model.SampleStream) (times []int64, values []float64) {
	for _, v := range stream.Values {
		if f := float64(v.Value); !math.IsNaN(f) && !math.IsInf(f, 0) {
			times, values = append(times, int64(v.Timestamp)-a.span.Start.UnixMilli()), append(values, f)
		}
	}
	return times, values
}

// machine finds or makes the machine that a label names: "worker-2",
// "10.0.0.7:9100". It is nil where the study does not want it.
func (a *answer) machine(s Series, label string) *result.Host {
	bare := label
	if i := strings.LastIndexByte(label, ':'); i > 0 && !strings.HasSuffix(label, "]") {
		bare = label[:i]
	}
	name, own := a.span.Own[label]
	if !own {
		name, own = a.span.Own[strings.Trim(bare, "[]")]
	}
	if !own {
		name = cmp.Or(bare, "prometheus")
	}
	if h := a.machines[name]; h != nil {
		return h
	}
	if !own && (!a.wants(name) || len(a.machines) >= mostMachines) {
		return nil
	}
	h := &result.Host{Name: name}
	if !own {
		h.Roles = []string{cmp.Or(s.Role, a.parameters.Role, result.StorageRole)}
	}
	a.machines[name] = h
	return h
}

func (a *answer) wants(name string) bool {
	return len(a.parameters.Machines) == 0 || slices.ContainsFunc(a.parameters.Machines, func(pattern string) bool {
		matches, _ := path.Match(pattern, name)
		return matches
	})
}

// mostRepeated is how many failures a note repeats.
const mostRepeated = 3

func (a *answer) noteFailures(failed []string) {
	if len(failed) == 0 {
		return
	}
	text := strings.Join(failed[:min(len(failed), mostRepeated)], "; ")
	if more := len(failed) - mostRepeated; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	a.notes = append(a.notes, "Prometheus did not give "+text)
}

func (a *answer) whole() Answer {
	out := Answer{Series: a.series, Notes: a.notes}
	for _, name := range slices.Sorted(maps.Keys(a.machines)) {
		out.Machines = append(out.Machines, *a.machines[name])
	}
	if a.dropped > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d series of Prometheus were left out: they are of machines that the study does not list, or too many", a.dropped))
	}
	if len(a.series) == 0 && len(a.notes) == 0 {
		out.Notes = append(out.Notes, "Prometheus knows nothing that the study asks for: are the exporters scraped?")
	}
	return out
}
