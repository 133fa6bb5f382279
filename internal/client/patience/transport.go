package patience

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Transport repeats the requests that a server puts off. One whose content is too long to be
// kept is made once.
type Transport struct {
	Base   http.RoundTripper
	Within time.Duration // of all tries of a request
}

// longestKept is the content of a request that is kept to be sent again, in bytes: XML of a
// thousand keys, not objects.
const longestKept = 2 << 20

// RoundTrip implements http.RoundTripper. The answer is the last one's.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	content, kept, err := keep(r)
	if err != nil || !kept {
		if err != nil {
			return nil, err
		}
		return t.Base.RoundTrip(r)
	}
	p := begin(r.Context(), t.Within)
	for {
		one := r.Clone(r.Context())
		if content != nil {
			one.Body = io.NopCloser(bytes.NewReader(content))
		}
		answer, err := t.Base.RoundTrip(one)
		if err != nil || !PutOff(answer.StatusCode) || !p.wait(r.Context(), retryAfter(answer.Header)) {
			return answer, err
		}
		_, _ = io.CopyN(io.Discard, answer.Body, longestKept) // so that the connection can be used again
		_ = answer.Body.Close()
	}
}

// keep reads the content of a request that is short enough to be sent again.
func keep(r *http.Request) (content []byte, kept bool, err error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, true, nil
	}
	if r.ContentLength <= 0 || r.ContentLength > longestKept {
		return nil, false, nil
	}
	content, err = io.ReadAll(r.Body)
	_ = r.Body.Close()
	return content, true, err
}

// retryAfter is how long a server asks to be left alone (RFC 9110, section 10.2.3): so many
// seconds, or until a date. It is zero where it does not say.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil {
		return time.Duration(max(0, seconds)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return time.Until(at)
	}
	return 0
}
