// Package bucket opens the buckets of object stores: it is where the payload of an
// endpoint becomes a client that speaks the S3 protocol.
package bucket

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"plimsoll/internal/client/patience"
	"plimsoll/internal/describe/endpoint"
)

// Client returns a client of one gateway of the object store at an endpoint. Gateways are
// numbered from 0 and n wraps around. The client never retries: the caller counts failures.
func Client(e endpoint.Endpoint, n int) (*minio.Client, error) {
	return open(e, n, AnswerLimit, func(direct http.RoundTripper) http.RoundTripper { return direct })
}

// Patient is Client for requests that are not measured. It has longer timeouts and, for a
// while, repeats requests that the store asks to send later.
func Patient(e endpoint.Endpoint, n int) (*minio.Client, error) {
	return open(e, n, LoadLimit, func(direct http.RoundTripper) http.RoundTripper {
		return &patience.Transport{Base: direct, Within: patience.Limit}
	})
}

func open(e endpoint.Endpoint, n int, limit time.Duration, over func(direct http.RoundTripper) http.RoundTripper) (*minio.Client, error) {
	s, err := endpoint.As[endpoint.Store](e)
	if err != nil {
		return nil, err
	}
	at, err := Gateway(s, n)
	if err != nil {
		return nil, fmt.Errorf("role %s: %w", e.Role, err)
	}
	direct, err := transport(e, at.Scheme == "https", limit)
	if err != nil {
		return nil, err
	}
	lookup := minio.BucketLookupPath
	if s.VirtualHost {
		lookup = minio.BucketLookupDNS
	}
	return minio.New(at.Host, &minio.Options{
		Creds:        credentials.NewStaticV4(e.User, e.Password, ""),
		Secure:       at.Scheme == "https",
		Transport:    gate{over(direct)},
		Region:       s.Region,
		BucketLookup: lookup,
		MaxRetries:   1,
	})
}

func init() {
	// The client waits a part of this after its only try, too, before it says that the try
	// failed: users would measure the pause as the store's.
	minio.DefaultRetryUnit = 0
}

// Patiently makes a request again for a while where the store puts it off.
func Patiently(ctx context.Context, request func() error) error {
	return patience.Try(ctx, patience.Limit, request, isPutOff)
}

// isPutOff reports whether the store says that it cannot do it now.
func isPutOff(err error) bool {
	answer, answered := errors.AsType[minio.ErrorResponse](err)
	return answered && (patience.PutOff(answer.StatusCode) || answer.Code == "RequestTimeout" || answer.Code == "SlowDown")
}

// Trust returns the TLS settings for an endpoint whose URLs are https. They trust the
// endpoint's certificate authority if it has one, and the machine's otherwise.
func Trust(e endpoint.Endpoint) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if e.Certificate == "" || e.Certificate == endpoint.SystemRoots {
		return c, nil
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM([]byte(e.Certificate)) {
		return nil, fmt.Errorf("the certificate of the object store of role %s is not in PEM", e.Role)
	}
	return c, nil
}

// Gateway returns the URL of gateway n of a store. n wraps around.
func Gateway(s endpoint.Store, n int) (*url.URL, error) {
	if len(s.URLs) == 0 {
		return nil, errors.New("the endpoint has no URL of an object store")
	}
	at, err := url.Parse(s.URLs[n%len(s.URLs)])
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("%q is not the URL of an object store, such as https://store.example:9000", s.URLs[n%len(s.URLs)])
	}
	return at, nil
}
