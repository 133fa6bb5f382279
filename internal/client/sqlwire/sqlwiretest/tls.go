package sqlwiretest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"plimsoll/internal/describe/endpoint"
)

// Secret is a user whom servers let in by TLS alone, with the password of the others.
const Secret = "secret"

// Shown is a user whom servers let in by a certificate that their authority has signed,
// with the password of the others.
const Shown = "shown"

// Plain is a user of MariaDB who may do everything in the database and nothing else, with
// the password of the others.
const Plain = "plain"

// Files of a server's directory.
const (
	authorityFile   = "ca.pem"
	certificateFile = "server.pem"
	keyFile         = "server.key"
	ownFile         = "client.pem"
	ownKeyFile      = "client.key"
)

// TLS returns the same server through the loopback interface and TLS, with the authority
// that signed its certificate, which is for localhost.
func TLS(tb testing.TB, t endpoint.Endpoint) endpoint.Endpoint {
	tb.Helper()
	authority, err := os.ReadFile(filepath.Join(filepath.Dir(t.Address), authorityFile))
	if err != nil {
		tb.Fatal(err)
	}
	t = TCP(tb, t)
	_, port, _ := net.SplitHostPort(t.Address)
	t.Address, t.TLS, t.Certificate = net.JoinHostPort("localhost", port), endpoint.TLSVerifyFull, string(authority)
	return t
}

// Own returns the same server as TLS, for Shown with the certificate that it wants.
func Own(tb testing.TB, t endpoint.Endpoint) endpoint.Endpoint {
	tb.Helper()
	dir := filepath.Dir(t.Address)
	t = TLS(tb, t)
	t.User = Shown
	for file, text := range map[string]*string{ownFile: &t.ClientCertificate, ownKeyFile: &t.ClientKey} {
		pem, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			tb.Fatal(err)
		}
		*text = string(pem)
	}
	return t
}

// Client makes a certificate of a user and its key, in PEM, that an authority has signed
// which no server knows.
func Client(tb testing.TB) (certificate, key string) {
	tb.Helper()
	authority, signer := newAuthority(tb)
	return client(tb, authority, signer)
}

func client(tb testing.TB, authority *x509.Certificate, signer *ecdsa.PrivateKey) (certificate, key string) {
	own, private := certify(tb, &x509.Certificate{
		SerialNumber: big.NewInt(3), Subject: pkix.Name{CommonName: Shown}, NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, authority, signer)
	return encode("CERTIFICATE", own.Raw), encodeKey(tb, private)
}

// Authority makes a certificate that may sign others, in PEM.
func Authority(tb testing.TB) string {
	tb.Helper()
	authority, _ := newAuthority(tb)
	return encode("CERTIFICATE", authority.Raw)
}

func newAuthority(tb testing.TB) (*x509.Certificate, *ecdsa.PrivateKey) {
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "an authority of a test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	return certify(tb, c, c, nil)
}

// certify signs a certificate, by its own key where there is no other.
func certify(tb testing.TB, c, by *x509.Certificate, signer *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	if signer == nil {
		signer = key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, by, &key.PublicKey, signer)
	if err != nil {
		tb.Fatal(err)
	}
	signed, err := x509.ParseCertificate(der)
	if err != nil {
		tb.Fatal(err)
	}
	return signed, key
}

func encode(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func encodeKey(tb testing.TB, key *ecdsa.PrivateKey) string {
	tb.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		tb.Fatal(err)
	}
	return encode("PRIVATE KEY", der)
}

// secure writes certificates and keys into a directory: for a server at localhost, and for
// a user.
func secure(tb testing.TB, dir string) {
	tb.Helper()
	authority, signer := newAuthority(tb)
	server, key := certify(tb, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: authority.NotBefore, NotAfter: authority.NotAfter, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, authority, signer)
	own, ownKey := client(tb, authority, signer)
	for name, text := range map[string]string{
		authorityFile: encode("CERTIFICATE", authority.Raw), certificateFile: encode("CERTIFICATE", server.Raw), keyFile: encodeKey(tb, key),
		ownFile: own, ownKeyFile: ownKey,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
		if c := credential(); c != nil {
			if err := os.Chown(path, int(c.Uid), int(c.Gid)); err != nil {
				tb.Fatal(err)
			}
		}
	}
}
