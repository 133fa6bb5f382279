package s3

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/untrusted"
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
	if e.Certificate, err = untrusted.Filled(p.CAFile); err != nil {
		return e, fmt.Errorf("the certificates of ca_file: %w", err)
	}
	if _, err := bucket.Trust(e); err != nil {
		return e, fmt.Errorf("ca_file: %s has no certificate in PEM", p.CAFile)
	}
	return e, nil
}

// keys returns the keys given to With, or else from the place that the study names.
func (p *Parameters) keys() (access, secret string, err error) {
	if p.givenKeys != nil {
		return p.givenKeys()
	}
	if p.KeysFile == "" {
		access, secret = os.Getenv(p.AccessKeyEnv), os.Getenv(p.SecretKeyEnv)
		if err := p.areSet(); err != nil {
			return "", "", err
		}
		return access, secret, plausible(access, "the variable "+p.AccessKeyEnv)
	}
	text, err := untrusted.Secret(p.KeysFile)
	if err != nil {
		return "", "", err
	}
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) != 2 || len(strings.Fields(text)) != 2 {
		return "", "", fmt.Errorf("%s must have two lines of one word each: the access key and the secret key", p.KeysFile)
	}
	access, secret = strings.TrimSpace(lines[0]), strings.TrimSpace(lines[1])
	return access, secret, plausible(access, "the first line of "+p.KeysFile)
}

// accessForm matches access keys: requests carry a key unquoted, in front of a slash.
var accessForm = regexp.MustCompile(`^[A-Za-z0-9_.@:+=$-]{1,128}$`)

// plausible refuses what cannot be an access key, without repeating it.
func plausible(access, from string) error {
	if !accessForm.MatchString(access) {
		return fmt.Errorf("%s holds no access key, which is one word of letters and digits; nothing of it was sent", from)
	}
	return nil
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
