package httpwire

import (
	"bytes"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/errorclass"

	"github.com/valyala/fasthttp"
)

// Classes of errors in addition to the common ones of package errorclass and to "http 500"
// and the like.
const (
	Redirected  = "redirected"  // to somewhere else
	CutShort    = "cut-short"   // the answer ended before it was complete
	TooLarge    = "too-large"   // a page of more than MaxBody
	NotHTTP     = "not-http"    // the answer is none of HTTP's
	Certificate = "certificate" // the server's is not to be trusted
)

// failure is an error with its class.
type failure struct {
	class string
	error
}

func (f failure) Unwrap() error      { return f.error }
func (f failure) ErrorClass() string { return f.class }

// RedirectError is the answer of a site that wants users to go somewhere else.
type RedirectError struct {
	Status int
	To     string
}

func (r *RedirectError) Error() string {
	return fmt.Sprintf("the server answered %d and sends users to %q, where the driver does not follow: give the address that answers itself", r.Status, r.To)
}

// ErrorClass says Redirected.
func (*RedirectError) ErrorClass() string { return Redirected }

func isRedirect(err error) bool {
	_, ok := errors.AsType[*RedirectError](err)
	return ok
}

// StatusError is an answer that is none of success, with what the page says.
type StatusError struct {
	Status  int
	Message string
}

func (e *StatusError) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("the server answered %d", e.Status)
	}
	return fmt.Sprintf("the server answered %d: %s", e.Status, e.Message)
}

// ErrorClass returns "http 500".
func (e *StatusError) ErrorClass() string { return "http " + strconv.Itoa(e.Status) }

var errTooLarge = failure{TooLarge, fmt.Errorf("the page has more than %d MiB", MaxBody>>20)}

// lost is an error before anything of an answer came.
func lost(err error) error {
	if errors.Is(err, io.EOF) {
		return failure{errorclass.ConnectionLost, errors.New("the server closed the connection without an answer")}
	}
	return err
}

// cut returns the error of an answer that broke off or could not be parsed: the
// connection's if it has one, else the parser's.
func (c *Conn) cut(err error) error {
	small, _ := errors.AsType[*fasthttp.ErrSmallBuffer](err)
	switch cause := c.source.err; {
	case small != nil:
		return failure{TooLarge, fmt.Errorf("the head of the answer has more than %d KiB", bufferSize>>10)}
	case errors.Is(err, fasthttp.ErrBodyTooLarge) || errors.Is(cause, errTooLarge):
		return errTooLarge
	case errors.Is(cause, io.EOF) || errors.Is(cause, io.ErrUnexpectedEOF):
		return failure{CutShort, errors.New("the server closed the connection in the middle of the page")}
	case cause != nil:
		return cause
	}
	return failure{NotHTTP, err}
}

// trust is what users of an endpoint trust: nil where nothing is encrypted. A
// certificate is trusted whatever name it has: the server may have been started
// anywhere.
func trust(e endpoint.Endpoint) (*tls.Config, error) {
	switch e.Certificate {
	case "":
		return nil, nil
	case endpoint.SystemRoots:
		host, _, err := net.SplitHostPort(e.Address)
		return &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}, err
	}
	trusted, _ := pem.Decode([]byte(e.Certificate))
	if trusted == nil {
		return nil, failure{Certificate, fmt.Errorf("connect to the web server at %s: what its users are to trust is no certificate in PEM", e.Address)}
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true, VerifyConnection: func(s tls.ConnectionState) error {
		if len(s.PeerCertificates) == 0 || !bytes.Equal(s.PeerCertificates[0].Raw, trusted.Bytes) {
			return failure{Certificate, errors.New("it shows another certificate than the one that its users trust")}
		}
		return nil
	}}, nil
}

// handshakeError is why TLS could not begin.
func (c *Conn) handshakeError(err error) error {
	described := fmt.Errorf("agree on TLS with the web server at %s: %w", c.endpoint.Address, err)
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return failure{Certificate, described}
	}
	return described
}

// path returns a request's path without its query, which may hold secrets.
func path(target []byte) []byte {
	before, _, _ := bytes.Cut(target, []byte("?"))
	return before
}
