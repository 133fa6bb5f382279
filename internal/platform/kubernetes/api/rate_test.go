package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// calling has so many goroutines call a made-up server for a while, which takes a number of
// calls a second.
func calling(t *testing.T, p *pacer, perSecond int, answers time.Duration) (refused int) {
	var mu sync.Mutex
	var second time.Time
	taken := 0
	var all sync.WaitGroup
	until := time.Now().Add(2 * time.Minute)
	for range 400 {
		all.Go(func() {
			for time.Now().Before(until) {
				if err := p.Wait(t.Context()); err != nil {
					t.Error(err)
					return
				}
				time.Sleep(answers)
				mu.Lock()
				if now := time.Now().Truncate(time.Second); now != second {
					second, taken = now, 0
				}
				taken++
				busy := taken > perSecond
				if busy {
					refused++
				}
				mu.Unlock()
				p.answered(time.Now(), answers, busy)
				if busy {
					time.Sleep(time.Second)
				}
			}
		})
	}
	all.Wait()
	return refused
}

func TestCallsArePacedByTheirAnswers(t *testing.T) {
	for _, c := range []struct {
		name         string
		perSecond    int
		answers      time.Duration
		least, most  float64
		neverRefused bool
	}{
		{"a server that takes many", 1e6, 10 * time.Millisecond, mostRate, mostRate, true},
		{"one that takes 300", 300, 10 * time.Millisecond, 140, 400, false},
		{"one that takes 20", 20, 10 * time.Millisecond, firstRate, firstRate, false},
		{"a slow one", 1e6, time.Second, firstRate, firstRate, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPacer()
				refused := calling(t, p, c.perSecond, c.answers)
				if now := float64(p.QPS()); now < c.least || now > c.most {
					t.Errorf("the rate is %.0f, want %.0f to %.0f", now, c.least, c.most)
				}
				if p.refused != int64(refused) || c.neverRefused != (refused == 0) {
					t.Errorf("%d calls were refused, %d were counted", refused, p.refused)
				}
			})
		})
	}
}

func TestFewCallsDoNotRaiseTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer()
		for range 1000 {
			if err := p.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
			p.answered(time.Now(), time.Millisecond, false)
		}
		if p.QPS() != firstRate {
			t.Errorf("the rate is %.0f", p.QPS())
		}
	})
}

// TestRefusalsAreCounted has a server refuse calls for now, as a busy one does; client-go
// sends them again.
func TestRefusalsAreCounted(t *testing.T) {
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) <= 2 || strings.HasSuffix(r.URL.Path, "/eviction") {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"kind":"PodList","apiVersion":"v1","items":[]}`))
	}))
	defer server.Close()
	c, err := newClient(&rest.Config{Host: server.URL}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Of[corev1.Pod](c, "").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	answer, err := (&seen{http.DefaultTransport, c.pace}).RoundTrip(httptest.NewRequest(http.MethodPost, server.URL+"/eviction", nil))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if c.Refused() != 2 || calls.Load() != 4 {
		t.Errorf("%d of %d calls were counted as refused, want 2 of 4", c.Refused(), calls.Load())
	}
}
