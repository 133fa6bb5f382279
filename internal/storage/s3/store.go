package s3

import (
	"context"
	"fmt"
	"os"
	"strings"

	"plimsoll/internal/bucket"
	"plimsoll/internal/endpoint"
	"plimsoll/internal/regular"
)

// store is how the store is reached, without a bucket.
func (p *Parameters) store() (endpoint.Endpoint, error) {
	e := endpoint.Endpoint{Kind: endpoint.Bucket, Network: "tcp", Payload: endpoint.With(endpoint.Store{
		URLs: p.URLs, Region: p.region(), VirtualHost: p.Addressing == Virtual,
	})}
	at, err := bucket.Gateway(endpoint.StoreOf(e), 0)
	if err != nil {
		return e, err
	}
	e.Address = at.Host
	if e.User, e.Password, err = p.keys(); err != nil {
		return e, fmt.Errorf("the keys of the object store at %s: %w", at.Host, err)
	}
	if p.CAFile == "" {
		return e, nil
	}
	if e.Certificate, err = regular.Filled(p.CAFile); err != nil {
		return e, fmt.Errorf("the certificates of ca_file: %w", err)
	}
	if _, err := bucket.Trust(e); err != nil {
		return e, fmt.Errorf("ca_file: %s has no certificate in PEM", p.CAFile)
	}
	return e, nil
}

// keys are those of With, or from where the study says.
func (p *Parameters) keys() (access, secret string, err error) {
	if p.own != nil {
		return p.own()
	}
	if p.KeysFile == "" {
		return os.Getenv(p.AccessKeyEnv), os.Getenv(p.SecretKeyEnv), p.areSet()
	}
	text, err := regular.Secret(p.KeysFile)
	if err != nil {
		return "", "", err
	}
	lines := strings.Fields(text)
	if len(lines) != 2 {
		return "", "", fmt.Errorf("%s must have two lines: the access key and the secret key", p.KeysFile)
	}
	return lines[0], lines[1], nil
}

func (p *Parameters) areSet() error {
	for _, name := range []string{p.AccessKeyEnv, p.SecretKeyEnv} {
		if os.Getenv(name) == "" {
			return fmt.Errorf("the variable %s is not set", name)
		}
	}
	return nil
}

// ask has every gateway answer a signed request, about a bucket that is not there.
func (p *Parameters) ask(ctx context.Context, g *gateways) error {
	for n, url := range p.URLs {
		if err := g.ask(ctx, n); err != nil {
			return fmt.Errorf("use the object store at %s: %w", url, p.explained(err))
		}
	}
	return nil
}
