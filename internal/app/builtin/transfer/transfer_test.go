package transfer

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/describe"
	"plimsoll/test/nightly"
)

// Rates of made-up stages are in MB/s of the time of a bubble, in which waiting costs none.

// paced is a stage that takes so long for each piece as its rate says, and gives as many
// bytes as it shrinks to.
func paced(name string, rate, shrink float64) Stage {
	return Stage{name, func(in *Input, out *Output) error {
		for {
			b, err := in.Next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			work(len(b), rate)
			if err := out.Give(b[:int(float64(len(b))*shrink)]); err != nil {
				return err
			}
		}
	}}
}

// first returns so many pieces at a rate.
func first(name string, pieces int, rate float64) Stage {
	return Stage{name, func(_ *Input, out *Output) error {
		for range pieces {
			work(piece, rate)
			if err := out.Give(buffer()[:piece]); err != nil {
				return err
			}
		}
		return nil
	}}
}

func work(bytes int, rate float64) {
	if rate > 0 {
		time.Sleep(time.Duration(float64(bytes) / rate * 1e3))
	}
}

// The stage with the least rate is named where it is the slowest by a margin, wherever it
// is; and where two are alike nothing else is.
func TestTheSlowestStageIsNamed(t *testing.T) {
	all := []string{Read, Decompress, Compress, Checksum, Encrypt, Send, Receive, Decrypt, Write, Flush}
	undecided := 0
	tries := nightly.Times(200, 2000)
	for try := range tries {
		r := rand.New(rand.NewPCG(1, uint64(try)))
		n := 2 + r.IntN(len(all)-1)
		rates := make([]float64, n)
		for i := range rates {
			rates[i] = 100 * (1 + 20*r.Float64())
		}
		slowest := r.IntN(n)
		margin := 1 + r.Float64()
		rates[slowest] = slices.Min(rates) / margin
		synctest.Test(t, func(t *testing.T) {
			stages := []Stage{first(all[0], 400, rates[0])}
			for i := 1; i < n; i++ {
				stages = append(stages, paced(all[i], rates[i], 1))
			}
			did, err := Run(t.Context(), "source", stages)
			if err != nil {
				t.Fatal(err)
			}
			f := resource.LimitingStage(did)
			named, ok := f.Limits()
			if !ok {
				undecided++
			}
			if ok && named.Name != all[slowest] {
				t.Errorf("%v: %s is named (%+v), and %s is the slowest by %.2f", rates, named.Name, f, all[slowest], margin)
			}
			if !ok && margin > 1.6 { // below it, queues are filling for much of the time
				t.Errorf("%v: none is named (%s), and %s is the slowest by %.2f", rates, f.Why, all[slowest], margin)
			}
		})
	}
	t.Logf("%d of %d undecided", undecided, tries)
}

// link is a simulated connection with a rate and a window: the data in flight.
type link struct {
	rate  float64
	taken chan []byte
}

// ends are the stages at its ends: the sender is stopped while the window is full, and the
// receiver waits while nothing has come.
func (l link) send() Stage {
	return Stage{Send, func(in *Input, _ *Output) error {
		defer close(l.taken)
		for {
			b, err := in.Next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			work(len(b), l.rate)
			l.taken <- b
		}
	}}
}

func (l link) receive() Stage {
	return Stage{Receive, func(in *Input, out *Output) error {
		_, err := io.Copy(out, in.Awaited(&come{from: l.taken}))
		return err
	}}
}

type come struct {
	from chan []byte
	rest []byte
}

func (a *come) Read(p []byte) (int, error) {
	for len(a.rest) == 0 {
		b, more := <-a.from
		if !more {
			return 0, io.EOF
		}
		a.rest = b
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// way is a published scenario with limits derived from its figures, in MB/s of each stage's
// input.
type way struct {
	link                                                         float64
	read, compress, checksum, encrypt, decrypt, decompress, disk float64 // 0 is no such stage; of disk, none that limits
	shrink                                                       float64 // by compressing
}

// run moves 15 GB raw, compressed to 36 % of that, scaled; it returns the time taken and
// the limiting stage.
func (w way) run(t *testing.T) (took time.Duration, f resource.StageFinding) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := link{w.link, make(chan []byte, depth)}
		optional := func(name string, rate, shrink float64) (all []Stage) {
			if rate > 0 {
				all = append(all, paced(name, rate, shrink))
			}
			return all
		}
		source := slices.Concat([]Stage{first(Read, 400, w.read)}, optional(Compress, w.compress, w.shrink),
			optional(Checksum, w.checksum, 1), optional(Encrypt, w.encrypt, 1), []Stage{l.send()})
		destination := slices.Concat([]Stage{l.receive()}, optional(Decrypt, w.decrypt, 1), optional(Decompress, w.decompress, 1),
			[]Stage{paced(Write, w.disk, 1)})
		began := time.Now()
		sent := make(chan []describe.Stage, 1)
		go func() {
			did, err := Run(t.Context(), "source", source)
			if err != nil {
				t.Error(err)
			}
			sent <- did
		}()
		did, err := Run(t.Context(), "destination", destination)
		if err != nil {
			t.Error(err)
		}
		took, f = time.Since(began), resource.LimitingStage(Join(<-sent, did))
	})
	return took, f
}

const gigabit, tenGigabit = 125.0, 1250.0

// What was published of the content library comes out where stages have such limits.
func TestPublishedPatterns(t *testing.T) {
	limits := func(name string, w way, want string) time.Duration {
		t.Helper()
		took, f := w.run(t)
		if s, ok := f.Limits(); !ok || s.Name != want {
			t.Errorf("%s: %q is named (%s), want %s: %+v", name, s.Name, f.Why, want, f.Shares)
		}
		return took
	}
	near := func(name string, a, b time.Duration, ratio float64) {
		t.Helper()
		if got := a.Seconds() / b.Seconds(); got < ratio*.9 || got > ratio*1.1 {
			t.Errorf("%s: %.2f times, want %.2f", name, got, ratio)
		}
	}
	direct := way{link: gigabit, read: 300, disk: 238}
	slow := limits("direct, 1 Gb/s", direct, Send)
	direct.link = tenGigabit
	near("direct gains from the link", slow, limits("direct, 10 Gb/s", direct, Write), 238/gigabit)

	streamed := way{link: gigabit, read: 300, compress: 22, shrink: .36, checksum: 450, encrypt: 90, decrypt: 200, decompress: 120, disk: 238}
	slow = limits("streamed from store to store", streamed, Compress)
	streamed.link = tenGigabit
	near("streamed is deaf to the link", slow, limits("streamed, 10 Gb/s", streamed, Compress), 1)
	streamed.encrypt, streamed.decrypt = 0, 0
	near("and to TLS", slow, limits("streamed, 10 Gb/s, without TLS", streamed, Compress), 1)

	nfs := way{link: 40, read: 300, checksum: 450, encrypt: 60, decrypt: 200, disk: 148}
	slow = limits("NFS to NFS, the slower link", nfs, Send)
	nfs.link = tenGigabit
	fast := limits("NFS to NFS, the faster link", nfs, Encrypt)
	near("it gains from the link", slow, fast, 60.0/40)
	nfs.encrypt, nfs.decrypt = 0, 0
	near("and from no TLS, by 3.7 in all", slow, limits("NFS to NFS, the faster link without TLS", nfs, Write), 148.0/40)

	export := way{link: gigabit, read: 2000, checksum: 450, encrypt: 90}
	slow = limits("export, encrypted", export, Encrypt)
	export.link = tenGigabit
	near("whose link does not matter", slow, limits("export, encrypted, 10 Gb/s", export, Encrypt), 1)
	export.encrypt, export.link = 0, gigabit
	limits("export, 1 Gb/s", export, Send)
	export.link = tenGigabit
	limits("export, 10 Gb/s", export, Checksum)
}

// Two stages of the same rate are no reason to name one.
func TestNoneOfTwoIsNamed(t *testing.T) {
	_, f := way{link: 100, read: 100, disk: 100}.run(t)
	if s, ok := f.Limits(); ok {
		t.Errorf("%s is named: %+v", s.Name, f)
	}
}

func TestAStageThatFailsEndsAll(t *testing.T) {
	broken := errors.New("broken")
	fails := Stage{"fails", func(in *Input, _ *Output) error {
		_, err := in.Next()
		return errors.Join(broken, err)
	}}
	for name, stages := range map[string][]Stage{
		"first": {{"fails", func(*Input, *Output) error { return broken }}, paced("b", 0, 1), paced("c", 0, 1)},
		"last":  {first("a", 1000, 0), paced("b", 0, 1), fails},
	} {
		if _, err := Run(t.Context(), "", stages); !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stuck := Stage{"stuck", func(in *Input, _ *Output) error {
		cancel()
		<-ctx.Done()
		_, err := in.Next()
		for err == nil {
			_, err = in.Next()
		}
		return err
	}}
	if _, err := Run(ctx, "", []Stage{first("a", 1000, 0), stuck}); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	waits := Stage{"waits", func(in *Input, _ *Output) error { <-ctx.Done(); return context.Cause(ctx) }}
	if _, err := Run(ctx, "", []Stage{first("a", 1000, 0), waits}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A stage's time is at work or in waiting; bytes are those that it took in.
func TestWhatStagesSayAddsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		did, err := Run(t.Context(), "source", []Stage{first("a", 40, 100), paced("b", 50, .5), paced("c", 50, 1)})
		if err != nil {
			t.Fatal(err)
		}
		for n, bytes := range []int64{40 * piece, 40 * piece, 20 * piece} {
			if did[n].Bytes != bytes || did[n].Side != "source" {
				t.Errorf("%+v, want %d bytes", did[n], bytes)
			}
		}
		for n, busy := range []float64{40 * piece / 100e6, 40 * piece / 50e6, 20 * piece / 50e6} {
			if off := did[n].Busy/busy - 1; off > .01 || off < -.01 {
				t.Errorf("%+v, want %v s at work", did[n], busy)
			}
		}
		if did[0].After == 0 || did[1].Before+did[1].After > did[1].Busy/10 || did[2].Before == 0 {
			t.Errorf("waits: %+v", did)
		}
	})
}
