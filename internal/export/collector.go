package export

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"

	"plimsoll/internal/regular"
)

// variable is an environment variable of OpenTelemetry's exporters, that for metrics first.
func variable(name string) string {
	return cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_METRICS_"+name), os.Getenv("OTEL_EXPORTER_OTLP_"+name))
}

func loopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// collectorClient follows no redirects: headers may be secrets, and are for the address that
// the user gave. Certificates come from the variables that OpenTelemetry has for them.
func collectorClient() (*http.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if path := variable("CERTIFICATE"); path != "" {
		text, err := regular.Filled(path)
		if err != nil {
			return nil, fmt.Errorf("the certificates of OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM([]byte(text)) {
			return nil, errors.New("OTEL_EXPORTER_OTLP_CERTIFICATE: " + path + " has no certificate in PEM")
		}
	}
	if path := variable("CLIENT_CERTIFICATE"); path != "" {
		own, err := clientCertificate(path, variable("CLIENT_KEY"))
		if err != nil {
			return nil, fmt.Errorf("the certificate of OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and its key: %w", err)
		}
		transport.TLSClientConfig.Certificates = []tls.Certificate{own}
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &http.Client{Transport: transport, Timeout: pushLimit, CheckRedirect: stay}, nil
}

func clientCertificate(path, key string) (own tls.Certificate, err error) {
	text, err := regular.Filled(path)
	if err != nil {
		return own, err
	}
	secret, err := regular.Secret(key)
	if err != nil {
		return own, err
	}
	return tls.X509KeyPair([]byte(text), []byte(secret))
}
