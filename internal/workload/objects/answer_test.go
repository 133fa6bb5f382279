package objects_test

import (
	"context"
	"net"
	"testing"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/mix"
	"plimsoll/internal/workload/objects"
)

// Users check what they read, list and ask for: an answer that is not as a store's is an
// error of theirs.
func TestUsersAreAnsweredAsByAStore(t *testing.T) {
	m, err := mix.ParseVerbs("get:20, put:20, range:15, head:10, list:10, copy:10, tag:5, delete:10, multipart:10")
	if err != nil {
		t.Fatal(err)
	}
	p := parametersWith(func(p *objects.Parameters) {
		p.Mix, p.Part, p.Range = m, 5<<20, 100_000
		p.Sizes = objects.Sizes{Mix: mix.Sizes{{Bytes: 1, Weight: 1}, {Bytes: 43, Weight: 1}, {Bytes: 5000, Weight: 3}, {Bytes: 200_000, Weight: 3}, {Bytes: 6 << 20, Weight: 1}}}
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := objects.Workload{}
	target, able := w.Answerable(workload.Target{Instance: 3, Users: 2, Endpoints: store("http://127.0.0.1:1")}, p, l.Addr().String())
	if !able {
		t.Fatal("users of a store without TLS cannot be answered")
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- w.Answer(ctx, l, []workload.Target{target}, p) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	for user := range 2 {
		s, err := w.Open(t.Context(), target, p, user, 7)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 600 {
			if err := s.Do(t.Context(), &luck{}); err != nil {
				t.Fatalf("unit %d of user %d: %v", n, user, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func store(url string) []endpoint.Endpoint {
	return []endpoint.Endpoint{{Role: "store", Kind: endpoint.Bucket, Payload: endpoint.With(endpoint.Store{URLs: []string{url}, Region: "us-east-1"})}}
}

func TestUsersOfAStoreWithTLSAreNotAnswered(t *testing.T) {
	if _, able := (objects.Workload{}).Answerable(workload.Target{Endpoints: store("https://127.0.0.1:1")}, parametersWith(func(*objects.Parameters) {}), "127.0.0.1:2"); able {
		t.Error("the cost of TLS would not be in the figure")
	}
}
