package task

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// spool is a task's output, read over streams that a test breaks.
type spool struct {
	text []byte
	done chan struct{}
	// open gives one stream; after it fails to, streams are sound.
	open func(from uint64) (io.Reader, error)
}

func (s *spool) Open(_ context.Context, from uint64) (io.ReadCloser, error) {
	r, err := s.open(from)
	return io.NopCloser(r), err
}

func (s *spool) Done() <-chan struct{} { return s.done }

// sound returns the stream from a frame on.
func (s *spool) sound(from uint64) io.Reader {
	r := bytes.NewReader(s.text)
	if err := Seek(r, from); err != nil {
		panic(err)
	}
	return r
}

func ended(text []byte) *spool {
	s := &spool{text: text, done: make(chan struct{})}
	s.open = func(from uint64) (io.Reader, error) { return s.sound(from), nil }
	close(s.done)
	return s
}

// follow does not wait between streams.
func follow(s Source) *Follower {
	return &Follower{Source: s, wait: func(context.Context, time.Duration) {}}
}

// written makes the output of a task that wrote some payloads as records, and
// gives where each of its frames ends.
func written(payloads []string) (text []byte, ends []int) {
	var out bytes.Buffer
	f := newFrames(&out)
	put := func(kind FrameKind, payload string) {
		if err := errors.Join(f.add(kind, []byte(payload)), f.flush()); err != nil {
			panic(err)
		}
		ends = append(ends, out.Len())
	}
	put(HelloFrame, "{}")
	for _, p := range payloads {
		put(RecordFrame, p)
	}
	put(EndFrame, "")
	return out.Bytes(), ends
}

func drawPayloads(t *rapid.T) []string {
	return rapid.SliceOfN(rapid.StringN(0, 40, 200), 0, 30).Draw(t, "payloads")
}

// taker keeps the records that a follower takes.
type taker struct{ got []string }

func (k *taker) take(f Frame) error {
	if f.Kind == RecordFrame {
		k.got = append(k.got, string(f.Payload))
	}
	return nil
}

func (k *taker) check(t *rapid.T, want []string) {
	if fmt.Sprintf("%q", k.got) != fmt.Sprintf("%q", want) {
		t.Fatalf("taken\n%q\nof\n%q", k.got, want)
	}
}

// However its streams break, repeat, begin too early or too late, or come
// damaged: nothing is counted twice, nothing is lost, the order is kept.
func TestBrokenStreamsLoseAndRepeatNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payloads := drawPayloads(t)
		text, _ := written(payloads)
		s := ended(text)
		breaks := rapid.IntRange(0, 12).Draw(t, "breaks")
		running := rapid.Bool().Draw(t, "running")
		if running {
			s.done = make(chan struct{})
		}
		// A task that has ended is looked at a few times only.
		if !running {
			breaks = min(breaks, lastLooks-1)
		}
		s.open = func(from uint64) (io.Reader, error) {
			if breaks == 0 {
				return s.sound(from), nil
			}
			breaks--
			return broken(t, s, from)
		}
		k := &taker{}
		if err := follow(s).Run(t.Context(), k.take); err != nil {
			t.Fatal(err)
		}
		k.check(t, payloads)
	})
}

// broken returns a stream as a bad connection would.
func broken(t *rapid.T, s *spool, from uint64) (io.Reader, error) {
	if rapid.IntRange(0, 5).Draw(t, "refused") == 0 {
		return nil, errors.New("connection refused")
	}
	start := rapid.Uint64Range(1, from).Draw(t, "start")
	if rapid.IntRange(0, 5).Draw(t, "gap") == 0 {
		start = from + rapid.Uint64Range(1, 3).Draw(t, "missing")
	}
	text, err := io.ReadAll(s.sound(start))
	if err != nil {
		return nil, err
	}
	text = bytes.Clone(text[:rapid.IntRange(0, len(text)).Draw(t, "cut")])
	if len(text) > 0 && rapid.IntRange(0, 3).Draw(t, "damaged") == 0 {
		text[rapid.IntRange(0, len(text)-1).Draw(t, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
	}
	twice := rapid.Bool().Draw(t, "twice") // as a log that is followed from the top again
	if twice {
		again, _ := io.ReadAll(s.sound(1))
		return io.MultiReader(bytes.NewReader(text), bytes.NewReader(again)), nil
	}
	return bytes.NewReader(text), nil
}

// Of a task that was killed at any byte, what was whole is taken, and the end is
// missed.
func TestTornTailGivesWhatIsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payloads := drawPayloads(t)
		text, ends := written(payloads)
		cut := rapid.IntRange(0, len(text)-1).Draw(t, "cut")
		whole := 0
		for whole < len(ends) && ends[whole] <= cut {
			whole++
		}
		k := &taker{}
		err := follow(ended(text[:cut])).Run(t.Context(), k.take)
		if !errors.Is(err, ErrUnended) {
			t.Fatalf("the error is %v", err)
		}
		k.check(t, payloads[:max(0, whole-1)])
	})
}

// A frame that is damaged in the spool itself is missed, never passed over.
func TestDamageInTheSpoolIsTold(t *testing.T) {
	text, ends := written([]string{"one", "two", "three"})
	text[ends[1]+headerLength] ^= 1
	k := &taker{}
	err := follow(ended(text)).Run(t.Context(), k.take)
	if !errors.Is(err, ErrLost) || !errors.Is(err, ErrDamaged) || len(k.got) != 1 {
		t.Errorf("%v after %q", err, k.got)
	}
}

func TestFollowerGoesOnWhereItWasStopped(t *testing.T) {
	text, _ := written([]string{"one", "two", "three"})
	f, k := &Follower{Source: ended(text)}, &taker{}
	stop := errors.New("enough")
	err := f.Run(t.Context(), func(frame Frame) error {
		if string(frame.Payload) == "two" {
			return stop
		}
		return k.take(frame)
	})
	if !errors.Is(err, stop) || len(k.got) != 1 {
		t.Fatalf("%v, %q", err, k.got)
	}
	if err := f.Run(t.Context(), k.take); err != nil || strings.Join(k.got, " ") != "one two three" {
		t.Errorf("%v, %q", err, k.got)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	s := ended(text)
	s.done = make(chan struct{})
	s.open = func(uint64) (io.Reader, error) { return strings.NewReader(""), nil }
	if err := (&Follower{Source: s}).Run(cancelled, k.take); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// run has a handler do a job in this process.
func run(t *testing.T, in string, handlers map[string]Handler) (frames []Frame, err error) {
	t.Helper()
	var out bytes.Buffer
	err = Main(t.Context(), strings.NewReader(in), &out, handlers)
	for d := NewDecoder(&out); ; {
		f, err := d.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		f.Payload = bytes.Clone(f.Payload)
		frames = append(frames, f)
	}
	return frames, err
}

func TestMainSaysHelloResultAndEnd(t *testing.T) {
	job, err := NewJob("add", "sum", []int{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	job.Offset = 3 * time.Second
	var in strings.Builder
	if err := WriteJob(&in, job, nil); err != nil {
		t.Fatal(err)
	}
	frames, err := run(t, in.String(), map[string]Handler{"add": func(_ context.Context, c Call) error {
		var n []int
		if err := Decode(c.Spec, &n); err != nil {
			return err
		}
		c.Out.Progress(0.5)
		return c.Out.Result(n[0] + n[1])
	}})
	if err != nil || len(frames) != 4 {
		t.Fatalf("%v, %v", frames, err)
	}
	if h, err := frames[0].Hello(); err != nil || h.Name != "sum" || h.Kind != "add" || h.Offset != 3*time.Second || h.Clock.IsZero() {
		t.Errorf("hello %+v, %v", h, err)
	}
	if p, err := frames[1].Progress(); p.Share != 0.5 || err != nil {
		t.Errorf("progress %v, %v", p, err)
	}
	if string(frames[2].Payload) != "3" || frames[3].Kind != EndFrame || len(frames[3].Payload) > 0 {
		t.Errorf("the result is %q, the end %q", frames[2].Payload, frames[3].Payload)
	}
}

func TestMainRefuses(t *testing.T) {
	broken := map[string]Handler{"fail": func(context.Context, Call) error { return errors.New("no luck") }}
	for in, want := range map[string]string{
		`{"kind": "fail", "name": "x", "spec": {}}`:  "no luck",
		`{"kind": "other", "name": "x", "spec": {}}`: `unknown kind of task "other"; known: [fail]`,
		`{"knd": "fail"}`: "knd",
		`not json`:        "invalid",
		`{"kind": "fail", "name": "x", "spec": {}} and the rest`: "something follows",
		``: "EOF",
	} {
		frames, err := run(t, in, broken)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
		if end := frames[len(frames)-1]; end.Kind != EndFrame || !strings.Contains(string(end.Payload), want) {
			t.Errorf("%s: the stream ends with %c %q", in, end.Kind, end.Payload)
		}
	}
}

// Receipts go into a task and come out whole, however many.
func TestReceiptsTravel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 3000), 0, 60).Draw(rt, "receipts")
		var packed []byte
		for _, r := range want {
			packed = AppendReceipt(packed, r)
		}
		open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed)), nil }
		in := jobWithInput(t, ReceiptsInput(7, open))
		var got [][]byte
		_, err := run(t, in, map[string]Handler{"read": func(_ context.Context, c Call) error {
			return c.Input.Receipts(func(r []byte) bool {
				got = append(got, bytes.Clone(r))
				return true
			})
		}})
		if err != nil || fmt.Sprintf("%x", got) != fmt.Sprintf("%x", want) {
			rt.Fatalf("%x, %v, want %x", got, err, want)
		}
	})
}

func jobWithInput(t *testing.T, input func() (io.ReadCloser, error)) string {
	t.Helper()
	r, err := input()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var in strings.Builder
	if err := WriteJob(&in, Job{Kind: "read", Input: true, Spec: json.RawMessage("{}")}, r); err != nil {
		t.Fatal(err)
	}
	return in.String()
}

// Receipts that were cut off on their way must not pass for all there are.
func TestInputThatWasCutOffIsAnError(t *testing.T) {
	packed := AppendReceipt(nil, []byte("one"))
	in := jobWithInput(t, ReceiptsInput(0, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed)), nil }))
	read := map[string]Handler{"read": func(_ context.Context, c Call) error {
		return c.Input.Receipts(func([]byte) bool { return true })
	}}
	for cut := strings.IndexByte(in, '\n') + 1; cut < len(in); cut++ {
		if _, err := run(t, in[:cut], read); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d of %d: %v", cut, len(in), err)
		}
	}
	if _, err := run(t, `{"kind": "read", "spec": {}}`, read); err == nil {
		t.Error("a task without receipts read some")
	}
}

func TestReceiptsThatCannotBeReadFailTheInput(t *testing.T) {
	for _, open := range []func() (io.ReadCloser, error){
		func() (io.ReadCloser, error) { return nil, os.ErrNotExist },
		func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("\x05ab")), nil },
	} {
		r, err := ReceiptsInput(3, open)()
		if err == nil {
			err = WriteJob(io.Discard, Job{Input: true}, r)
			r.Close()
		}
		if err == nil {
			t.Error("receipts that cannot be read went unnoticed")
		}
	}
}

// full is a disk with so many bytes left.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	n := min(len(p), f.left)
	f.left -= n
	if n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

// After a truncated frame, no more is written, and the task reports the reason.
func TestWriterStopsAtItsFirstError(t *testing.T) {
	err := Main(t.Context(), strings.NewReader(`{"kind": "much", "name": "x", "spec": {}}`), &full{1000}, map[string]Handler{
		"much": func(_ context.Context, c Call) error {
			for {
				if err := errors.Join(c.Out.Record(make([]byte, 300)), c.Out.Flush()); err != nil {
					return err
				}
			}
		}})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("the error is %v", err)
	}
}

// A task's output is out a second later, although it never flushed.
func TestOutputIsFlushedEachSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		w, err := newWriter(&out, Job{})
		if err != nil {
			t.Fatal(err)
		}
		before := out.Len()
		if err := w.Record([]byte("{}")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(flushInterval + time.Millisecond)
		synctest.Wait()
		if out.Len() == before {
			t.Error("a crash would take what was written a second ago")
		}
		if err := w.end(nil); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzDecoder(f *testing.F) {
	text, _ := written([]string{"one", "two"})
	f.Add(text)
	f.Add(text[:len(text)-3])
	f.Fuzz(func(t *testing.T, text []byte) {
		for d := NewDecoder(bytes.NewReader(text)); ; {
			frame, err := d.Next()
			if err != nil {
				return
			}
			_, _ = frame.Hello()
			_, _ = frame.Progress()
			if _, packed, err := frame.Receipts(); err == nil {
				_ = EachReceipt(bytes.NewReader(packed), func([]byte) bool { return true })
			}
		}
	})
}
