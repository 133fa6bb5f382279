package kube

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/httpstream"
)

// patience is how long a call waits for an API server that is away, as it is while
// it is restarted, and retryPause the time between two tries.
const (
	patience   = time.Minute
	retryPause = 500 * time.Millisecond
)

// patient sends requests again whose connection failed.
func patient(next http.RoundTripper) http.RoundTripper {
	return &persistent{next: next, limit: patience, pause: retryPause}
}

type persistent struct {
	next         http.RoundTripper
	limit, pause time.Duration
}

// RoundTrip tries until there is an answer of any kind, or the time is up.
func (p *persistent) RoundTrip(r *http.Request) (*http.Response, error) {
	deadline := time.Now().Add(p.limit)
	for {
		var sent atomic.Bool
		ctx := httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
		answer, err := p.next.RoundTrip(r.WithContext(ctx))
		if err == nil || !again(r, err, sent.Load()) || time.Now().After(deadline) {
			return answer, err
		}
		select {
		case <-r.Context().Done():
			return nil, err
		case <-time.After(p.pause):
		}
		if r, err = fresh(r); err != nil {
			return nil, err
		}
	}
}

// WrappedRoundTripper is for those of client-go who look for what is below.
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
