// Package bucket opens the buckets of object stores: it is where the payload of an
// endpoint becomes a client that speaks the S3 protocol.
package bucket

import (
	"crypto/tls"
	"crypto/x509"
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
	if len(s.URLs) == 0 {
		return nil, fmt.Errorf("the endpoint of role %s has no URL of an object store", e.Role)
	}
	at, err := url.Parse(s.URLs[n%len(s.URLs)])
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("%q is not the URL of an object store, such as https://store.example:9000", s.URLs[n%len(s.URLs)])
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
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(e.Certificate)) {
		return nil, fmt.Errorf("the certificate of the object store of role %s is not in PEM", e.Role)
	}
	t.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	return t, nil
}
