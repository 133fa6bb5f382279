package nginx

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/fcgi"
	"strings"
	"sync"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/conformance/apptest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
)

func TestEngine(t *testing.T) {
	for _, encrypted := range []string{"off", "on"} {
		t.Run("TLS "+encrypted, func(t *testing.T) {
			apptest.Run(t, apptest.Suite{
				Engine: Engine{}, Platform: localtest.Platform, Least: leastMemory,
				Configure: func(t *testing.T, _ platform.Platform, c app.Config) app.Config {
					c.Content = map[string]string{"shop/index.html": "welcome"}
					c.Peers = []endpoint.Endpoint{pages(t, "a")}
					c.Settings = map[string]string{tlsSetting: encrypted}
					return c
				},
				Ask: func(t *testing.T, e endpoint.Endpoint) error {
					if (e.Certificate != "") != (encrypted == "on") {
						return fmt.Errorf("the certificate is %q", e.Certificate)
					}
					return expect(t, e, map[string]string{
						"/shop/index.html":     "welcome",
						"/shop/page.php?a=b+c": "a: GET /site/a/shop/page.php b c",
					})
				},
			})
		})
	}
}

// TestEngineAsPlainUser does without another user, control groups and namespaces.
func TestEngineAsPlainUser(t *testing.T) {
	localtest.AsPlainUser(t, "^TestEngine$/on/(described|writes|kill|outlives)")
}

// pages is an application server that answers with its name and the request's script and
// parameter.
func pages(t *testing.T, name string) endpoint.Endpoint {
	e := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, name, ": ", r.Method, " ", fcgi.ProcessEnv(r)["SCRIPT_FILENAME"], " ", r.URL.Query().Get("a"))
	})
	e.Payload = endpoint.With(endpoint.Pages{Content: "/site/" + name})
	return e
}

// serve is an application server.
func serve(t *testing.T, handle http.HandlerFunc) endpoint.Endpoint {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() { _ = fcgi.Serve(l, handle) }() // until the listener is closed
	return endpoint.Endpoint{Role: "php", Kind: "fastcgi", Network: "tcp", Address: l.Addr().String()}
}

// expect asks for paths, all on one connection.
func expect(t *testing.T, e endpoint.Endpoint, answers map[string]string) error {
	t.Helper()
	client, scheme := client(e), "http"
	defer client.CloseIdleConnections()
	if e.Certificate != "" {
		scheme = "https"
	}
	for path, want := range answers {
		answer, err := client.Get(scheme + "://" + name + path)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || string(text) != want {
			return fmt.Errorf("%s: %s, %q, %v; want %q", path, answer.Status, text, err, want) //nolint:errorlint // there may be no error
		}
	}
	return nil
}

// Several application servers share the work.
func TestPagesOfSeveralServers(t *testing.T) {
	in, err := Engine{}.Find(t.Context(), "", false)
	if err != nil {
		t.Skip(err)
	}
	p := localtest.Platform(t)
	defer p.Close(t.Context())
	c := app.Config{Name: "web", Users: 4, Peers: []endpoint.Endpoint{pages(t, "a"), pages(t, "b")}}
	proc, err := p.Start(t.Context(), Engine{}.Server(in, c), storage.Volume{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 4 {
		answer, err := client(proc.Endpoint()).Get("http://shop/page.php")
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		seen[string(text)] = true
	}
	for _, want := range []string{"a: GET /site/a/page.php ", "b: GET /site/a/page.php "} {
		if !seen[want] {
			t.Errorf("%q is not in %v", want, seen)
		}
	}
}

// Connections with a request under way are counted, whether users come by TLS or not;
// idle ones and the question itself are not.
func TestConnectionsAreCounted(t *testing.T) {
	in, err := Engine{}.Find(t.Context(), "", false)
	if err != nil {
		t.Skip(err)
	}
	p := localtest.Platform(t)
	defer p.Close(t.Context())
	for _, encrypted := range []string{"off", "on"} {
		come, leave := make(chan bool, 8), make(chan bool)
		l := serve(t, func(http.ResponseWriter, *http.Request) { come <- true; <-leave })
		c := app.Config{Name: "web-" + encrypted, Users: 4, Peers: []endpoint.Endpoint{l}, Settings: map[string]string{tlsSetting: encrypted}, AdminPassword: "secret"}
		proc, err := p.Start(t.Context(), Engine{}.Server(in, c), storage.Volume{})
		if err != nil {
			t.Fatal(err)
		}
		e := proc.Endpoint()
		scheme := map[string]string{"off": "http", "on": "https"}[encrypted]
		var users sync.WaitGroup
		for range 3 {
			users.Go(func() {
				if answer, err := client(e).Get(scheme + "://" + name + "/page.php"); err == nil {
					answer.Body.Close()
				}
			})
		}
		for range 3 {
			<-come
		}
		if r, err := (Engine{}).Read(t.Context(), e); err != nil || r.Busy != 3 {
			t.Errorf("TLS %s: %+v, %v", encrypted, r, err)
		}
		close(leave)
		users.Wait()
	}
}

// A page is asked for once, and an application server that failed is asked again at
// once: users see each failure, and when it is back.
func TestAFailureIsSeenAndNotRepeated(t *testing.T) {
	text := configuration(app.Config{Peers: []endpoint.Endpoint{{Kind: "fastcgi", Address: "127.0.0.1:1"}, {Kind: "fastcgi", Network: "unix", Address: "/s"}}})
	for _, line := range []string{"fastcgi_next_upstream off;", "server 127.0.0.1:1 max_fails=0;", "server unix:/s max_fails=0;"} {
		if !strings.Contains(text, line) {
			t.Errorf("%q is missing in\n%s", line, text)
		}
	}
	if strings.Contains(text, "keep_conn") {
		t.Error("connections to workers are kept, which starves those that wait for one")
	}
}

func TestCertificatesAreAlwaysTheSame(t *testing.T) {
	certificate, key := identity("secret")
	again, sameKey := identity("secret")
	if certificate != again || key != sameKey {
		t.Error("a second certificate of the same secret is another")
	}
	if other, _ := identity("another secret"); other == certificate {
		t.Error("two secrets have one certificate")
	}
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM([]byte(certificate))
	for _, name := range []string{"127.0.0.1", "localhost", "::1"} {
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: trusted, DNSName: name}); err != nil {
			t.Error(err)
		}
	}
}

func TestSettingsAreJudgedByTheServer(t *testing.T) {
	apptest.JudgesSettings(t, Engine{}, map[string]apptest.Setting{
		"misspelt":         {Name: "gzipp", Value: "on", Reason: "has no setting gzipp", Hint: ""},
		"impossible value": {Name: "worker_processes", Value: "many", Reason: "invalid value", Hint: ""},
		"of events":        {Name: "worker_connections", Value: "x", Reason: "invalid number", Hint: ""},
		"set by Plimsoll":  {Name: "access_log", Value: "on", Reason: "Plimsoll sets access_log", Hint: "remove it"},
		"more than one":    {Name: "gzip", Value: "on; root x", Reason: "one of the characters", Hint: "leave them out"},
		"neither":          {Name: "tls", Value: "yes", Reason: "neither on nor off", Hint: ""},
		"right":            {Name: "gzip", Value: "on", Reason: "", Hint: ""},
		"in place of ours": {Name: "keepalive_timeout", Value: "75s 60s", Reason: "", Hint: ""},
		"TLS":              {Name: "tls", Value: "on", Reason: "", Hint: ""},
	})
}

func TestWithoutNginx(t *testing.T) {
	apptest.RefusesInstallations(t, choose, "", map[string][]app.Installation{
		"run `" + packages().Install() + "`": nil,
		"http_stub_status_module":            {{Version: "1.22.1"}},
	})
	apptest.RefusesInstallations(t, choose, "9", map[string][]app.Installation{
		"nginx 9 is not installed": {{Version: "1.22.1", Modules: map[string]string{"stub_status": ""}}},
	})
}

func TestNewestIsFoundByNumber(t *testing.T) {
	for version, flags := range map[string]int{"1.9.9": 0, "1.18.0": 0, "1.19.5": 2, "1.22.1": 2, "2.0": 2} {
		if got := logFlags(app.Installation{Version: version}); len(got) != flags {
			t.Errorf("%s: %v", version, got)
		}
	}
}
