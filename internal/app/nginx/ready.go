package nginx

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"

	"plimsoll/internal/describe/endpoint"
)

// name is the server's name in its certificate and in its configuration: the platform
// chooses the listening address.
const name = "localhost"

// ready asks the server for its status.
func ready(ctx context.Context, e endpoint.Endpoint) error {
	_, err := status(ctx, e)
	return err
}

// status is the server's counters, as text.
func status(ctx context.Context, e endpoint.Endpoint) (string, error) {
	client := client(e)
	defer client.CloseIdleConnections()
	scheme := "http"
	if e.Certificate != "" {
		scheme = "https"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+name+statusPath, nil)
	if err != nil {
		return "", fmt.Errorf("ask nginx: %w", err)
	}
	answer, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("ask nginx: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("ask nginx for its status at %s: it answered %s", e.Address, answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
	if err != nil {
		return "", fmt.Errorf("ask nginx for its status at %s: %w", e.Address, err)
	}
	return string(text), nil
}

// client connects to the endpoint alone, whatever proxy the machine has, and trusts
// its certificate alone.
func client(e endpoint.Endpoint) *http.Client {
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM([]byte(e.Certificate))
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, e.Network, e.Address)
		},
		TLSClientConfig: &tls.Config{RootCAs: trusted},
	}}
}
