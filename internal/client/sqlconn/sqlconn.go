// Package sqlconn configures connections to PostgreSQL, to MariaDB or MySQL and to SQL Server for
// the libraries that authenticate: where the server is, TLS, and what a session on
// an existing server sets because that server's configuration is not ours. An error
// of a connection says what was tried and what to change.
package sqlconn

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"

	"plimsoll/internal/describe/endpoint"
)

// Session is a statement that sets what a session on an existing server depends on, for
// clients that do not connect by this package; empty where there is nothing to set.
func Session(e endpoint.Endpoint) string {
	if !e.Lent {
		return ""
	}
	return map[string]string{postgresKind: postgresSession, mariadbKind: mariadbSession, sqlserverKind: sqlserverSession}[e.Kind]
}

// Kinds of endpoints.
const (
	postgresKind  = "sql:postgres"
	mariadbKind   = "sql:mariadb"
	sqlserverKind = "sql:sqlserver"
)

// bare reports whether anybody may be at the other end of a connection to an existing
// server, or in between: it is neither encrypted nor a unix socket. A port of the loopback
// is any local user's who listens there first.
func bare(e endpoint.Endpoint) bool { return e.Lent && e.TLS == "" && e.Network != "unix" }

// Unhidden says why a password is not sent to an existing server as it is, by a protocol
// that has no other way; nil where it may be.
func Unhidden(e endpoint.Endpoint) error {
	if bare(e) && e.Password != "" {
		return errUnhidden
	}
	return nil
}

// errUnhidden means that a password was not sent.
var errUnhidden = errors.New("the server is sent the password as it is, which anybody could read who listens there or is in between; it was not sent")

// host is what a certificate has to name.
func host(e endpoint.Endpoint) string {
	name, _, err := net.SplitHostPort(e.Address)
	if err != nil {
		return e.Address
	}
	return name
}

// TLS is how a connection to an existing server is encrypted, nil where it is not.
func TLS(e endpoint.Endpoint) (*tls.Config, error) {
	if e.TLS == "" {
		return nil, nil
	}
	c := &tls.Config{ServerName: host(e), MinVersion: tls.VersionTLS12}
	if e.ClientCertificate != "" {
		own, err := tls.X509KeyPair([]byte(e.ClientCertificate), []byte(e.ClientKey))
		if err != nil {
			return nil, fmt.Errorf("client_cert and client_key cannot be used: they must hold a certificate and its key, not encrypted, in PEM: %w", err)
		}
		c.Certificates = []tls.Certificate{own}
	}
	switch e.TLS {
	case endpoint.TLSRequire:
		c.InsecureSkipVerify = true
		return c, nil
	}
	if e.Certificate != "" && e.Certificate != endpoint.SystemRoots {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM([]byte(e.Certificate)) {
			return nil, errors.New("the certificates of ca_file cannot be read: it must hold one or more in PEM")
		}
	}
	switch e.TLS {
	case endpoint.TLSVerifyFull:
		return c, nil
	case endpoint.TLSVerifyCA:
		c.InsecureSkipVerify = true // of the name; the chain is looked at here
		c.VerifyConnection = func(s tls.ConnectionState) error { return verifyChain(c.RootCAs, s) }
		return c, nil
	}
	return nil, fmt.Errorf("no way to encrypt is called %q", e.TLS)
}

// verifyChain makes sure that one of the authorities has signed the server's
// certificate, whatever name that has.
func verifyChain(roots *x509.CertPool, s tls.ConnectionState) error {
	o := x509.VerifyOptions{Roots: roots, Intermediates: x509.NewCertPool()}
	for _, c := range s.PeerCertificates[1:] {
		o.Intermediates.AddCert(c)
	}
	if _, err := s.PeerCertificates[0].Verify(o); err != nil {
		return &tls.CertificateVerificationError{UnverifiedCertificates: s.PeerCertificates, Err: err}
	}
	return nil
}
