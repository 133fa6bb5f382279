package nginx

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// identity returns the certificate and the key of a secret, always the same ones: a
// server that is started again has them again, and its users go on trusting it. Both
// are in PEM.
func identity(secret string) (certificate, key string) {
	seed, err := hkdf.Key(sha256.New, []byte(secret), nil, "plimsoll web server", ed25519.SeedSize)
	if err != nil {
		panic(err) // the length is right
	}
	private := ed25519.NewKeyFromSeed(seed)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "Plimsoll"},
		DNSNames:     []string{name},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		NotBefore:    time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:     time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
		KeyUsage:     x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA:         true, BasicConstraintsValid: true,
	}
	made, err := x509.CreateCertificate(nil, template, template, private.Public(), private) // Ed25519 needs no random numbers (RFC 8032)
	if err != nil {
		panic(err) // the template is right
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		panic(err) // it knows this kind of key
	}
	return inPEM("CERTIFICATE", made), inPEM("PRIVATE KEY", encoded)
}

func inPEM(kind string, bytes []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}))
}
