package bucket_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/minio/minio-go/v7"

	"plimsoll/internal/client/bucket"
)

func serve(t *testing.T, answer http.HandlerFunc) (url string) {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return s.URL
}

// A store says NoSuchBucket of a bucket that it does not have, and whoever else answers does not.
func TestWhatAnswersIsAStoreOrNot(t *testing.T) {
	answer := func(status int, kind, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			fmt.Fprint(w, text)
		}
	}
	const page = "<html><body>Please log in</body></html>"
	for what, c := range map[string]struct {
		http.HandlerFunc
		want string // in the error; empty: it is a store
	}{
		"a store":               {answer(404, "application/xml", `<?xml version="1.0"?><Error><Code>NoSuchBucket</Code></Error>`), ""},
		"a store that has it":   {answer(200, "application/xml", "<ListBucketResult></ListBucketResult>"), ""},
		"a store that refuses":  {answer(403, "application/xml", "<Error><Code>InvalidAccessKeyId</Code><Message>who?</Message></Error>"), "who?"},
		"a console":             {answer(200, "text/html; charset=utf-8", page), "there is a web page at http"},
		"a page that is not":    {answer(404, "text/html", page), "there is a web page at http"},
		"metrics":               {answer(404, "text/plain; charset=utf-8", "404 page not found\n"), "is not an object store"},
		"a registry":            {answer(401, "application/json", `{"errors":[{"code":"UNAUTHORIZED"}]}`), "is not an object store"},
		"nothing":               {answer(200, "", ""), "is not an object store"},
		"other XML":             {answer(200, "application/xml", "<rss></rss>"), "is not an object store"},
		"a balancer that waits": {answer(503, "text/html", page), "503"},
		"a page for logging in": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/ui/", http.StatusSeeOther) }, "redirects to"},
	} {
		err := bucket.Ask(t.Context(), store(serve(t, c.HandlerFunc)), 0)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A signed request is not sent on to another server, and one that has another name for itself is
// known.
func TestRedirects(t *testing.T) {
	var elsewhere atomic.Int32
	other := serve(t, func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) })
	for path, same := range map[string]bool{"same": true, "other": false, "page": false} {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			to := "http://localhost:" + r.Host[strings.LastIndex(r.Host, ":")+1:] + r.URL.Path
			switch path {
			case "other":
				to = other + r.URL.Path
			case "page":
				to = "http://" + r.Host + "/login"
			}
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
		})
		_, err := open(t, store(url)).PutObject(t.Context(), "name", "key", strings.NewReader("x"), 1, minio.PutObjectOptions{})
		r, is := errors.AsType[*bucket.Redirect](err)
		if !is || r.SameServer(t.Context()) != same || r.WithinSite() != (path == "page") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if n := elsewhere.Load(); n != 0 {
		t.Errorf("the other server was asked %d times", n)
	}
}

// The client for everything goes the way of the users' connections.
func TestNoProxyOfTheEnvironmentIsAsked(t *testing.T) {
	var asked atomic.Int32
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy)
	}
	e := store("http://no-such-store.invalid:9000") // the loopback is never proxied
	if _, err := open(t, e).BucketExists(t.Context(), "name"); err == nil {
		t.Error("somebody answers")
	}
	if err := bucket.Ask(t.Context(), e, 0); err == nil {
		t.Error("somebody answers")
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the proxy was asked %d times", n)
	}
}

// lists answers requests for pages of a list.
func lists(t *testing.T, page func(n int, token string) (next string, keys []string)) *minio.Client {
	var n atomic.Int32
	return open(t, store(serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		next, keys := page(int(n.Add(1)), r.URL.Query().Get("continuation-token"))
		fmt.Fprintf(w, "<ListBucketResult><IsTruncated>%t</IsTruncated><NextContinuationToken>%s</NextContinuationToken>", next != "", next)
		for _, k := range keys {
			fmt.Fprintf(w, "<Contents><Key>%s</Key><Size>1</Size></Contents>", k)
		}
		fmt.Fprint(w, "</ListBucketResult>")
	})))
}

func TestListsEnd(t *testing.T) {
	for what, c := range map[string]struct {
		page func(n int, token string) (next string, keys []string)
		keys int // -1: it never ends
	}{
		"pages": {func(n int, _ string) (string, []string) {
			if n == 5 {
				return "", []string{"e"}
			}
			return fmt.Sprint("t", n), []string{string(rune('a' + n))}
		}, 5},
		"a page with nothing": {func(n int, _ string) (string, []string) {
			if n == 3 {
				return "", []string{"z"}
			}
			return fmt.Sprint("t", n), nil
		}, 1},
		"a name twice": {func(n int, _ string) (string, []string) {
			if n == 2 {
				return "", []string{"a", "b"}
			}
			return "t", []string{"a"}
		}, 3},
		"the same token":          {func(int, string) (string, []string) { return "again", []string{"a"} }, -1},
		"a token of before":       {func(n int, _ string) (string, []string) { return fmt.Sprint("t", n%3), []string{fmt.Sprint(n)} }, -1},
		"pages with nothing":      {func(n int, _ string) (string, []string) { return fmt.Sprint("t", n), nil }, -1},
		"new tokens, known names": {func(n int, _ string) (string, []string) { return fmt.Sprint("t", n), []string{"a", "b"} }, -1},
	} {
		keys := 0
		var last error
		for _, err := range bucket.List(t.Context(), lists(t, c.page), "name", bucket.Query{}) {
			if last = err; err == nil {
				keys++
			}
		}
		if endless := errors.Is(last, bucket.ErrEndless); endless != (c.keys < 0) || !endless && (keys != c.keys || last != nil) || endless && !strings.Contains(last.Error(), "http://127.0.0.1") {
			t.Errorf("%s: %d keys, %v", what, keys, last)
		}
	}
}

// A store of the first version does not know tokens.
func TestListsOfTheFirstVersion(t *testing.T) {
	c := open(t, store(serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		if q := r.URL.Query(); q.Get("marker") == "b" || q.Get("start-after") == "b" {
			fmt.Fprint(w, "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>c</Key></Contents></ListBucketResult>")
			return
		}
		fmt.Fprint(w, "<ListBucketResult><IsTruncated>true</IsTruncated><NextMarker>b</NextMarker><Contents><Key>a</Key></Contents><Contents><Key>b</Key></Contents></ListBucketResult>")
	})))
	for _, measured := range []bool{false, true} {
		var keys string
		var last error
		for o, err := range bucket.List(t.Context(), c, "name", bucket.Query{Measured: measured}) {
			if last = err; err == nil {
				keys += o.Key
			}
		}
		if want := map[bool]string{false: "abc", true: ""}[measured]; keys != want || (last != nil) != measured {
			t.Errorf("measured %t: %q, %v", measured, keys, last)
		}
	}
}
