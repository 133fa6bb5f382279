package bucket_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/describe/endpoint"
)

func TestAFailedRequestIsNotTriedAgain(t *testing.T) {
	var asked atomic.Int32
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if !strings.Contains(r.Header.Get("Authorization"), "key/") || !strings.HasPrefix(r.URL.Path, "/name/") {
			t.Errorf("%s is asked by %q", r.URL, r.Header.Get("Authorization"))
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer gateway.Close()
	c, err := bucket.Client(store(gateway.URL), 7)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := c.BucketExists(context.Background(), "name"); ok || err == nil {
		t.Errorf("%v, %v", ok, err)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestWhatIsNoObjectStoreIsRefused(t *testing.T) {
	bad := store("https://store")
	bad.Certificate = "none"
	for what, e := range map[string]endpoint.Endpoint{
		"no Store":             endpoint.OfDirectory("store", "/v"),
		"no URL":               {Role: "store", Payload: endpoint.With(endpoint.Store{})},
		"is not the URL":       store("store:9000"),
		"\"ftp://store\"":      store("ftp://store"),
		"certificate of the o": bad,
	} {
		if _, err := bucket.Client(e, 0); err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(what, "no ")) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func store(url string) endpoint.Endpoint {
	return endpoint.Endpoint{Role: "store", Kind: endpoint.Bucket, User: "key", Password: "secret",
		Payload: endpoint.With(endpoint.Store{URLs: []string{url}, Region: "us-east-1"})}
}
