package live

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/platform/local/localtest"
)

// listen starts a Listener that answers "secret" everywhere.
func listen(t *testing.T, o Options) *Listener {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	l, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	l.Handle("GET /", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "secret") }))
	l.Handle("POST /do", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "secret") }))
	l.Start()
	t.Cleanup(func() {
		if err := l.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return l
}

// ask sends a request to a Listener, by a loopback address whatever it listens on.
func ask(t *testing.T, l *Listener, method, path string, change func(*http.Request)) (status int, text string, header http.Header) {
	t.Helper()
	u, err := url.Parse(l.URL())
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequest(method, "http://127.0.0.1:"+u.Port()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body), answer.Header
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func host(name string) func(*http.Request) {
	return func(r *http.Request) { r.Host = name }
}

func TestLoopbackIsOpenToItsUserAndNotToOtherSites(t *testing.T) {
	l := listen(t, Options{})
	if l.TokenFile() != "" || !strings.HasPrefix(l.URL(), "http://127.0.0.1:") {
		t.Errorf("%s asks for the token in %q", l.URL(), l.TokenFile())
	}
	for name, c := range map[string]struct {
		method, path string
		change       func(*http.Request)
		open         bool
	}{
		"plain":                       {"GET", "/", nil, true},
		"localhost":                   {"GET", "/", host("localhost:1"), true},
		"address":                     {"GET", "/", host("[::1]:80"), true},
		"rebound name":                {"GET", "/", host("attacker.example:80"), false},
		"rebound name without a port": {"GET", "/", host("attacker.example"), false},
		"address of another machine":  {"GET", "/", host("192.0.2.1:80"), false},
		"script of another site":      {"GET", "/", header("Sec-Fetch-Site", "cross-site"), false},
		"script of another port":      {"GET", "/", header("Sec-Fetch-Site", "same-site"), false},
		"own script":                  {"GET", "/", header("Sec-Fetch-Site", "same-origin"), true},
		"form of another site":        {"POST", "/do", header("Sec-Fetch-Site", "cross-site"), false},
		"form of an old browser":      {"POST", "/do", header("Origin", "http://attacker.example"), false},
		"own form":                    {"POST", "/do", header("Sec-Fetch-Site", "same-origin"), true},
		"climbing":                    {"GET", "/../../etc/passwd", nil, true}, // the mux cleans it
	} {
		t.Run(name, func(t *testing.T) {
			status, text, head := ask(t, l, c.method, c.path, c.change)
			if open := status == http.StatusOK && text == "secret"; open != c.open {
				t.Errorf("status %d: %s", status, text)
			}
			if head.Get("Access-Control-Allow-Origin") != "" || head.Get("Cross-Origin-Resource-Policy") != "same-origin" || head.Get("Cache-Control") != "no-store" {
				t.Errorf("headers: %v", head)
			}
		})
	}
}

// Another user of the machine reads no page, and one who is given the token does.
func TestAnotherUserOfTheMachineReadsNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	open, shared := listen(t, Options{}), listen(t, Options{TokenFile: file})
	open.HandleForMachine("/metrics", http.NotFoundHandler())
	token, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		l    *Listener
		path string
		want int
	}{{open, "", http.StatusForbidden}, {open, "metrics", http.StatusNotFound}, {shared, "", http.StatusOK}} {
		var conn net.Conn
		err := localtest.AsOther(t, func() (err error) {
			conn, err = net.Dial("tcp", strings.Trim(strings.TrimPrefix(c.l.URL(), "http://"), "/"))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		r, err := http.NewRequest("GET", c.l.URL()+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		if err := r.Write(conn); err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(conn), r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != c.want {
			t.Errorf("%s: status %d, want %d", c.l.URL(), answer.StatusCode, c.want)
		}
	}
}

func TestEveryOtherAddressAsksForTheToken(t *testing.T) {
	l := listen(t, Options{Addr: ":0"})
	text, err := os.ReadFile(l.TokenFile())
	if err != nil {
		t.Fatal(err)
	}
	secret := strings.TrimSpace(string(text))
	info, err := os.Stat(l.TokenFile())
	if err != nil || info.Mode().Perm() != 0o600 || len(secret) < 26 {
		t.Errorf("%d characters, %v, %v", len(secret), info.Mode(), err)
	}
	cookie := func(r *http.Request) { r.AddCookie(&http.Cookie{Name: l.cookie(), Value: secret}) }
	for name, c := range map[string]struct {
		change func(*http.Request)
		status int
	}{
		"nothing":                {nil, 401},
		"header":                 {header("Authorization", "Bearer "+secret), 200},
		"cookie":                 {cookie, 200},
		"wrong header":           {header("Authorization", "Bearer "+secret+"x"), 401},
		"beginning":              {header("Authorization", "Bearer "+secret[:10]), 401},
		"empty":                  {header("Authorization", "Bearer "), 401},
		"basic":                  {header("Authorization", "Basic "+secret), 401},
		"wrong cookie":           {func(r *http.Request) { r.AddCookie(&http.Cookie{Name: l.cookie(), Value: "x"}) }, 401},
		"cookie at a false name": {func(r *http.Request) { r.Host = "attacker.example"; cookie(r) }, 421},
		"header at any name":     {func(r *http.Request) { r.Host = "plimsoll.namespace.svc"; header("Authorization", "Bearer "+secret)(r) }, 200},
	} {
		t.Run(name, func(t *testing.T) {
			status, got, _ := ask(t, l, "GET", "/", c.change)
			if status != c.status || (got == "secret") != (status == 200) {
				t.Errorf("status %d, want %d: %s", status, c.status, got)
			}
			if strings.Contains(got, secret) {
				t.Error("the answer has the token")
			}
		})
	}
	t.Run("address", func(t *testing.T) { // a token in an address would be in logs
		if status, _, _ := ask(t, l, "GET", "/?token="+secret, nil); status != 401 {
			t.Errorf("status %d", status)
		}
	})
	t.Run("login", func(t *testing.T) {
		status, _, head := ask(t, l, "POST", "/login", header("Authorization", "Bearer "+secret))
		set := head.Get("Set-Cookie")
		if status != 204 || !strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Strict") {
			t.Errorf("status %d: %s", status, set)
		}
		if status, _, head := ask(t, l, "POST", "/login", header("Authorization", "Bearer x")); status != 401 || head.Get("Set-Cookie") != "" {
			t.Errorf("status %d: %v", status, head)
		}
	})
	t.Run("page", func(t *testing.T) {
		_, page, _ := ask(t, l, "GET", "/", header("Accept", "text/html"))
		if !strings.Contains(page, `{"login":true}`) || !strings.Contains(page, "connect-src 'self'") {
			t.Error("a browser is not asked for the token")
		}
	})
}

func TestATokenThatWasMadeEndsWithItsListener(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	named := filepath.Join(t.TempDir(), "token")
	for name, o := range map[string]Options{"own": {Addr: "0.0.0.0:0"}, "named": {TokenFile: named}} {
		t.Run(name, func(t *testing.T) {
			l, err := Listen(o)
			if err != nil {
				t.Fatal(err)
			}
			file := l.TokenFile()
			if _, err := os.Stat(file); err != nil {
				t.Error(err)
			}
			l.Start()
			if err := l.Close(context.Background()); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(file); !os.IsNotExist(err) {
				t.Errorf("%s is still there: %v", file, err)
			}
		})
	}
}

func TestAUsersOwnToken(t *testing.T) {
	write := func(text string, mode os.FileMode) string {
		file := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return file
	}
	const good = "0123456789abcdef-good"
	file := write(good+"\n", 0o600)
	l := listen(t, Options{TokenFile: file})
	if status, _, _ := ask(t, l, "GET", "/", header("Authorization", "Bearer "+good)); status != 200 {
		t.Errorf("status %d", status)
	}
	if err := l.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	for want, file := range map[string]string{
		"chmod 600":     write(good, 0o644),
		"characters, a": write("short", 0o600),
		"other than":    write("0123456789abcdef good", 0o600),
		"limit":         write(strings.Repeat("x", 2000), 0o600),
	} {
		if _, err := Listen(Options{TokenFile: file}); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "0123456789") {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{"": "127.0.0.1:0", Loopback: "127.0.0.1:0", "8080": "127.0.0.1:8080", ":0": ":0", "[::1]:5": "[::1]:5"} {
		if got, err := address(text); err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"study.yaml", "99999", "host", "::1"} {
		if got, err := address(text); err == nil {
			t.Errorf("%q is taken for %s", text, got)
		}
	}
}
