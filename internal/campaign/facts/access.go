package facts

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/study"
)

// BorrowedBy lists every database on existing servers that a variant may use.
func (p Parts) BorrowedBy(v study.Variant) (all []job.EngineCheck, err error) {
	for _, e := range append(slices.Collect(maps.Values(v.Stack)), v.Engine) {
		if e.Existing == nil || app.CapabilitiesOf(p.Engines[e.Name]).Borrower == nil {
			continue
		}
		by, err := AccessTo(*e.Existing)
		if err != nil {
			return nil, err
		}
		for n := range e.Existing.Servers {
			all = append(all, job.EngineCheck{Engine: e.Name, Endpoint: BorrowedEndpoint(*e.Existing, n, by)})
		}
	}
	return all, nil
}

// BorrowedEndpoint is the database that an instance uses on an existing server.
func BorrowedEndpoint(x study.Existing, instance int, by Access) endpoint.Endpoint {
	p, _ := x.Place(x.Servers[instance]) // the study was checked
	e := endpoint.Endpoint{
		Network: p.Network, Address: p.Address, User: x.User, Password: by.Password,
		Lent: true, TLS: x.TLS, Certificate: by.Authorities, ClientCertificate: by.Certificate, ClientKey: by.Key,
	}
	if p.Database != "" {
		e.Payload = endpoint.With(endpoint.SQL{Database: p.Database})
	}
	return e
}

// Access is what lets the users of a study into an existing server: a password, who may
// have signed the server's certificate, and a certificate of their own with its key.
type Access struct{ Password, Authorities, Certificate, Key string }

// AccessTo reads it from where the study says.
func AccessTo(x study.Existing) (a Access, err error) {
	if a.Password, err = secretOf(x); err != nil {
		return a, err
	}
	for _, f := range []struct {
		what, path string
		secret     bool
		text       *string
	}{
		{"the certificates of ca_file", x.CAFile, false, &a.Authorities},
		{"the certificate of client_cert", x.ClientCert, false, &a.Certificate},
		{"the key of client_key", x.ClientKey, true, &a.Key},
	} {
		if f.path == "" {
			continue
		}
		read := untrusted.Filled
		if f.secret {
			read = untrusted.Secret
		}
		if *f.text, err = read(f.path); err != nil {
			return a, fmt.Errorf("%s: %w", f.what, err)
		}
	}
	return a, nil
}

// secretOf reads the password of an existing server from where the study says.
func secretOf(x study.Existing) (string, error) {
	if x.PasswordEnv == "" && x.PasswordFile == "" { // a server that asks for none
		return "", nil
	}
	if x.PasswordEnv != "" {
		if p, ok := os.LookupEnv(x.PasswordEnv); ok {
			return p, nil
		}
		return "", fmt.Errorf("the password of %s: the variable %s is not set", x.User, x.PasswordEnv)
	}
	text, err := untrusted.Line(x.PasswordFile)
	if err != nil {
		return "", fmt.Errorf("the password of %s: %w", x.User, err)
	}
	return text, nil
}
