package api

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// accepting is an API server that accepts one token at a time.
type accepting struct {
	mu     sync.Mutex
	token  string
	calls  int
	onCall func(refused int) // when one is refused
}

func (a *accepting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasSuffix(r.URL.Path, "/version"):
		fmt.Fprint(w, `{"major": "1", "gitVersion": "v1.33.0"}`)
	case r.Header.Get("Authorization") != "Bearer "+a.token && !a.knows(r.TLS.PeerCertificates):
		a.calls++
		if a.onCall != nil {
			a.onCall(a.calls)
		}
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Unauthorized", "code": 401}`)
	default:
		fmt.Fprint(w, `{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "x", "namespace": "n"}}`)
	}
}

// knows reports whether the certificate belongs to the accepted user.
func (a *accepting) knows(shown []*x509.Certificate) bool {
	return len(shown) > 0 && shown[0].Subject.CommonName == a.token
}

// connected is a client of a server by a kubeconfig whose user is as user says.
func connected(t *testing.T, to *accepting, user string) (client *Client, file string) {
	t.Helper()
	server := httptest.NewUnstartedServer(to)
	server.EnableHTTP2 = true // one connection carries all requests
	server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	server.StartTLS()
	t.Cleanup(server.Close)
	file = filepath.Join(t.TempDir(), "config")
	writeConfig(t, file, server.URL, user)
	client, err := Connect(t.Context(), file, "")
	if err != nil {
		t.Fatal(err)
	}
	client.credentials.pause = time.Millisecond
	return client, file
}

func writeConfig(t *testing.T, file, url, user string) {
	t.Helper()
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: %q, insecure-skip-tls-verify: true}}]
users: [{name: u, user: {%s}}]
contexts: [{name: one, context: {cluster: c, user: u}}]
current-context: one
`, url, user)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// writeCertificate makes a certificate of a user, and its key.
func writeCertificate(t *testing.T, certificate, key, user string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: user}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, about, about, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]pem.Block{certificate: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(&block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func makePod(t *testing.T, client *Client) error {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "x", Namespace: "n"}}
	_, err := Of[corev1.Pod](client, "n").Create(t.Context(), pod)
	return err
}

func TestCredentialsAreReadAgainWhenTheyHaveExpired(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	write := func(text string) {
		if err := os.WriteFile(token, []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
	certificate, key := filepath.Join(t.TempDir(), "certificate"), filepath.Join(t.TempDir(), "key")
	writeCertificate(t, certificate, key, "old")
	for name, c := range map[string]struct {
		user  string
		renew func(file, url string)
	}{
		"in a file":     {fmt.Sprintf("tokenFile: %q", token), func(string, string) { write("new") }},
		"in kubeconfig": {"token: old", func(file, url string) { writeConfig(t, file, url, "token: new") }},
		"a certificate": {
			fmt.Sprintf("client-certificate: %q, client-key: %q", certificate, key),
			func(string, string) { writeCertificate(t, certificate, key, "new") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			write("old")
			server := &accepting{token: "old"}
			client, file := connected(t, server, c.user)
			host := client.credentials.current().config.Host
			if err := makePod(t, client); err != nil {
				t.Fatal(err)
			}
			server.mu.Lock()
			server.token = "new"
			server.onCall = func(refused int) {
				if refused == 3 { // who renews it is late
					c.renew(file, host)
				}
			}
			server.mu.Unlock()
			if err := makePod(t, client); err != nil {
				t.Errorf("after %d refusals: %v", server.calls, err)
			}
			if _, err := client.tunnel("n", "x"); err == nil || apierrors.IsUnauthorized(err) {
				t.Errorf("a stream: %v; want that it is accepted, though it is none", err)
			}
		})
	}
}

func TestAnotherClusterIsNotTakenForThisOne(t *testing.T) {
	server := &accepting{token: "old"}
	client, file := connected(t, server, "token: old")
	client.credentials.limit = 20 * time.Millisecond
	writeConfig(t, file, "https://127.0.0.1:9", "token: new")
	server.mu.Lock()
	server.token = "new"
	server.mu.Unlock()
	if err := makePod(t, client); !apierrors.IsUnauthorized(err) {
		t.Errorf("%v, want that the credentials are refused", err)
	}
}
