package bucket

import (
	"cmp"
	"context"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"plimsoll/internal/describe/endpoint"
)

// Limits of the way to a store, which all its clients share.
const (
	// ConnectLimit bounds connecting.
	ConnectLimit = 30 * time.Second
	// AnswerLimit is how long a store may take to begin its answer to a measured request, and
	// LoadLimit to one that is not measured.
	AnswerLimit = time.Minute
	LoadLimit   = 15 * time.Minute
	// UserAgent is what requests say of who makes them.
	UserAgent = "plimsoll"
)

// Dial connects to a gateway, directly: a proxy that the environment names is not asked, because
// it would be measured. Of several addresses of a name the first that answers is taken.
func Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return (&net.Dialer{Timeout: ConnectLimit}).DialContext(ctx, network, address)
}

// transport is the way to a store for its client for everything. It trusts whom Trust says.
func transport(e endpoint.Endpoint, secure bool, answer time.Duration) (*http.Transport, error) {
	t := &http.Transport{
		DialContext: Dial, TLSHandshakeTimeout: ConnectLimit, ResponseHeaderTimeout: answer,
		MaxIdleConns: 256, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute,
		DisableCompression: true, // contents are compared as they were written
	}
	if !secure {
		return t, nil
	}
	var err error
	t.TLSClientConfig, err = Trust(e)
	return t, err
}

// gate looks at the requests and the answers of a client: no list goes on for ever, and an
// answer is a store's.
type gate struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper. In addition to the connection's errors it returns
// *Redirect, *WebPage and ErrEndless.
func (g gate) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := nextPage(r); err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", UserAgent)
	r.Header.Set("Accept-Encoding", "identity")
	answer, err := g.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if err := ofAnotherServer(r, answer); err != nil {
		_ = answer.Body.Close()
		return nil, err
	}
	return answer, nil
}

func ofAnotherServer(r *http.Request, answer *http.Response) error {
	switch status := answer.StatusCode; {
	case status >= http.StatusMultipleChoices && status < http.StatusBadRequest:
		to, err := answer.Location()
		if err != nil {
			return nil // the store's own answer, such as that it is of another region
		}
		return &Redirect{Status: status, From: r.URL, To: to}
	case status < http.StatusMultipleChoices && isPage(answer.Header):
		return &WebPage{originOf(r.URL)}
	}
	return nil
}

// isPage reports whether an answer is a page for a browser.
func isPage(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && (kind == "text/html" || kind == "application/xhtml+xml")
}

func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

// WebPage says that a web server answers in place of a store: its console, a page of a balancer
// or of a network that wants a login.
type WebPage struct{ URL string }

// Error implements error.
func (w *WebPage) Error() string {
	return "there is a web page at " + w.URL + ", not an object store"
}

// Redirect says that a store sends a request elsewhere. It is not followed by itself: keys sign
// for the servers that the study names, and a request that is made twice is not the store's time.
type Redirect struct {
	Status   int // of HTTP
	From, To *url.URL
}

// Error implements error.
func (r *Redirect) Error() string {
	return fmt.Sprintf("%s redirects to %s (%d)", originOf(r.From), originOf(r.To), r.Status)
}

// Elsewhere is the URL of the server that the redirect leads to.
func (r *Redirect) Elsewhere() string { return originOf(r.To) }

// WithinSite reports whether a redirect leads to another page of the same server, as web pages
// do and stores do not.
func (r *Redirect) WithinSite() bool { return r.To.Path != r.From.Path }

// SameServer reports whether a redirect leads to another name of the server that redirects: the
// same request, port and encryption, at an address that both names have.
func (r *Redirect) SameServer(ctx context.Context) bool {
	if r.WithinSite() || r.To.Scheme != r.From.Scheme || portOf(r.To) != portOf(r.From) {
		return false
	}
	from, err := net.DefaultResolver.LookupHost(ctx, r.From.Hostname())
	if err != nil {
		return false
	}
	to, err := net.DefaultResolver.LookupHost(ctx, r.To.Hostname())
	return err == nil && slices.ContainsFunc(to, func(a string) bool { return slices.Contains(from, a) })
}

func portOf(u *url.URL) string { return cmp.Or(u.Port(), u.Scheme) } // which has one port by itself
