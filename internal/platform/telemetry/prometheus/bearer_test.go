package prometheus

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A token goes to the address of the study alone, and only if it is one.
func TestATokenGoesToItsAddressAlone(t *testing.T) {
	got := map[string]string{}
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got["other"] = r.Header.Get("Authorization") }))
	t.Cleanup(other.Close)
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got["own"] = r.Header.Get("Authorization")
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(own.Close)
	at, err := url.Parse(own.URL)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "token")
	client := &http.Client{Transport: bearer{file, at, http.DefaultTransport}}
	for text, want := range map[string]string{"token\n": "Bearer token", "-----BEGIN PRIVATE KEY-----\nkey\n": ""} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		clear(got)
		answer, err := client.Get(own.URL)
		if err == nil {
			answer.Body.Close()
		}
		if got["own"] != want || got["other"] != "" || (err == nil) != (want != "") || err != nil && strings.Contains(err.Error(), "key\n") {
			t.Errorf("%q: the address got %q, another %q: %v", text, got["own"], got["other"], err)
		}
	}
}

// Over plain HTTP a token is only for this machine, where a forwarded port ends.
func TestATokenNeedsTLS(t *testing.T) {
	for address, ok := range map[string]bool{"http://prometheus.example:9090": false, "https://prometheus.example:9090": true, "http://127.0.0.1:9090": true, "http://localhost:9090": true} {
		p := Parameters{URL: address, TokenFile: "token", Exporters: []string{"node"}}
		if bad := p.Problems(); (len(bad) == 0) != ok {
			t.Errorf("%s: %v", address, bad)
		}
	}
}
