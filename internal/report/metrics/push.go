package metrics

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"plimsoll/internal/describe/endpoint"
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
	case u.Scheme == "http" && !endpoint.OnLoopback(u.Hostname()) && setting("HEADERS") != "":
		return errors.New("the headers of OTEL_EXPORTER_OTLP_HEADERS would go to another machine in the clear: use https, or unset it")
	}
	return nil
}

// Push sends the figures of a run to an OpenTelemetry collector by OTLP over HTTP, every
// ten seconds until ctx ends and once more then. They are those that a scrape gets. A
// push that fails disturbs nothing: say is called when pushes begin to fail, and when
// they succeed again. Headers and certificates come from the environment; see newCollector.
func (r *Run) Push(ctx context.Context, address string, say func(text string)) error {
	return r.push(ctx, address, pushInterval, say)
}

func (r *Run) push(ctx context.Context, address string, interval time.Duration, say func(text string)) error {
	if err := CheckEndpoint(address); err != nil {
		return fmt.Errorf("push metrics: %w", err)
	}
	to, err := newCollector(address)
	if err != nil {
		return fmt.Errorf("push metrics to %s: %w", address, err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(r)
	p := pusher{run: r, from: registry, to: to, say: say}
	patient := context.WithoutCancel(ctx) // a push under way when the run ends is not one that failed
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.push(patient)
		case <-ctx.Done():
			p.push(patient)
			return nil
		}
	}
}

// pusher sends the figures of the moment. One push that fails is not repeated: the next
// has it all again.
type pusher struct {
	run     *Run
	from    prometheus.Gatherer
	to      *collector
	say     func(text string)
	failing bool
}

// push reports only changes: that pushing fails, or that it works again.
func (p *pusher) push(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, pushLimit)
	defer cancel()
	figures, err := p.run.figures(p.from, time.Now())
	if err == nil {
		err = p.to.send(ctx, figures)
	}
	switch {
	case err != nil && !p.failing:
		p.say(sanitize.Masked(fmt.Sprintf("metrics cannot be pushed to %s, the run goes on: %v", p.to.address, err)))
	case err == nil && p.failing:
		p.say("metrics are pushed to " + p.to.address + " again")
	}
	p.failing = err != nil
}
