package metrics

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"

	"plimsoll/internal/text/sanitize"
)

// pushInterval is the time between two pushes, and pushLimit how long one may take.
const (
	pushInterval = 10 * time.Second
	pushLimit    = 5 * time.Second
)

// CheckEndpoint checks the address of an OpenTelemetry collector, such as
// http://127.0.0.1:4318/v1/metrics. It must not contain secrets.
func CheckEndpoint(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return errors.New("it is not a URL")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return errors.New("it is not the URL of a collector, such as http://127.0.0.1:4318/v1/metrics")
	case u.User != nil || u.RawQuery != "":
		return errors.New("it holds what other users of the machine could read: put secrets into the environment variable OTEL_EXPORTER_OTLP_HEADERS")
	}
	return nil
}

// Push sends the figures of a run to an OpenTelemetry collector by OTLP over HTTP, every
// ten seconds until ctx ends and once more then. They are those that a scrape gets. A
// push that fails disturbs nothing: say is called when pushes begin to fail, and when
// they succeed again. Headers come from OTEL_EXPORTER_OTLP_HEADERS.
func (r *Run) Push(ctx context.Context, address string, say func(text string)) error {
	return r.push(ctx, address, pushInterval, say)
}

func (r *Run) push(ctx context.Context, address string, interval time.Duration, say func(text string)) error {
	if err := CheckEndpoint(address); err != nil {
		return fmt.Errorf("push metrics: %w", err)
	}
	exporter, err := otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(address), otlpmetrichttp.WithTimeout(pushLimit),
		otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{})) // the next push has it all again
	if err != nil {
		return fmt.Errorf("push metrics to %s: %w", address, err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(r)
	p := pusher{
		from: bridge.NewMetricProducer(bridge.WithGatherer(registry)), to: exporter, address: address, say: say,
		about: resource.NewSchemaless(attribute.String("service.name", "plimsoll"), attribute.String("service.version", r.about.Version)),
	}
	patient := context.WithoutCancel(ctx) // a push under way when the run ends is not one that failed
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.push(patient)
		case <-ctx.Done():
			p.push(patient)
			return exporter.Shutdown(patient)
		}
	}
}

// pusher sends the figures of the moment.
type pusher struct {
	from    metric.Producer
	to      metric.Exporter
	about   *resource.Resource
	address string
	say     func(text string)
	failing bool
}

// push reports only changes: that pushing fails, or that it works again.
func (p *pusher) push(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, pushLimit)
	defer cancel()
	scopes, err := p.from.Produce(ctx)
	if err == nil {
		err = p.to.Export(ctx, &metricdata.ResourceMetrics{Resource: p.about, ScopeMetrics: scopes})
	}
	switch {
	case err != nil && !p.failing:
		p.say(sanitize.Masked(fmt.Sprintf("metrics cannot be pushed to %s, the run goes on: %v", p.address, err)))
	case err == nil && p.failing:
		p.say("metrics are pushed to " + p.address + " again")
	}
	p.failing = err != nil
}
