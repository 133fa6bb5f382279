package telemetry

import (
	"context"
	"fmt"
	"math"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
)

// gaugeMetrics are the quantities of a gaugeSource.
var gaugeMetrics = []Metric{
	{describe.GaugeKind, "busy", unitShare, "how many of the things that requests occupy in a server are in use, as the server says itself: php-000/workers; an answer is that of a moment since the sample before"},
	{describe.GaugeKind, "capacity", unitShare, "how many of them there are"},
	{describe.GaugeKind, "waiting", unitShare, "requests that wait for one"},
	{describe.GaugeKind, "requests", unitPerSec, "requests that a server passed on to one behind it: balancer-000/gateway-1"},
	{describe.GaugeKind, "bytes", unitByteps, "bytes of these and of their answers"},
}

// Gauge is what a server counts of itself, and how to ask it.
type Gauge struct {
	Name string // workers
	Read func(context.Context) (describe.Reading, error)
}

// GaugeOf is what an engine's meter reads of a server, at the endpoint where it is reached from
// here; nil without a meter.
func GaugeOf(m app.Meter, reached func() endpoint.Endpoint) *Gauge {
	if m == nil {
		return nil
	}
	return &Gauge{Name: m.Gauge().Name, Read: func(ctx context.Context) (describe.Reading, error) { return m.Read(ctx, reached()) }}
}

// readLimit bounds one question to a server.
const readLimit = 5 * time.Second

// gaugeSource asks a server between the samples, so that one which is slow to
// answer delays no sample: each gets the answer that arrived since the one before.
type gaugeSource struct {
	gauge   Gauge
	files   *files
	answers chan answer
	waiting bool // for an answer
	cancel  context.CancelFunc

	answered bool
	err      error // of the last question

	busy, capacity, queued *column
	behind                 map[string]*passedOn // by the names of the servers behind it
	column                 func(name, metric string) *column
}

// passedOn is what a server passes on to one behind it. Answers are sums since its start.
type passedOn struct {
	requests, bytes *column
	asked, moved    counter
	at              time.Time // of the answer before
}

// add writes the rates since the answer before.
func (p *passedOn) add(sums describe.Traffic, at time.Time) {
	elapsed := at.Sub(p.at).Seconds()
	p.at = at
	p.requests.add(p.asked.since(sums.Requests) / elapsed)
	p.bytes.add(p.moved.since(sums.Bytes) / elapsed)
}

type answer struct {
	describe.Reading
	at  time.Time
	err error
}

func newGaugeSource(b *book, f *files, server string, g Gauge) *gaugeSource {
	c := func(name, metric string) *column { return b.column(describe.GaugeKind, server+"/"+name, metric) }
	return &gaugeSource{
		gauge: g, files: f, answers: make(chan answer, 1),
		busy: c(g.Name, "busy"), capacity: c(g.Name, "capacity"), queued: c(g.Name, "waiting"),
		behind: map[string]*passedOn{}, column: c,
	}
}

func (s *gaugeSource) sample() {
	r := describe.Reading{Busy: math.NaN(), Capacity: math.NaN(), Waiting: math.NaN()}
	select {
	case a := <-s.answers:
		s.waiting = false
		s.cancel()
		if s.err = a.err; a.err == nil {
			r, s.answered = a.Reading, true
			s.pass(a)
		}
	default:
	}
	s.busy.add(r.Busy)
	s.capacity.add(r.Capacity)
	s.queued.add(r.Waiting)
	s.ask()
}

// pass writes what was passed on to each server behind it.
func (s *gaugeSource) pass(a answer) {
	for _, sums := range a.Passed {
		p := s.behind[sums.To]
		if p == nil {
			p = &passedOn{requests: s.column(sums.To, "requests"), bytes: s.column(sums.To, "bytes")}
			s.behind[sums.To] = p
		}
		p.add(sums, a.at)
	}
}

// ask puts the question unless the last one is still open.
func (s *gaugeSource) ask() {
	if s.waiting {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), readLimit)
	s.waiting, s.cancel = true, cancel
	read := s.gauge.Read // the next sample may find another process
	go func() {
		r, err := read(ctx)
		s.answers <- answer{r, time.Now(), err}
	}()
}

// close waits for the open question, so that nothing reads once sampling has ended.
func (s *gaugeSource) close() {
	if s.waiting {
		s.cancel()
		<-s.answers
	}
	if !s.answered && s.err != nil {
		s.files.silent = append(s.files.silent, fmt.Sprintf("%s are not known: %v", s.busy.series.Name, s.err))
	}
}
