package s3_test

import (
	"context"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/conformance/buckettest"
	"plimsoll/internal/conformance/storagetest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/s3"
)

func TestMain(m *testing.M) { storagetest.Main(m, nil) }

// of are the parameters of a gateway.
func of(t *testing.T, g buckettest.Gateway) *s3.Parameters {
	t.Helper()
	keys := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keys, []byte(g.User+"\n"+g.Password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &s3.Parameters{URLs: endpoint.StoreOf(g.Endpoint).URLs, KeysFile: keys}
}

func TestConformance(t *testing.T) {
	g := buckettest.Start(t, "theirs")
	p := of(t, g)
	storagetest.RunBuckets(t, storagetest.Buckets{
		New:    func(env storage.Env) (storage.Class, error) { return s3.Kind{}.New("theirs", p, env) },
		Client: g.Client, Kind: s3.BucketKind,
		Sweep: func(ctx context.Context, run string, o journal.Object) error {
			if !(s3.Kind{}).Lent(p, o) {
				return errors.New(o.String() + " is not of this class")
			}
			_, err := s3.Kind{}.GiveBack(ctx, p, run, o)
			return err
		},
	})
}

// passOn is a gateway behind another server, whose certificate a test's own authority signed.
func passOn(t *testing.T, g buckettest.Gateway) (secure *httptest.Server) {
	t.Helper()
	at, err := url.Parse(endpoint.StoreOf(g.Endpoint).URLs[0])
	if err != nil {
		t.Fatal(err)
	}
	secure = httptest.NewUnstartedServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at); r.Out.Host = r.In.Host }})
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // refused handshakes
	secure.StartTLS()
	t.Cleanup(secure.Close)
	return secure
}

func provision(t *testing.T, p *s3.Parameters) (storage.Class, storage.Volume) {
	t.Helper()
	class, err := s3.Kind{}.New("theirs", p, storage.Env{RunID: "this-run"})
	if err != nil {
		t.Fatal(err)
	}
	if err := class.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	v, err := class.Provision(t.Context(), storage.Claim{Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	return class, v
}

func TestAPrivateAuthority(t *testing.T) {
	g := buckettest.Start(t, "secure")
	secure := passOn(t, g)
	p := of(t, g)
	p.URLs = []string{secure.URL}
	if err := (s3.Kind{}).Usable(p); err == nil || !strings.Contains(err.Error(), "ca_file") {
		t.Errorf("an authority that nobody knows: %v", err)
	}
	p.CAFile = filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	if err := os.WriteFile(p.CAFile, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := (s3.Kind{}).Usable(p); err != nil {
		t.Fatal(err)
	}
	class, v := provision(t, p)
	c, err := bucket.Client(v.Endpoint(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.PutObject(t.Context(), endpoint.StoreOf(v.Endpoint()).Name, "key", strings.NewReader("text"), 4, minio.PutObjectOptions{}); err != nil {
		t.Error(err)
	}
	if err := class.Down(t.Context()); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(p.CAFile, []byte("no certificate"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := (s3.Kind{}).Usable(p); err == nil || !strings.Contains(err.Error(), "PEM") {
		t.Errorf("a file without a certificate: %v", err)
	}
}

func TestAStoreThatDoesNotLetUsInIsExplained(t *testing.T) {
	g := buckettest.Start(t, "closed")
	write := func(text string, mode os.FileMode) string {
		path := filepath.Join(t.TempDir(), "keys")
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	t.Setenv("KNOWN", "key")
	for want, change := range map[string]func(*s3.Parameters){
		"does not accept the keys of":   func(p *s3.Parameters) { p.KeysFile = write(g.User+"\nanother\n", 0o600) },
		"does not accept the keys of k": func(p *s3.Parameters) { p.KeysFile = write("another\n"+g.Password, 0o600) },
		"others can read":               func(p *s3.Parameters) { p.KeysFile = write(g.User+"\n"+g.Password, 0o644) },
		"two lines":                     func(p *s3.Parameters) { p.KeysFile = write("one", 0o600) },
		"no such file":                  func(p *s3.Parameters) { p.KeysFile = "/nowhere" },
		"variable UNKNOWN is not set":   func(p *s3.Parameters) { p.KeysFile, p.AccessKeyEnv, p.SecretKeyEnv = "", "KNOWN", "UNKNOWN" },
		"set region":                    func(p *s3.Parameters) { p.Region = "eu-central-1" },
		"no store answers there":        func(p *s3.Parameters) { p.URLs = append(p.URLs, gone.URL) },
		"begin the URL with http://":    func(p *s3.Parameters) { p.URLs = []string{strings.Replace(p.URLs[0], "http:", "https:", 1)} },
	} {
		p := of(t, g)
		change(p)
		if err := (s3.Kind{}).Usable(p); err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(want, " k")) || strings.Contains(err.Error(), g.Password) {
			t.Errorf("%s: %v", want, err)
		}
	}
	t.Setenv("ACCESS", g.User)
	t.Setenv("SECRET", g.Password)
	p := of(t, g)
	p.KeysFile, p.AccessKeyEnv, p.SecretKeyEnv = "", "ACCESS", "SECRET"
	if err := (s3.Kind{}).Usable(p); err != nil {
		t.Errorf("keys in variables: %v", err)
	}
}

// Answers of other stores that this one cannot be made to give.
func TestAnswersAreExplained(t *testing.T) {
	for code, c := range map[string]struct {
		status int
		want   string
	}{
		"RequestTimeTooSkewed": {http.StatusForbidden, "are too far apart"},
		"SlowDown":             {http.StatusServiceUnavailable, "fewer requests"},
		"AccessDenied":         {http.StatusForbidden, "do not allow it"},
	} {
		store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, "<Error><Code>"+code+"</Code><Message>of the test</Message></Error>") // nobody else reads it
		}))
		t.Setenv("ACCESS", "a")
		t.Setenv("SECRET", "b")
		err := s3.Kind{}.Usable(&s3.Parameters{URLs: []string{store.URL}, AccessKeyEnv: "ACCESS", SecretKeyEnv: "SECRET"})
		store.Close()
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "of the test") {
			t.Errorf("%s: %v", code, err)
		}
	}
}

// A gateway that sends requests for objects to another name of itself is asked by that name, by
// users and when it is cleaned up.
func TestAGatewayWithAnotherName(t *testing.T) {
	g := buckettest.Start(t, "moves")
	e := g.Behind(t, func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.Host, "localhost") || strings.Count(strings.Trim(r.URL.Path, "/"), "/") == 0 {
			return false
		}
		http.Redirect(w, r, "http://"+strings.Replace(r.Host, "127.0.0.1", "localhost", 1)+r.URL.Path, http.StatusTemporaryRedirect)
		return true
	})
	p := of(t, g)
	p.URLs = endpoint.StoreOf(e).URLs
	class, v := provision(t, p)
	if urls := endpoint.StoreOf(v.Endpoint()).URLs; len(urls) != 1 || !strings.HasPrefix(urls[0], "http://localhost:") {
		t.Errorf("users are sent to %v", urls)
	}
	if notes := class.Describe().Notes; !strings.Contains(strings.Join(notes, "\n"), "another name of the same server") {
		t.Errorf("%q", notes)
	}
	name := endpoint.StoreOf(v.Endpoint()).Name
	found, err := s3.Kind{}.GiveBack(t.Context(), p, "this-run", journal.Object{Kind: s3.BucketKind, Name: name, Path: p.URLs[0]})
	if err != nil || !found {
		t.Errorf("found %v, %v", found, err)
	}
	if err := class.Down(t.Context()); err != nil {
		t.Error(err)
	}
}

// Requests that are signed with our keys go to the servers that the study names.
func TestARedirectToAnotherServerIsNamed(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was followed") }))
	t.Cleanup(other.Close)
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(store.Close)
	t.Setenv("ACCESS", "a")
	t.Setenv("SECRET", "b")
	err := s3.Kind{}.Usable(&s3.Parameters{URLs: []string{store.URL}, AccessKeyEnv: "ACCESS", SecretKeyEnv: "SECRET"})
	if err == nil || !strings.Contains(err.Error(), "write "+other.URL+" in urls") {
		t.Error(err)
	}
}

func TestAWebPageIsNoStore(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html></html>") // nobody else reads it
	}))
	t.Cleanup(page.Close)
	t.Setenv("ACCESS", "a")
	t.Setenv("SECRET", "b")
	err := s3.Kind{}.Usable(&s3.Parameters{URLs: []string{page.URL}, AccessKeyEnv: "ACCESS", SecretKeyEnv: "SECRET"})
	if err == nil || !strings.Contains(err.Error(), "there is a web page at "+page.URL+", not an object store") {
		t.Error(err)
	}
}

// A store that retains removed objects is reported before anybody fills a bucket.
func TestARetentionIsExplained(t *testing.T) {
	g := buckettest.Start(t, "keeps")
	e := g.Behind(t, func(w http.ResponseWriter, r *http.Request) bool {
		return (r.URL.Query().Has("delete") || r.Method == http.MethodDelete && strings.Count(r.URL.Path, "/") > 1) &&
			buckettest.Refuse(w, http.StatusForbidden, "AccessDenied", "protected by object lock")
	})
	p := of(t, g)
	p.URLs = endpoint.StoreOf(e).URLs
	class, err := s3.Kind{}.New("theirs", p, storage.Env{RunID: "this-run"})
	if err != nil {
		t.Fatal(err)
	}
	if err := class.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = class.Provision(t.Context(), storage.Claim{Name: "one"})
	if err == nil || !strings.Contains(err.Error(), "retention keeps") || strings.Contains(err.Error(), "do not allow it") {
		t.Error(err)
	}
}

// The result notes that requests bypassed the proxy that other programs use.
func TestAProxyOfTheEnvironment(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"} {
		t.Setenv(name, "")
	}
	t.Setenv("ACCESS", "a")
	t.Setenv("SECRET", "b")
	class, err := s3.Kind{}.New("theirs", &s3.Parameters{URLs: []string{"http://store.example:9000"}, AccessKeyEnv: "ACCESS", SecretKeyEnv: "SECRET"}, storage.Env{RunID: "r"})
	if err != nil {
		t.Fatal(err)
	}
	doubts := class.Capabilities().Doubts
	if all := doubts(t.Context()); len(all) != 0 || class.Describe().Options["proxy"] != "none" {
		t.Errorf("without a proxy: %v", all)
	}
	t.Setenv("HTTP_PROXY", "http://proxy.example:3128")
	if all := doubts(t.Context()); len(all) != 1 || !strings.Contains(all[0].Said.Text, "http://store.example:9000 directly") {
		t.Errorf("with a proxy: %v", all)
	}
	t.Setenv("NO_PROXY", "store.example")
	if all := doubts(t.Context()); len(all) != 0 {
		t.Errorf("where it is not for this store: %v", all)
	}
}

// A bucket of the name that this run would make, which is another's, stays as it is.
func TestABucketOfOthersIsRefused(t *testing.T) {
	g := buckettest.Start(t, "taken")
	p := of(t, g)
	class, v := provision(t, p)
	name := endpoint.StoreOf(v.Endpoint()).Name
	if err := class.Down(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := g.Client.MakeBucket(t.Context(), name, minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := class.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := class.Provision(t.Context(), storage.Claim{Name: "one"}); !errors.Is(err, bucket.ErrNotOurs) {
		t.Errorf("%v", err)
	}
	if err := class.Down(t.Context()); err != nil {
		t.Error(err)
	}
	if there, err := g.Client.BucketExists(t.Context(), name); !there || err != nil {
		t.Errorf("there %v, %v", there, err)
	}
}

func TestValidate(t *testing.T) {
	good := s3.Parameters{URLs: []string{"https://store.example:9000", "http://10.0.0.7"}, KeysFile: "/keys", CAFile: "/ca", Addressing: s3.Virtual}
	for want, change := range map[string]func(*s3.Parameters){
		"":             func(*s3.Parameters) {},
		"urls":         func(p *s3.Parameters) { p.URLs, p.CAFile = nil, "" },
		"urls ":        func(p *s3.Parameters) { p.URLs[0] = "store:9000" },
		"urls  ":       func(p *s3.Parameters) { p.URLs[0] = "https://key:secret@store" },
		"urls   ":      func(p *s3.Parameters) { p.URLs[0] = "https://store/bucket" },
		"urls    ":     func(p *s3.Parameters) { p.URLs[1] = p.URLs[0] },
		"addressing":   func(p *s3.Parameters) { p.Addressing = "dns" },
		"ca_file":      func(p *s3.Parameters) { p.URLs = p.URLs[1:] },
		"keys_file":    func(p *s3.Parameters) { p.KeysFile = "" },
		"keys_file ":   func(p *s3.Parameters) { p.AccessKeyEnv, p.SecretKeyEnv = "A", "B" },
		"keys_file  ":  func(p *s3.Parameters) { p.KeysFile, p.AccessKeyEnv = "", "A" },
		"keys_file   ": func(p *s3.Parameters) { p.SecretKeyEnv = "B" },
	} {
		p := good
		p.URLs = append([]string(nil), good.URLs...)
		change(&p)
		bad := s3.Kind{}.Validate(&p)
		if want = strings.TrimSpace(want); (want == "") != (len(bad) == 0) || want != "" && (len(bad) != 1 || bad[0].Path != want) {
			t.Errorf("%+v: %v", p, bad)
		}
		for _, b := range bad {
			if strings.Contains(b.Text, "secret@") {
				t.Errorf("%s shows a key", b.Text)
			}
		}
	}
}
