package sink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"plimsoll/internal/host/simnet/link"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/test/quick"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "a secret"

// start runs a sink until the test ends.
func start(t *testing.T, over link.Link) Place {
	t.Helper()
	c := Config{Token: token, Link: over}
	place := Place{Network: "tcp", Token: token}
	if over.Path == link.Direct {
		c.Listen = "127.0.0.1:0"
	} else {
		if os.Geteuid() != 0 {
			t.Skip("a link in this process needs root")
		}
		c.Socket = filepath.Join(t.TempDir(), "sink.sock")
		place.Network, place.Address = "unix", c.Socket
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- Serve(ctx, c, io.Discard, func(at string) { ready <- at }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case at := <-ready:
		if over.Path == link.Direct {
			place.Address = at
		}
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
	}
	return place
}

// links are all ways to a sink.
func links() map[string]link.Link {
	all := map[string]link.Link{"direct": {}}
	for _, path := range []string{link.Remote, link.Local} {
		for _, offload := range []string{link.AsIs, link.On, link.Off} {
			all[strings.TrimSpace(path+" "+offload)] = link.Link{Path: path, ReceiveOffload: offload}
		}
	}
	all["remote with a rate"] = link.Link{Path: link.Remote, Rate: 1e9}
	return all
}

func TestWhatIsSentArrives(t *testing.T) {
	quick.Skip(t, quick.Media)
	for name, over := range links() {
		t.Run(name, func(t *testing.T) {
			place := start(t, over)
			for n, buffer := range []int{0, 8 << 10} {
				st := Stream{ID: fmt.Sprint("stream ", n), Seed: 7, Message: 1000, Buffer: buffer}
				s, err := place.Open(t.Context(), st)
				if err != nil {
					t.Fatal(err)
				}
				content, sent := NewContent(st.Seed, st.Message), int64(0)
				for range 500 {
					n, err := s.Write(t.Context(), content.At(sent, st.Message))
					if err != nil {
						t.Fatal(err)
					}
					sent += int64(n)
				}
				if err := errors.Join(s.CloseWrite(), s.Close()); err != nil {
					t.Fatal(err)
				}
				if total, err := place.Total(t.Context(), st.ID); err != nil || total != (Total{Bytes: sent, Wrong: -1}) {
					t.Errorf("%d bytes were sent: %+v, %v", sent, total, err)
				}
				if _, err := place.Total(t.Context(), st.ID); err == nil || !strings.Contains(err.Error(), "no such stream") {
					t.Errorf("a total is told twice: %v", err)
				}
			}
		})
	}
}

func TestWhatTheSinkSendsArrives(t *testing.T) {
	quick.Skip(t, quick.Media)
	for name, over := range links() {
		t.Run(name, func(t *testing.T) {
			place := start(t, over)
			st := Stream{ID: "receiving", Seed: 8, Message: 10_000, Receive: true}
			s, err := place.Open(t.Context(), st)
			if err != nil {
				t.Fatal(err)
			}
			r, buffer := NewReceiver(st.Seed, st.Message), make([]byte, st.Message)
			for r.Bytes < 1e6 {
				n, err := s.Read(t.Context(), buffer)
				if err != nil {
					t.Fatal(err)
				}
				r.Take(buffer[:n])
			}
			if err := s.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			for {
				n, err := s.Read(t.Context(), buffer)
				r.Take(buffer[:n])
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			total, err := place.Total(t.Context(), st.ID)
			if err != nil || total.Bytes != r.Bytes || total.Bytes%int64(st.Message) != 0 || r.Wrong != -1 {
				t.Errorf("the sink sent %+v and %+v arrived: %v", total, r.Total, err)
			}
		})
	}
}

// A byte that is changed, left out or sent twice is found, and where.
func TestWrongContentIsFound(t *testing.T) {
	content := NewContent(3, 1<<20)
	right := content.At(0, 300_000)
	for name, c := range map[string]struct {
		sent []byte
		want int64
	}{
		"right":             {right, -1},
		"changed":           {append(append(append([]byte{}, right[:99_999]...), right[99_999]^1), right[100_000:]...), 99_999},
		"short":             {append(append([]byte{}, right[:70_000]...), right[70_001:]...), 70_000},
		"twice":             {append(append([]byte{}, right[:1000]...), right...), 1000},
		"of another stream": {NewContent(4, 1<<20).At(0, 1000), 0},
	} {
		t.Run(name, func(t *testing.T) {
			for _, most := range []int{1 << 20, 4096} {
				r := NewReceiver(3, most)
				for rest := c.sent; len(rest) > 0; {
					n := min(len(rest), 12_345)
					r.Take(rest[:n])
					rest = rest[n:]
				}
				if r.Bytes != int64(len(c.sent)) || r.Wrong < 0 != (c.want < 0) || r.Wrong < c.want || r.Wrong > c.want+2 {
					t.Errorf("%+v, want the first wrong byte at %d", r.Total, c.want)
				}
			}
		})
	}
}

func TestStrangersAreRefused(t *testing.T) {
	place := start(t, link.Link{})
	for want, p := range map[string]Place{
		"token is wrong": {Network: "tcp", Address: place.Address, Token: "another"},
		"missing":        {Network: "tcp", Address: place.Address},
	} {
		if err := p.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", p, err)
		}
	}
	for want, st := range map[string]Stream{
		"identifier": {Message: 1}, "a message has": {ID: "x"}, "not 17000000": {ID: "x", Message: 17e6}, "socket buffer": {ID: "x", Message: 1, Buffer: -1},
	} {
		if _, err := place.Open(t.Context(), st); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", st, err)
		}
	}
	if err := place.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

// A stream whose user dies has ended otherwise than wished, and says so.
func TestALostStreamIsTold(t *testing.T) {
	place := start(t, link.Link{})
	s, err := place.Open(t.Context(), Stream{ID: "lost", Message: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(t.Context(), make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := unix.SetsockoptLinger(s.fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1}); err != nil { // a reset
		t.Fatal(err)
	}
	s.Close()
	if total, err := place.Total(t.Context(), "lost"); err != nil || total.Lost == "" {
		t.Errorf("%+v, %v", total, err)
	}
}

// The namespaces have no name, and the sink lets go of them when it ends.
func TestALinkLeavesNothing(t *testing.T) {
	before := netNamespaces(t)
	t.Run("sink", func(t *testing.T) {
		place := start(t, link.Link{Path: link.Remote})
		s, err := place.Open(t.Context(), Stream{ID: "x", Message: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if now := netNamespaces(t); now != before+2 {
			t.Errorf("%d network namespaces are open, and %d were before", now, before)
		}
	})
	if now := netNamespaces(t); now != before {
		t.Errorf("%d network namespaces are open, and %d were before", now, before)
	}
}

// netNamespaces counts those that this process has open.
func netNamespaces(t *testing.T) (n int) {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range open {
		if to, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && strings.HasPrefix(to, "net:[") {
			n++
		}
	}
	return n
}

// A plain user has a user namespace for his link.
func TestPlainUser(t *testing.T) {
	localtest.AsPlainUser(t, "^TestWhatIsSentArrives$/direct")
}
