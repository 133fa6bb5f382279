package api

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/httpstream"
)

// patience is how long a call waits for an API server that is away, as it is while
// it is restarted, or too busy; retryPause is the time between two tries. After answers
// of a busy server it doubles up to longestPause.
const (
	patience     = time.Minute
	retryPause   = 500 * time.Millisecond
	longestPause = 8 * time.Second
)

// patient sends requests again whose connection failed, or which the server or a proxy
// before it refused for now without saying for how long. Where they say so (Retry-After),
// client-go waits that long and sends them again by itself.
func patient(next http.RoundTripper) http.RoundTripper {
	return &persistent{next: next, limit: patience, pause: retryPause}
}

type persistent struct {
	next         http.RoundTripper
	limit, pause time.Duration
}

// RoundTrip tries until there is an answer that waiting does not help, or the time is up.
func (p *persistent) RoundTrip(r *http.Request) (*http.Response, error) {
	deadline, pause := time.Now().Add(p.limit), p.pause
	for {
		var sent atomic.Bool
		ctx := httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
		answer, err := p.next.RoundTrip(r.WithContext(ctx))
		if err == nil && !refusedForNow(r, answer) || err != nil && !again(r, err, sent.Load()) || time.Now().After(deadline) {
			return answer, err
		}
		timer := time.After(pause)
		select {
		case <-r.Context().Done():
			return answer, err
		case <-timer:
		}
		if err == nil {
			_ = answer.Body.Close()
			pause = min(2*pause, longestPause)
		}
		if r, err = fresh(r); err != nil {
			return nil, err
		}
	}
}

// WrappedRoundTripper gives client-go the transport below.
func (p *persistent) WrappedRoundTripper() http.RoundTripper { return p.next }

// again reports whether a request may be sent once more: nobody gave up,
// waiting can help, and what may have been done already can be done twice.
func again(r *http.Request, err error, sent bool) bool {
	var certificate *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	switch {
	case r.Context().Err() != nil, errors.As(err, &certificate), errors.As(err, &authority):
		return false
	case httpstream.IsUpgradeFailure(err), isAlert(err): // an answer
		return false
	case !repeatable(r):
		return false
	}
	return r.Method != http.MethodPost || !sent
}

// refusedForNow reports whether a busy server refused a request that may be sent once more.
// Refusals by a disruption budget or a kubelet (evictions, proxies) do not depend on load.
// A request that creates an object may have been carried out before any answer but 429.
func refusedForNow(r *http.Request, answer *http.Response) bool {
	switch {
	case answer.Header.Get("Retry-After") != "", !repeatable(r), r.Header.Get("Upgrade") != "":
		return false
	case strings.HasSuffix(r.URL.Path, "/eviction"), strings.Contains(r.URL.Path, "/proxy/"):
		return false
	}
	switch answer.StatusCode {
	case http.StatusTooManyRequests:
		return true
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return r.Method != http.MethodPost
	}
	return false
}

// repeatable reports whether the body of a request can be had again.
func repeatable(r *http.Request) bool {
	return r.Body == nil || r.Body == http.NoBody || r.GetBody != nil
}

// fresh is a request with its body from the beginning.
func fresh(r *http.Request) (*http.Request, error) {
	copied := r.Clone(r.Context())
	if r.GetBody == nil {
		return copied, nil
	}
	body, err := r.GetBody()
	copied.Body = body
	return copied, err
}
