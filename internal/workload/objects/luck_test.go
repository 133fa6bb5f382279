package objects_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plimsoll/internal/conformance/buckettest"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/driver"
	"plimsoll/internal/workload/mix"
	"plimsoll/internal/workload/objects"

	"github.com/minio/minio-go/v7"
)

// front is what stands between users and a gateway, and does what its test asks for.
type front struct {
	*httptest.Server
	pass   http.Handler // to the gateway
	answer atomic.Pointer[func(w http.ResponseWriter, r *http.Request) bool]
}

// newFront forwards all requests that answer does not take. It leaves the request's host as
// it is, because the host is signed.
func newFront(t *testing.T, g buckettest.Gateway) *front {
	at, err := url.Parse(endpoint.StoreOf(g.Endpoint).URLs[0])
	if err != nil {
		t.Fatal(err)
	}
	f := &front{pass: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at); r.Out.Host = r.In.Host }}}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer := f.answer.Load(); answer == nil || !(*answer)(w, r) {
			f.pass.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *front) have(answer func(w http.ResponseWriter, r *http.Request) bool) {
	f.answer.Store(&answer)
}

// refuse answers as stores do.
func refuse(status int, code string) func(w http.ResponseWriter, r *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		return buckettest.Refuse(w, status, code, "of the test")
	}
}

// luck is a bucket that was prepared, behind a front.
type luck struct {
	*front
	gateway  buckettest.Gateway
	target   workload.Target
	p        workload.Parameters
	receipts [][]byte
	classes  map[string]int
}

func newLuck(t *testing.T, verbs string, change ...func(*objects.Parameters)) *luck {
	t.Helper()
	m, err := mix.ParseVerbs(verbs)
	if err != nil {
		t.Fatal(err)
	}
	g := buckettest.Start(t, "luck")
	l := &luck{front: newFront(t, g), gateway: g, classes: map[string]int{}, p: parametersWith(func(p *objects.Parameters) {
		p.Mix = m
		for _, do := range change {
			do(p)
		}
	})}
	l.prepare(t)
	return l
}

// prepare loads the bucket through the front.
func (l *luck) prepare(t *testing.T) {
	t.Helper()
	e := l.gateway.Endpoint
	e.Role = "store"
	s := endpoint.StoreOf(e)
	s.URLs = []string{l.URL}
	e.Payload = endpoint.With(s)
	l.target = workload.Target{Users: 1, Endpoints: []endpoint.Endpoint{e}}
	if err := (objects.Workload{}).Prepare(t.Context(), l.target, l.p, 1, func(float64) {}); err != nil {
		t.Fatal(err)
	}
}

// Observe implements workload.Recorder.
func (*luck) Observe(int, time.Time, time.Duration, workload.Outcome) {}

// Moved implements workload.Recorder.
func (*luck) Moved(int, int64)           {}
func (*luck) Spent(int, describe.Effort) {}

// Receipt implements workload.Recorder.
func (l *luck) Receipt(r []byte) { l.receipts = append(l.receipts, append([]byte(nil), r...)) }

func (l *luck) open(t *testing.T) workload.Session {
	t.Helper()
	s, err := objects.Workload{}.Open(t.Context(), l.target, l.p, 0, 7)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// do does so many units and counts the classes of their errors.
func (l *luck) do(t *testing.T, s workload.Session, units int) {
	t.Helper()
	for range units {
		if err := s.Do(t.Context(), l); err != nil {
			l.classes[driver.Classify(err)]++
		}
	}
}

// mustBeSound audits the bucket without the front's doing.
func (l *luck) mustBeSound(t *testing.T) {
	t.Helper()
	l.have(func(http.ResponseWriter, *http.Request) bool { return false })
	result, err := l.audit(t)
	if err != nil || !result.Passed() {
		t.Errorf("%+v, %v", result, err)
	}
	t.Logf("%d acknowledged, %d doubtful; classes %v", result.Acknowledged, result.Doubtful, l.classes)
}

func (l *luck) audit(t *testing.T) (describe.Audit, error) {
	t.Helper()
	return objects.Workload{}.Audit(t.Context(), l.target, l.p, 1, func(yield func([]byte) bool) error {
		for _, r := range l.receipts {
			if !yield(r) {
				break
			}
		}
		return nil
	})
}

func (l *luck) mustHave(t *testing.T, class string) {
	t.Helper()
	if l.classes[class] == 0 || len(l.classes) > 1 {
		t.Errorf("classes %v, want %s alone", l.classes, class)
	}
}

// A user who only reads gives no receipts, and the audit looks at what was loaded.
func TestReadingLeavesWhatWasLoaded(t *testing.T) {
	l := newLuck(t, "get:50, range:20, head:20, list:10")
	l.do(t, l.open(t), 60)
	if len(l.classes) > 0 || len(l.receipts) > 0 {
		t.Errorf("%v, %d receipts", l.classes, len(l.receipts))
	}
	l.mustBeSound(t)
}

func TestAStoreThatRefusesIsNamed(t *testing.T) {
	for code, c := range map[string]struct {
		status int
		class  string
	}{
		"SlowDown":                     {503, "slow-down"},
		"RequestTimeTooSkewed":         {403, "clock-skew"},
		"InvalidAccessKeyId":           {403, "wrong-keys"},
		"AuthorizationHeaderMalformed": {400, "wrong-region"},
		"InternalError":                {500, "server-error"},
		"XMinioStorageFull":            {507, "out-of-space"},
	} {
		t.Run(code, func(t *testing.T) {
			l := newLuck(t, "put:50, get:30, delete:10, multipart:10")
			s := l.open(t)
			l.do(t, s, 10)
			l.have(refuse(c.status, code))
			l.do(t, s, 4)
			l.mustHave(t, c.class)
			l.have(func(http.ResponseWriter, *http.Request) bool { return false })
			l.do(t, s, 20)
			l.mustHave(t, c.class)
			l.mustBeSound(t)
		})
	}
}

// unmeasured has the front put off every second request, while nothing is measured.
func (l *luck) unmeasured(t *testing.T) {
	var asked atomic.Int32
	l.have(func(w http.ResponseWriter, _ *http.Request) bool {
		return asked.Add(1)%2 == 0 && buckettest.Refuse(w, http.StatusServiceUnavailable, "SlowDown", "Please reduce your request rate.")
	})
	t.Cleanup(func() {
		if asked.Load() == 0 {
			t.Error("nothing was asked for")
		}
	})
}

// A store that puts off requests of a load or of an audit is asked again.
func TestAStoreThatPutsOffIsLoadedAndAudited(t *testing.T) {
	g := buckettest.Start(t, "busy")
	l := &luck{front: newFront(t, g), gateway: g, classes: map[string]int{}, p: parametersWith(func(*objects.Parameters) {})}
	l.unmeasured(t)
	l.prepare(t)
	if result, err := l.audit(t); err != nil || !result.Passed() {
		t.Errorf("%+v, %v", result, err)
	}
}

// A content that comes in chunks has no length before its end; one that is cut there is noticed.
func TestAnAuditOfContentsWithoutLength(t *testing.T) {
	l := newLuck(t, "get:50, head:50")
	cut := false
	l.have(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.RawQuery != "" || r.Method == http.MethodPut {
			return false
		}
		l.pass.ServeHTTP(&unsized{w, cut && strings.Contains(r.URL.Path, "/u0")}, r)
		return true
	})
	l.do(t, l.open(t), 20)
	if len(l.classes) > 0 {
		t.Errorf("%v", l.classes)
	}
	if result, err := l.audit(t); err != nil || !result.Passed() {
		t.Errorf("%+v, %v", result, err)
	}
	cut = true
	if result, err := l.audit(t); err != nil || result.Passed() {
		t.Errorf("objects that are cut: %+v, %v", result, err)
	}
}

// unsized passes on an answer without its length, and only its first byte where it is cut.
type unsized struct {
	http.ResponseWriter
	cut bool
}

func (u *unsized) WriteHeader(status int) {
	u.Header().Del("Content-Length")
	u.Header().Set("Transfer-Encoding", "chunked")
	u.ResponseWriter.WriteHeader(status)
}

func (u *unsized) Write(p []byte) (int, error) {
	some := p
	if u.cut {
		some = p[:min(1, len(p))]
	}
	if _, err := u.ResponseWriter.Write(some); err != nil {
		return 0, err
	}
	return len(p), nil
}

// A body that ends early is not taken for the object.
func TestATruncatedObjectIsNoticed(t *testing.T) {
	l := newLuck(t, "get:1")
	s := l.open(t)
	l.have(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Length", strconv.Itoa(100))
		w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	l.do(t, s, 3)
	l.mustHave(t, "truncated")
}

func TestAConnectionThatEndsBeforeTheAnswerIsNamed(t *testing.T) {
	l := newLuck(t, "get:1")
	s := l.open(t)
	l.have(func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) })
	l.do(t, s, 3)
	l.mustHave(t, errorclass.ConnectionLost)
}

// Content that is another object's is not taken for this one's.
func TestForeignContentIsNoticed(t *testing.T) {
	l := newLuck(t, "get:1")
	s := l.open(t)
	l.have(func(w http.ResponseWriter, r *http.Request) bool {
		text := strings.Repeat("x", 5000)
		w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
		_, _ = io.WriteString(w, text)
		return true
	})
	l.do(t, s, 5)
	for class := range l.classes {
		if class != "foreign" && class != "truncated" && class != "wrong-size" && class != "corrupt" && class != "misplaced" {
			t.Errorf("class %s of %v", class, l.classes)
		}
	}
	if len(l.classes) == 0 {
		t.Error("nothing was noticed")
	}
}

// An answer that is lost leaves a change open: it may or may not have been made.
func TestALostAnswerIsDoubtful(t *testing.T) {
	l := newLuck(t, "put:50, multipart:20, copy:10, delete:20")
	s := l.open(t)
	l.do(t, s, 20)
	n := 0
	l.have(func(w http.ResponseWriter, r *http.Request) bool {
		if n++; n%2 == 0 {
			return false
		}
		w.WriteHeader(http.StatusInternalServerError)
		return true
	})
	l.do(t, s, 6)
	if len(l.classes) == 0 {
		t.Error("no error")
	}
	l.mustBeSound(t)
}

// A write whose answer is lost is made; the deletion after it is not, or is, and its answer
// is lost, too. Either way nobody can say more than that.
func TestADeletionAfterADoubtfulWriteIsDoubtful(t *testing.T) {
	for name, deleted := range map[string]bool{"made": true, "not made": false} {
		t.Run(name, func(t *testing.T) {
			l := newLuck(t, "put:1", func(p *objects.Parameters) { p.Objects, p.Prefixes = 1, 1 })
			s := l.open(t)
			l.have(func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodPut || deleted {
					l.pass.ServeHTTP(httptest.NewRecorder(), r)
				}
				w.WriteHeader(http.StatusInternalServerError)
				return true
			})
			l.do(t, s, 3)
			l.mustHave(t, "server-error")
			l.mustBeSound(t)
		})
	}
}

// The store is killed in the midst of uploads in parts and comes back where it was.
func TestAGatewayIsKilledInTheMidst(t *testing.T) {
	l := newLuck(t, "multipart:60, put:30, delete:10")
	s := l.open(t)
	l.do(t, s, 10)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			if err := s.Do(ctx, l); err != nil && !errors.Is(err, context.Canceled) {
				l.classes[driver.Classify(err)]++
				stop()
			}
		}
	}()
	if err := l.gateway.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended
	stop()
	l.gateway.Restart(t)
	l.do(t, s, 10)
	l.mustBeSound(t)
}

func TestWrongKeysAreNamed(t *testing.T) {
	l := newLuck(t, "get:1")
	e := l.target.Endpoints[0]
	e.Password = "another"
	_, err := objects.Workload{}.Open(t.Context(), workload.Target{Users: 1, Endpoints: []endpoint.Endpoint{e}}, l.p, 0, 1)
	if driver.Classify(err) != "wrong-keys" {
		t.Errorf("%v", err)
	}
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) {
		t.Errorf("%v does not carry the store's answer", err)
	}
}
