package api

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/client-go/util/flowcontrol"
)

// The rate of calls to the API server begins at a few a second. While calls have to wait
// here and the server answers promptly, the rate rises, until the server reports that it is
// busy. Above that rate the server slows the client down, and other clients notice.
const (
	callsAtOnce = 100
	firstRate   = 50.0 // calls a second
	mostRate    = 1000.0
	// rateStep is the time between two changes of the rate; it grows by rateGrowth and falls
	// to rateFall.
	rateStep   = time.Second
	rateGrowth = 1.1
	rateFall   = 0.5
	// promptly is what a call takes at most on average while the rate may grow.
	promptly = 250 * time.Millisecond
)

// pacer bounds the calls of a client by a rate that it learns from their answers. It is safe
// for concurrent use.
type pacer struct {
	bucket *rate.Limiter

	mu      sync.Mutex
	since   time.Time     // the last change, or try of one
	calls   int           // that were answered since then
	took    time.Duration // all of them
	waited  bool          // some of them had to wait
	busy    bool          // some were refused for now
	refused int64         // so many of all calls were
}

var _ flowcontrol.RateLimiter = (*pacer)(nil)

func newPacer() *pacer {
	return &pacer{bucket: rate.NewLimiter(firstRate, callsAtOnce), since: time.Now()}
}

// Wait waits until a call may go.
func (p *pacer) Wait(ctx context.Context) error {
	if p.bucket.Tokens() < 1 {
		p.mu.Lock()
		p.waited = true
		p.mu.Unlock()
	}
	return p.bucket.Wait(ctx)
}

// Accept waits likewise, for ever.
func (p *pacer) Accept() { _ = p.Wait(context.Background()) } // which gives an error if ctx ends

// TryAccept reports whether a call may go now.
func (p *pacer) TryAccept() bool { return p.bucket.Allow() }

// Stop is for limiters that have something to end.
func (p *pacer) Stop() {}

// QPS is the rate now.
func (p *pacer) QPS() float32 { return float32(p.bucket.Limit()) }

// seeing sees the answers of a transport.
func (p *pacer) seeing(next http.RoundTripper) http.RoundTripper { return &seen{next, p} }

type seen struct {
	next http.RoundTripper
	by   *pacer
}

// RoundTrip records the time until an answer begins, and whether it was a refusal for now.
func (s *seen) RoundTrip(r *http.Request) (*http.Response, error) {
	began := time.Now()
	answer, err := s.next.RoundTrip(r)
	if err == nil {
		busy := answer.StatusCode == http.StatusTooManyRequests && !strings.HasSuffix(r.URL.Path, "/eviction") // which a budget refuses
		s.by.answered(time.Now(), time.Since(began), busy)
	}
	return answer, err
}

// WrappedRoundTripper gives client-go the transport below.
func (s *seen) WrappedRoundTripper() http.RoundTripper { return s.next }

// answered takes note of an answer; busy is that it was a refusal for now.
func (p *pacer) answered(at time.Time, took time.Duration, busy bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if busy {
		p.busy, p.refused = true, p.refused+1
	}
	p.calls, p.took = p.calls+1, p.took+took
	now := float64(p.bucket.Limit())
	switch {
	case at.Sub(p.since) < rateStep:
		return
	case p.busy:
		now = max(firstRate, now*rateFall)
	case p.waited && p.took < time.Duration(p.calls)*promptly:
		now = min(mostRate, now*rateGrowth)
	}
	p.bucket.SetLimit(rate.Limit(now))
	p.since, p.calls, p.took, p.waited, p.busy = at, 0, 0, false, false
}

// Refused counts the calls that the API server refused for now, because it was busy.
func (c *Client) Refused() int64 {
	c.pace.mu.Lock()
	defer c.pace.mu.Unlock()
	return c.pace.refused
}
