package imaged

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
	"net"
	"time"
)

// Both ends know the token, and make the server's key of it: a user knows the server by the
// key, and nobody has to hand out certificates.
func keyOf(token string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte("plimsoll imaged key\x00" + token))
	return ed25519.NewKeyFromSeed(seed[:])
}

// certificate is the server's.
func certificate(token string) (tls.Certificate, error) {
	key := keyOf(token)
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0)}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// tlsServer is how a service encrypts. Nothing comes from it by itself once an item is under
// way.
func tlsServer(own tls.Certificate) func(net.Conn) *tls.Conn {
	c := &tls.Config{Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS13, SessionTicketsDisabled: true}
	return func(under net.Conn) *tls.Conn { return tls.Server(under, c) }
}

// tlsClient is how users encrypt.
func tlsClient(token string) func(net.Conn) *tls.Conn {
	want := keyOf(token).Public().(ed25519.PublicKey)
	c := &tls.Config{
		MinVersion:         tls.VersionTLS13,
		InsecureSkipVerify: true, // for names and authorities: it is the key that counts
		VerifyConnection: func(s tls.ConnectionState) error {
			if got, ok := s.PeerCertificates[0].PublicKey.(ed25519.PublicKey); !ok || !got.Equal(want) {
				return errors.New("the server has not the key of this run")
			}
			return nil
		},
	}
	return func(under net.Conn) *tls.Conn { return tls.Client(under, c) }
}
