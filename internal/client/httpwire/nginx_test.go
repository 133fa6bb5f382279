package httpwire_test

import (
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/app/nginx"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
)

// A real web server, with and without TLS. Its certificate is the endpoint's.
func TestNginx(t *testing.T) {
	in, err := nginx.Engine{}.Find(t.Context(), "", false)
	if err != nil {
		t.Skip(err)
	}
	for _, encrypted := range []string{"off", "on"} {
		p := localtest.Platform(t)
		defer p.Close(t.Context())
		c := app.Config{Name: "web-" + encrypted, Users: 4, AdminPassword: "secret", Settings: map[string]string{"tls": encrypted},
			Content: map[string]string{"index.html": "<html>a page</html>"}}
		server, err := p.Start(t.Context(), nginx.Engine{}.Server(in, c), storage.Volume{})
		if err != nil {
			t.Fatal(err)
		}
		e := server.Endpoint()
		if (e.Certificate != "") != (encrypted == "on") {
			t.Errorf("tls %s: the certificate is %q", encrypted, e.Certificate)
		}
		conn := open(t, e)
		for range 3 {
			if page, err := conn.Get([]byte("/index.html")); err != nil || string(page.Body) != "<html>a page</html>" {
				t.Errorf("tls %s: %q, %v", encrypted, page.Body, err)
			}
		}
		conn.Close()
		if err := server.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
