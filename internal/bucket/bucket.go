// Package bucket opens the buckets of object stores: it is where the payload of an
// endpoint becomes a client that speaks the S3 protocol.
package bucket

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"plimsoll/internal/endpoint"
)

// Client speaks to one gateway of the object store at an endpoint: that of number n,
// counted round the endpoint's URLs. It never retries by itself: who calls it counts
// what failed.
func Client(e endpoint.Endpoint, n int) (*minio.Client, error) {
	s, err := endpoint.As[endpoint.Store](e)
	if err != nil {
		return nil, err
	}
	at, err := Gateway(s, n)
	if err != nil {
		return nil, fmt.Errorf("role %s: %w", e.Role, err)
	}
	transport, err := transport(e, at.Scheme == "https")
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
		Transport:    transport,
		Region:       s.Region,
		BucketLookup: lookup,
		MaxRetries:   1,
	})
}

// transport trusts the authority of the endpoint, or those of the machine without one.
func transport(e endpoint.Endpoint, secure bool) (*http.Transport, error) {
	t, err := minio.DefaultTransport(secure)
	if err != nil || e.Certificate == "" || e.Certificate == endpoint.SystemRoots {
		return t, err
	}
	t.TLSClientConfig, err = Trust(e)
	return t, err
}

// Trust is what is trusted where the URLs of an endpoint are https: the authority of the
// endpoint, or those of the machine without one.
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

// Gateway is the URL of one gateway of a store: that of number n, counted round its URLs.
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
