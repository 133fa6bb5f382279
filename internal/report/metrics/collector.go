package metrics

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	otlp "go.opentelemetry.io/proto/slim/otlp/collector/metrics/v1"
	"google.golang.org/protobuf/proto"

	"plimsoll/internal/host/untrusted"
)

// collector is an OpenTelemetry collector that is reached by OTLP over HTTP. OpenTelemetry's
// own exporter compiles gRPC, 84 packages, which it never uses (its issue 2579).
type collector struct {
	address string
	headers http.Header
	gzip    bool
	client  *http.Client
}

// newCollector reaches the collector of an address as the environment says: headers,
// compression and certificates of OpenTelemetry's specification of exporters. It follows no
// redirect: headers may be secrets, and are for the address that the user gave.
func newCollector(address string) (*collector, error) {
	headers, err := headersOf(setting("HEADERS"))
	if err != nil {
		return nil, err
	}
	secured, err := certificates()
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = secured
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &collector{
		address: address, headers: headers, gzip: setting("COMPRESSION") == "gzip",
		client: &http.Client{Transport: transport, CheckRedirect: stay},
	}, nil
}

// setting is a variable of the environment for exporters of metrics, or else for all.
func setting(name string) string {
	return cmp.Or(strings.TrimSpace(os.Getenv("OTEL_EXPORTER_OTLP_METRICS_"+name)), strings.TrimSpace(os.Getenv("OTEL_EXPORTER_OTLP_"+name)))
}

// headersOf reads "name=value,name=value", whose values are escaped as in a URL. They may
// be secret, so an error repeats none.
func headersOf(text string) (http.Header, error) {
	headers := http.Header{}
	for at, pair := range strings.Split(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, escaped, found := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(escaped))
		if name = strings.TrimSpace(name); !found || name == "" || err != nil {
			return nil, fmt.Errorf("header %d of OTEL_EXPORTER_OTLP_HEADERS cannot be read: write name=value, with what is no letter or digit of the value escaped as in a URL", at+1)
		}
		headers.Set(name, value)
	}
	return headers, nil
}

// certificates are the authority that the collector is known by and the client's own; nil
// where the environment names none.
func certificates() (*tls.Config, error) {
	config := &tls.Config{}
	if setting("CERTIFICATE") != "" {
		text, err := file("CERTIFICATE")
		if err != nil {
			return nil, err
		}
		if config.RootCAs = x509.NewCertPool(); !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, errors.New("the file of OTEL_EXPORTER_OTLP_CERTIFICATE has no certificate: it must be in PEM")
		}
	}
	if setting("CLIENT_CERTIFICATE") != "" && setting("CLIENT_KEY") != "" {
		certificate, err := file("CLIENT_CERTIFICATE")
		if err != nil {
			return nil, err
		}
		key, err := untrusted.Secret(setting("CLIENT_KEY"))
		if err != nil {
			return nil, fmt.Errorf("the key of OTEL_EXPORTER_OTLP_CLIENT_KEY: %w", err)
		}
		own, err := tls.X509KeyPair(certificate, []byte(key))
		if err != nil {
			return nil, fmt.Errorf("use OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE with OTEL_EXPORTER_OTLP_CLIENT_KEY: %w", err)
		}
		config.Certificates = []tls.Certificate{own}
	}
	if config.RootCAs == nil && config.Certificates == nil {
		return nil, nil
	}
	return config, nil
}

// fileLimit bounds files of certificates and keys, in bytes.
const fileLimit = 1 << 20

// file reads the file that a variable of the environment names.
func file(name string) ([]byte, error) {
	text, err := untrusted.ReadNamed(setting(name), fileLimit)
	if err != nil {
		return nil, fmt.Errorf("read the file of OTEL_EXPORTER_OTLP_%s: %w", name, err)
	}
	return text, nil
}

// answerLimit bounds what is read of a collector's answer, in bytes.
const answerLimit = 64 << 10

// send hands figures over. What the collector takes in part is an error.
func (c *collector) send(ctx context.Context, figures *otlp.ExportMetricsServiceRequest) error {
	request, err := c.request(ctx, figures)
	if err != nil {
		return err
	}
	answer, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, answerLimit))
	if err != nil {
		return fmt.Errorf("read the collector's answer: %w", err)
	}
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answers %s: %s", answer.Status, cmp.Or(strings.TrimSpace(string(text)), "(empty)"))
	}
	if answer.Header.Get("Content-Type") != protobufType {
		return nil
	}
	var said otlp.ExportMetricsServiceResponse
	if err := proto.Unmarshal(text, &said); err != nil {
		return fmt.Errorf("read the collector's answer: %w", err)
	}
	if part := said.GetPartialSuccess(); part.GetRejectedDataPoints() != 0 || part.GetErrorMessage() != "" {
		return fmt.Errorf("the collector takes them in part: %d data points are rejected: %s", part.GetRejectedDataPoints(), part.GetErrorMessage())
	}
	return nil
}

const protobufType = "application/x-protobuf"

func (c *collector) request(ctx context.Context, figures *otlp.ExportMetricsServiceRequest) (*http.Request, error) {
	body, err := proto.Marshal(figures)
	if err != nil {
		return nil, err
	}
	if c.gzip {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(body) // a buffer takes all
		_ = w.Close()
		body = packed.Bytes()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = c.headers.Clone()
	request.Header.Set("Content-Type", protobufType)
	if c.gzip {
		request.Header.Set("Content-Encoding", "gzip")
	}
	return request, nil
}
