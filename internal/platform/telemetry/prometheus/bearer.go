package prometheus

import (
	"fmt"
	"net/http"
	"net/url"

	"plimsoll/internal/host/untrusted"
)

// bearer adds the token of a file to requests for one address. A redirect that leads
// elsewhere is followed without it. The file is read when it is used, so that it may
// change.
type bearer struct {
	file string
	at   *url.URL
	by   http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != b.at.Scheme || r.URL.Host != b.at.Host {
		return b.by.RoundTrip(r)
	}
	token, err := untrusted.Token(b.file)
	if err != nil {
		return nil, fmt.Errorf("the token of token_file: %w", err)
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return b.by.RoundTrip(r)
}
