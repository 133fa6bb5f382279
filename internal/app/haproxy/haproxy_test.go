package haproxy

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"plimsoll/internal/app"
	"plimsoll/internal/client/bucket"
	"plimsoll/internal/conformance/apptest"
	"plimsoll/internal/conformance/buckettest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
)

func TestEngine(t *testing.T) {
	apptest.Run(t, apptest.Suite{
		Engine: Engine{}, Platform: localtest.Platform, Least: leastMemory, Alone: true,
		Configure: func(t *testing.T, _ platform.Platform, c app.Config) app.Config {
			c.Peers = []endpoint.Endpoint{gateway(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "welcome") })}
			return c
		},
		Ask: func(_ *testing.T, e endpoint.Endpoint) error {
			if text, err := ask(e); err != nil || text != "welcome" {
				return fmt.Errorf("%q, %w", text, err)
			}
			return nil
		},
	})
}

// TestEngineAsPlainUser does without another user, control groups and namespaces.
func TestEngineAsPlainUser(t *testing.T) {
	localtest.AsPlainUser(t, "^TestEngine$/(described|writes|kill|outlives)")
}

// gateway is a gateway that answers with handle.
func gateway(t *testing.T, handle http.HandlerFunc) endpoint.Endpoint {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return endpoint.Endpoint{Role: "store", Kind: endpoint.Bucket, Network: "tcp", Address: strings.TrimPrefix(s.URL, "http://"),
		User: "key", Password: "of the gateways", Payload: endpoint.With(endpoint.Store{URLs: []string{s.URL}, Region: "us-east-1"})}
}

// ask asks for a page on a connection of its own.
func ask(e endpoint.Endpoint) (string, error) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get("http://" + e.Address + "/")
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("it answered %s", answer.Status)
	}
	return string(text), err
}

func start(t *testing.T, c app.Config) endpoint.Endpoint {
	t.Helper()
	in, err := Engine{}.Find(t.Context(), "", false)
	if err != nil {
		t.Skip(err)
	}
	p := localtest.Platform(t)
	t.Cleanup(func() { _ = p.Close(t.Context()) })
	c.Name, c.Users = "front", 8
	process, err := p.Start(t.Context(), Engine{}.Server(in, c), storage.Volume{})
	if err != nil {
		t.Fatal(err)
	}
	return process.Endpoint()
}

// Signed requests reach a real gateway as they were signed.
func TestABucketIsReachedThroughIt(t *testing.T) {
	e := start(t, app.Config{Peers: []endpoint.Endpoint{buckettest.Start(t, "store").In(t, "mine")}})
	c, err := bucket.Client(e, 0)
	if err != nil {
		t.Fatal(err)
	}
	const text = "through the balancer"
	if _, err := c.PutObject(t.Context(), "mine", "a/key with spaces+", strings.NewReader(text), int64(len(text)), minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	o, err := c.GetObject(t.Context(), "mine", "a/key with spaces+", minio.GetObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := io.ReadAll(o); err != nil || string(found) != text {
		t.Errorf("%q, %v", found, err)
	}
	if s := endpoint.StoreOf(e); s.Name != "mine" || s.Region == "" || s.URLs[0] != "http://"+e.Address {
		t.Errorf("%+v", s)
	}
}

// Several gateways share the requests, and one that is down gets none.
func TestGatewaysShareTheRequests(t *testing.T) {
	answers := func(name string) endpoint.Endpoint {
		return gateway(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, name) })
	}
	down, err := net.Listen("tcp", "127.0.0.1:0") // nobody has this port for now
	if err != nil {
		t.Fatal(err)
	}
	gone := answers("c")
	gone.Payload = endpoint.With(endpoint.Store{URLs: []string{"http://" + down.Addr().String()}})
	_ = down.Close()
	e := start(t, app.Config{Peers: []endpoint.Endpoint{answers("a"), answers("b"), gone}})
	await(t, func() bool { return of(t, e, "gateway-3")["status"] == "DOWN" })
	seen := map[string]bool{}
	for range 8 {
		text, err := ask(e)
		if err != nil {
			t.Error(err)
		}
		seen[text] = true
	}
	if !seen["a"] || !seen["b"] || len(seen) != 2 {
		t.Errorf("%v answered", seen)
	}
	r, err := Engine{}.Read(t.Context(), e)
	if err != nil || len(r.Passed) != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	if a, b, gone := r.Passed[0], r.Passed[1], r.Passed[2]; a.To != "gateway-1" || a.Requests != 4 || b.Requests != 4 || a.Bytes < 8 || gone.Requests != 0 || gone.Bytes != 0 {
		t.Errorf("%+v", r.Passed)
	}
}

// of is the row of a gateway in the status.
func of(t *testing.T, e endpoint.Endpoint, gateway string) map[string]string {
	t.Helper()
	all, err := status(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range all {
		if row["svname"] == gateway {
			return row
		}
	}
	t.Fatalf("there is no %s in %v", gateway, all)
	return nil
}

func await(t *testing.T, done func() bool) {
	t.Helper()
	for range 600 {
		if done() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("it never came to that")
}

// Requests in progress are counted, but not the status request itself; without the key
// nobody gets the counts.
func TestRequestsAreCounted(t *testing.T) {
	come, leave := make(chan bool, 8), make(chan bool)
	busy := gateway(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/work" {
			come <- true
			<-leave
		}
	})
	e := start(t, app.Config{Peers: []endpoint.Endpoint{busy}})
	var users sync.WaitGroup
	for range 3 {
		users.Go(func() {
			if answer, err := http.Get("http://" + e.Address + "/work"); err == nil {
				answer.Body.Close()
			}
		})
	}
	for range 3 {
		<-come
	}
	if r, err := (Engine{}).Read(t.Context(), e); err != nil || r.Busy != 3 || r.Waiting != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	close(leave)
	users.Wait()
	e.Password = "another"
	if _, err := (Engine{}).Read(t.Context(), e); err == nil || !strings.Contains(err.Error(), "401") {
		t.Error(err)
	}
}

func TestSettingsAreJudged(t *testing.T) {
	apptest.JudgesSettings(t, Engine{}, map[string]apptest.Setting{
		"misspelt":    {Name: "balanc", Value: "first", Reason: "has no setting balanc", Hint: "did you mean \"balance\"?"},
		"no way":      {Name: "balance", Value: "fair", Reason: `"fair" is none of roundrobin`},
		"no number":   {Name: "nbthread", Value: "0", Reason: `"0" is not a number`},
		"no time":     {Name: "inter", Value: "1", Reason: `"1" is not a time`},
		"two lines":   {Name: "inter", Value: "1s\nuser root", Reason: "control character", Hint: "leave it out"},
		"ours":        {Name: "bind", Value: ":80", Reason: "Plimsoll sets bind", Hint: "remove it"},
		"other power": {Name: "lua-load", Value: "x", Reason: "which a study may not", Hint: "remove it"},
		"right":       {Name: "balance", Value: "leastconn"},
		"a time":      {Name: "inter", Value: "500ms"},
	})
	text := configuration(app.Config{Settings: map[string]string{"balance": "leastconn", "nbthread": "3", "inter": "2s"}})
	for _, line := range []string{"balance leastconn", "nbthread 3", "inter 2s", "retries 0"} {
		if !strings.Contains(text, line) {
			t.Errorf("%q is missing in\n%s", line, text)
		}
	}
}

func TestSettingsStayWithinTheInstance(t *testing.T) {
	apptest.KeepsWithin(t, Engine{}, map[string]string{
		"lua-load":             "/tmp/x.lua",
		"external-check":       "command /bin/sh",
		"program":              "x",
		"user":                 "root",
		"stats":                "socket /tmp/x level admin",
		"log":                  "/dev/log local0",
		"insecure-fork-wanted": "on",
	}, map[string]string{"balance": "leastconn"})
}
