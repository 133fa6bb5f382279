package node

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// authority signs the certificates of one node.
type authority struct {
	dir         string
	key         crypto.Signer
	certificate *x509.Certificate
	pem         []byte
	validity    func(*x509.Certificate) // of the certificates it signs
}

// user is who presents a certificate: Kubernetes takes the common name for the
// user and the organisation for the group.
type user struct{ file, name, group string }

// inside is the administrator in the node.
const inside = "inside"

const administrators = "system:masters"

// users have a kubeconfig each.
func users() []user {
	return []user{
		{"admin", "admin", administrators},
		{inside, "admin", administrators},
		{"kube-controller-manager", "system:kube-controller-manager", ""},
		{"kube-scheduler", "system:kube-scheduler", ""},
		{"kube-proxy", "system:kube-proxy", ""},
		{"kubelet", "system:node:" + Node, "system:nodes"},
	}
}

// makeCertificates writes the keys and certificates of the programs below pki, and
// a kubeconfig for each user.
func (c Config) makeCertificates() error {
	a, err := newAuthority(c.path("pki"))
	if err != nil {
		return fmt.Errorf("make the certificates: %w", err)
	}
	if _, _, err := a.issue(user{file: "apiserver", name: "kube-apiserver"}); err != nil {
		return fmt.Errorf("make the certificates: %w", err)
	}
	if _, _, err := a.issue(user{"apiserver-kubelet-client", "kube-apiserver-kubelet-client", administrators}); err != nil {
		return fmt.Errorf("make the certificates: %w", err)
	}
	if _, err := a.writeKey("service-accounts"); err != nil {
		return fmt.Errorf("make the certificates: %w", err)
	}
	for _, u := range users() {
		at := apiAddress
		if u.file == "admin" {
			at = c.API
		}
		if err := a.writeKubeconfig(c.path(u.file+".kubeconfig"), at, u); err != nil {
			return fmt.Errorf("make the certificates: %w", err)
		}
	}
	return nil
}

// validity is more than any test takes. It begins early, for clocks that were set back.
func validity(t *x509.Certificate) {
	t.NotBefore, t.NotAfter = time.Now().Add(-24*time.Hour), time.Now().AddDate(1, 0, 0)
}

func newAuthority(dir string) (*authority, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	a := &authority{dir: dir, validity: validity}
	key, err := a.writeKey("ca")
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "plimsoll-test-cluster"},
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, IsCA: true, BasicConstraintsValid: true,
	}
	validity(template)
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	a.key = key
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	a.pem, err = a.write("ca.crt", "CERTIFICATE", der)
	return a, err
}

// Certificate gives an administrator a certificate that expires soon, and its key.
func (c Config) Certificate(name string, lifetime time.Duration) (certificate, key []byte, err error) {
	pair, err := tls.LoadX509KeyPair(c.path("pki", "ca.crt"), c.path("pki", "ca.key"))
	if err != nil {
		return nil, nil, fmt.Errorf("read the cluster's authority: %w", err)
	}
	a := &authority{dir: c.path("pki"), key: pair.PrivateKey.(crypto.Signer), certificate: pair.Leaf, validity: func(t *x509.Certificate) {
		t.NotBefore, t.NotAfter = time.Now().Add(-time.Minute), time.Now().Add(lifetime)
	}}
	return a.issue(user{name, name, administrators})
}

func (a *authority) write(name, kind string, der []byte) ([]byte, error) {
	text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	return text, os.WriteFile(filepath.Join(a.dir, name), text, 0o600)
}

func (a *authority) writeKey(name string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err == nil {
		_, err = a.write(name+".key", "EC PRIVATE KEY", der)
	}
	return key, err
}

// issue writes a key and a certificate, which serves under all names of the API
// server as well.
func (a *authority) issue(u user) (certificate, keyText []byte, err error) {
	key, err := a.writeKey(u.file)
	if err != nil {
		return nil, nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: u.name},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		DNSNames:    []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.ParseIP(address), net.ParseIP(firstOfThem)},
	}
	if u.group != "" {
		template.Subject.Organization = []string{u.group}
	}
	a.validity(template)
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return nil, nil, err
	}
	if certificate, err = a.write(u.file+".crt", "CERTIFICATE", der); err != nil {
		return nil, nil, err
	}
	keyText, err = os.ReadFile(filepath.Join(a.dir, u.file+".key"))
	return certificate, keyText, err
}

func (a *authority) writeKubeconfig(path, server string, u user) error {
	certificate, key, err := a.issue(u)
	if err != nil {
		return err
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["test"] = &clientcmdapi.Cluster{Server: "https://" + server, CertificateAuthorityData: a.pem}
	config.AuthInfos["test"] = &clientcmdapi.AuthInfo{ClientCertificateData: certificate, ClientKeyData: key}
	config.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "test"}
	config.CurrentContext = "test"
	return clientcmd.WriteToFile(*config, path)
}
