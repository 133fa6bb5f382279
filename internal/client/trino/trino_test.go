package trino

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/errorclass"
)

// coordinator answers as it is told, by method and path.
func coordinator(t *testing.T, answer func(w http.ResponseWriter, r *http.Request)) *Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(answer))
	t.Cleanup(s.Close)
	c, err := Open(endpoint.Endpoint{Address: strings.TrimPrefix(s.URL, "http://"), User: "u", Password: "p"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// The coordinator may have another address for itself, and may be busy for a moment.
func TestPagesAreFollowedAtTheClientsOwnAddress(t *testing.T) {
	var busy atomic.Int32
	c := coordinator(t, func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if user != "u" || password != "p" || r.Header.Get("X-Forwarded-Proto") != "https" {
			t.Errorf("asked without the password: %v", r.Header)
		}
		switch {
		case r.Method == http.MethodPost:
			if r.Header.Get("X-Trino-Catalog") != "lake" || r.Header.Get("X-Trino-Session") != "a=b+c" {
				t.Errorf("%v", r.Header)
			}
			fmt.Fprint(w, `{"id":"1","nextUri":"https://elsewhere.example:1/v1/page/2?x=1","stats":{"cpuTimeMillis":1}}`)
		case busy.Add(1) == 1:
			http.Error(w, "later", http.StatusServiceUnavailable)
		case busy.Load() == 2:
			http.Error(w, "later", http.StatusTooManyRequests)
		default:
			fmt.Fprint(w, `{"id":"1","columns":[{"name":"n","type":"bigint"}],"data":[[9007199254740993]],"stats":{"cpuTimeMillis":7,"wallTimeMillis":20,"physicalInputBytes":5}}`)
		}
	})
	var rows []Row
	a, err := c.Run(t.Context(), Query{SQL: "SELECT 1", Catalog: "lake", Session: map[string]string{"a": "b c"}}, func(r Row) error {
		rows = append(rows, r)
		return nil
	})
	if err != nil || fmt.Sprint(rows) != "[[9007199254740993]]" || a.Columns[0].Type != "bigint" {
		t.Errorf("%v, %+v, %v", rows, a, err)
	}
	if want := (Stats{CPU: 7 * time.Millisecond, Scheduled: 20 * time.Millisecond, InputBytes: 5}); a.Stats != want {
		t.Errorf("%+v", a.Stats)
	}
}

// A web server is not a coordinator, and is not one that has gone.
func TestAWebPageIsNoCoordinator(t *testing.T) {
	c := coordinator(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<html></html>")
	})
	if _, err := c.All(t.Context(), Query{SQL: "SELECT 1"}); err == nil || !strings.Contains(err.Error(), "there is a web page at http://127.0.0.1") {
		t.Error(err)
	}
}

// Existing coordinators refuse to be told that a connection is trusted.
func TestAnExistingCoordinatorIsReachedByTLS(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		if password != "p" || r.Header.Get("X-Forwarded-Proto") != "" {
			t.Errorf("%v", r.Header)
		}
		fmt.Fprint(w, `{"id":"1","data":[[1]]}`)
	}))
	t.Cleanup(s.Close)
	authority := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	for tls, works := range map[string]bool{endpoint.TLSVerifyFull: true, endpoint.TLSVerifyCA: true, endpoint.TLSRequire: true, "": false} {
		e := endpoint.Endpoint{Address: s.Listener.Addr().String(), User: "u", Password: "p", Lent: true, TLS: tls}
		if tls != "" && tls != endpoint.TLSRequire {
			e.Certificate = authority
		}
		c, err := Open(e)
		if (err == nil) != works {
			t.Errorf("tls %q: %v", tls, err)
		}
		if err != nil {
			continue
		}
		defer c.Close()
		if _, err := c.All(t.Context(), Query{SQL: "SELECT 1"}); err != nil {
			t.Errorf("tls %q: %v", tls, err)
		}
	}
	without := endpoint.Endpoint{Address: s.Listener.Addr().String(), User: "u", Lent: true}
	if c, err := Open(without); err != nil { // there is nothing to keep
		t.Error(err)
	} else {
		c.Close()
	}
}

// A password is for the address of the study, wherever that sends us.
func TestAPasswordFollowsNoRedirect(t *testing.T) {
	there := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { there = true }))
	t.Cleanup(other.Close)
	c := coordinator(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	if _, err := c.All(t.Context(), Query{SQL: "SELECT 1"}); err == nil || there {
		t.Errorf("followed %v: %v", there, err)
	}
}

// A coordinator that says no is not asked again; one that starts is.
func TestAwait(t *testing.T) {
	var asked atomic.Int32
	refuses := coordinator(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "who are you", http.StatusUnauthorized) })
	if err := refuses.Await(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "401") {
		t.Error(err)
	}
	starts := coordinator(t, func(w http.ResponseWriter, _ *http.Request) {
		switch asked.Add(1) {
		case 1:
			fmt.Fprint(w, `{"id":"1","error":{"errorName":"SERVER_STARTING_UP","errorType":"INTERNAL_ERROR"}}`)
		case 2:
			fmt.Fprint(w, `{"id":"1","data":[["c",true,"active"]]}`)
		default:
			fmt.Fprint(w, `{"id":"1","data":[["c",true,"active"],["w",false,"active"],["gone",false,"inactive"]]}`)
		}
	})
	if err := starts.Await(t.Context(), 1); err != nil || asked.Load() != 3 {
		t.Errorf("asked %d times: %v", asked.Load(), err)
	}
	ctx, done := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer done()
	if err := starts.Await(ctx, 2); err == nil || !strings.Contains(err.Error(), "1 of 2 workers") && !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestWhatIsGivenUpIsCancelled(t *testing.T) {
	var cancelled atomic.Bool
	ctx, cancel := context.WithCancel(t.Context())
	c := coordinator(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodDelete:
			cancelled.Store(true)
		case http.MethodPost:
			fmt.Fprint(w, `{"id":"1","nextUri":"http://h/next"}`)
		default:
			cancel()
			<-r.Context().Done()
		}
	})
	if _, err := c.Run(ctx, Query{SQL: "SELECT 1"}, nil); !errors.Is(err, context.Canceled) || !cancelled.Load() {
		t.Errorf("%v, cancelled: %v", err, cancelled.Load())
	}
}

func TestErrorsHaveClasses(t *testing.T) {
	for class, answer := range map[string]string{
		errorclass.OutOfMemory:    `{"error":{"message":"m","errorName":"EXCEEDED_LOCAL_MEMORY_LIMIT","errorType":"INSUFFICIENT_RESOURCES"}}`,
		WorkerLost:                `{"error":{"message":"m","errorName":"PAGE_TRANSPORT_ERROR","errorType":"INTERNAL_ERROR"}}`,
		StoreError:                `{"error":{"message":"m","errorName":"HIVE_FILESYSTEM_ERROR","errorType":"EXTERNAL"}}`,
		"other:SYNTAX_ERROR":      `{"error":{"message":"m","errorName":"SYNTAX_ERROR","errorType":"USER_ERROR"}}`,
		errorclass.ConnectionLost: `{"id":`,
		errorclass.Refused:        "",
	} {
		c := coordinator(t, func(w http.ResponseWriter, _ *http.Request) {
			if answer == "" {
				http.Error(w, "who are you", http.StatusUnauthorized)
			}
			fmt.Fprint(w, answer)
		})
		_, err := c.Run(t.Context(), Query{SQL: "x"}, nil)
		var failed interface{ ErrorClass() string }
		if !errors.As(err, &failed) || failed.ErrorClass() != class {
			t.Errorf("%s: %v", class, err)
		}
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{"1.50m": 90 * time.Second, "12.00ms": 12 * time.Millisecond, "0.00ns": 0, "2.00h": 2 * time.Hour, "3s": 3 * time.Second} {
		if got, err := duration(text); err != nil || got != want {
			t.Errorf("%s is %s, %v", text, got, err)
		}
	}
	if _, err := duration("soon"); err == nil {
		t.Error("a word is a duration")
	}
}
