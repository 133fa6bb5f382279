package bucket_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/minio/minio-go/v7"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/conformance/buckettest"
	"plimsoll/internal/describe/endpoint"
)

func open(t *testing.T, e endpoint.Endpoint) *minio.Client {
	t.Helper()
	c, err := bucket.Client(e, 0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func isDeletion(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Query().Has("delete") || r.Method == http.MethodDelete && strings.Count(r.URL.Path, "/") > 1 && !strings.HasSuffix(r.URL.Path, "/")
}

// A store that lacks a request gets others for the same purpose.
func TestStoresThatDoNotHaveEverything(t *testing.T) {
	g := buckettest.Start(t, "dialects")
	without := func(status int, code string, queries ...string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			for _, q := range queries {
				name, value, _ := strings.Cut(q, "=")
				if r.URL.Query().Has(name) && (value == "" || r.URL.Query().Get(name) == value) {
					return buckettest.Refuse(w, status, code, "no")
				}
			}
			return false
		}
	}
	for n, answer := range []func(http.ResponseWriter, *http.Request) bool{
		without(http.StatusNotImplemented, "NotImplemented", "versions"),
		without(http.StatusForbidden, "AccessDenied", "versions"),
		without(http.StatusNotImplemented, "NotImplemented", "uploads"),
		without(http.StatusBadRequest, "NotImplemented", "delete"),
		without(http.StatusMethodNotAllowed, "MethodNotAllowed", "delete"),
		without(http.StatusBadRequest, "InvalidArgument", "tagging"),
		without(http.StatusNotImplemented, "NotImplemented", "tagging"),
		without(http.StatusMethodNotAllowed, "", "tagging"),
		without(http.StatusForbidden, "AccessDenied", "tagging"),
		without(http.StatusNotImplemented, "NotImplemented", "list-type=2"),
		without(http.StatusNotImplemented, "NotImplemented", "versions", "uploads", "delete", "tagging", "list-type=2", "object-lock"),
	} {
		c, name := open(t, g.Behind(t, answer)), fmt.Sprintf("dialect-%d", n)
		if err := bucket.Make(t.Context(), c, name, region, "test"); err != nil {
			t.Errorf("%d: %v", n, err)
			continue
		}
		if owner, err := bucket.Owner(t.Context(), c, name); owner != "test" || err != nil {
			t.Errorf("%d: it is marked %q, %v", n, owner, err)
		}
		for k := range 20 {
			put(t, g.Client, name, fmt.Sprintf("a b/%d", k))
		}
		if err := bucket.Remove(t.Context(), c, name, "test"); err != nil {
			t.Errorf("%d: %v", n, err)
		}
		if there, err := g.Client.BucketExists(t.Context(), name); there || err != nil {
			t.Errorf("%d: it is there: %v, %v", n, there, err)
		}
	}
}

// A store that fails does not lack anything: nothing else is done in place of what failed.
func TestAFailureIsNoDialect(t *testing.T) {
	g := buckettest.Start(t, "fails")
	g.In(t, "mine")
	c := open(t, g.Behind(t, func(w http.ResponseWriter, r *http.Request) bool {
		return r.URL.Query().Has("versions") && buckettest.Refuse(w, http.StatusInternalServerError, "InternalError", "")
	}))
	if err := bucket.Remove(t.Context(), c, "mine", "test"); err == nil || !strings.Contains(err.Error(), "empty bucket mine") {
		t.Error(err)
	}
}

// A bucket whose objects cannot be removed is detected with at most one small object in it.
func TestABucketThatKeepsObjectsIsFoundBeforeItIsFilled(t *testing.T) {
	g := buckettest.Start(t, "keeps")
	for message, kept := range map[string]bool{"Access Denied because object protected by object lock.": true, "the object is under retention": true, "not with these keys": false} {
		name := fmt.Sprintf("kept-%d", len(message))
		c := open(t, g.Behind(t, func(w http.ResponseWriter, r *http.Request) bool {
			return isDeletion(r) && buckettest.Refuse(w, http.StatusForbidden, "AccessDenied", message)
		}))
		if err := bucket.Make(t.Context(), c, name, region, "test"); err == nil || errors.Is(err, bucket.ErrKept) != kept || !strings.Contains(err.Error(), "before it is filled") {
			t.Errorf("%s: %v", message, err)
		}
	}
	// A store that acknowledges a deletion without doing it.
	c := open(t, g.Behind(t, func(w http.ResponseWriter, r *http.Request) bool {
		if isDeletion(r) {
			fmt.Fprint(w, "<DeleteResult/>")
		}
		return isDeletion(r)
	}))
	if err := bucket.Make(t.Context(), c, "acknowledged", region, "test"); !errors.Is(err, bucket.ErrKept) {
		t.Error(err)
	}
	// A rule for every new object is found before there is one.
	var puts atomic.Int32
	c = open(t, g.Behind(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "trial") {
			puts.Add(1)
		}
		if !r.URL.Query().Has("object-lock") {
			return false
		}
		fmt.Fprint(w, "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention><Mode>COMPLIANCE</Mode><Days>30</Days></DefaultRetention></Rule></ObjectLockConfiguration>")
		return true
	}))
	if err := bucket.Make(t.Context(), c, "ruled", region, "test"); !errors.Is(err, bucket.ErrKept) || !strings.Contains(err.Error(), "30 days") || puts.Load() != 0 {
		t.Errorf("%v after %d objects", err, puts.Load())
	}
	if there, err := g.Client.BucketExists(t.Context(), "ruled"); there || err != nil {
		t.Errorf("it is there: %v, %v", there, err)
	}
}

// Requests that are not measured are repeated when the store asks for patience, and
// measured requests are not.
func TestPatience(t *testing.T) {
	g := buckettest.Start(t, "busy")
	var asked atomic.Int32
	busy := g.Behind(t, func(w http.ResponseWriter, r *http.Request) bool {
		return asked.Add(1)%3 != 0 && buckettest.Refuse(w, http.StatusServiceUnavailable, "SlowDown", "Please reduce your request rate.")
	})
	c, err := bucket.Patient(busy, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := bucket.Make(t.Context(), c, "busy", region, "test"); err != nil {
		t.Fatal(err)
	}
	put(t, g.Client, "busy", "key")
	if err := bucket.Remove(t.Context(), c, "busy", "test"); err != nil {
		t.Error(err)
	}
	asked.Store(0)
	if _, err := open(t, busy).BucketExists(t.Context(), "busy"); err == nil || asked.Load() != 1 {
		t.Errorf("%v after %d requests", err, asked.Load())
	}
	n := 0
	err = bucket.Patiently(t.Context(), func() error {
		if n++; n < 3 {
			return fmt.Errorf("put: %w", minio.ErrorResponse{Code: "RequestTimeout", StatusCode: http.StatusBadRequest})
		}
		return minio.ErrorResponse{Code: "AccessDenied", StatusCode: http.StatusForbidden}
	})
	if n != 3 || err == nil {
		t.Errorf("%v after %d", err, n)
	}
}
