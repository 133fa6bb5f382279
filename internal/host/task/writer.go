package task

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"plimsoll/internal/host/mounts"
)

// frames numbers frames and writes them. It keeps its first error: what comes
// after a frame that was cut off could not be read.
type frames struct {
	out    *bufio.Writer
	number uint64
	// buffer holds a frame, and payload the receipts of one: both are reused to save
	// allocations.
	buffer, payload []byte
	err             error
	where           string // the path of the output, where it is a file
}

func newFrames(out io.Writer) *frames {
	f := &frames{out: bufio.NewWriterSize(out, 64<<10)}
	if file, ok := out.(*os.File); ok {
		f.where, _ = os.Readlink(fmt.Sprintf("/proc/self/fd/%d", file.Fd())) // for messages alone
	}
	return f
}

func (f *frames) add(kind FrameKind, payload []byte) error {
	if f.err != nil {
		return f.err
	}
	if len(payload) > maxPayload {
		return fmt.Errorf("a frame of %d bytes, the limit is %d", len(payload), maxPayload)
	}
	f.number++
	f.buffer = appendFrame(f.buffer[:0], Frame{f.number, kind, payload})
	_, err := f.out.Write(f.buffer)
	return f.keep(err)
}

func (f *frames) receipts(instance int, packed []byte) error {
	f.payload = append(binary.AppendUvarint(f.payload[:0], uint64(instance)), packed...)
	return f.add(ReceiptsFrame, f.payload)
}

// end writes the last frame.
func (f *frames) end(why error) error {
	text := ""
	if why != nil {
		text = why.Error()
	}
	if err := f.add(EndFrame, []byte(text)); err != nil {
		return err
	}
	return f.flush()
}

func (f *frames) flush() error {
	if f.err != nil {
		return f.err
	}
	return f.keep(f.out.Flush())
}

func (f *frames) keep(err error) error {
	if err != nil && f.where != "" {
		err = mounts.NameFull(err, f.where)
	}
	if err != nil {
		f.err = fmt.Errorf("write the output of the task: %w", err)
	}
	return f.err
}

// Writer writes the frames of a task. Frames leave the process within a second, and so
// survive its crash. It is safe for concurrent use.
type Writer struct {
	mu       sync.Mutex
	frames   *frames
	progress time.Time // when it was last reported
	step     string    // the last one reported

	stop chan struct{}
	done chan struct{}
}

// flushInterval bounds the output lost in a crash.
const flushInterval = time.Second

// progressInterval keeps very frequent reports of progress from filling the
// spool.
const progressInterval = 200 * time.Millisecond

// newWriter says hello. The caller ends it with End.
func newWriter(out io.Writer, job Job) (*Writer, error) {
	host, _ := os.Hostname() // a machine without a name stays anonymous
	text, err := json.Marshal(Hello{Kind: job.Kind, Name: job.Name, Host: host, Clock: time.Now(), Offset: job.Offset})
	if err != nil {
		return nil, err
	}
	w := &Writer{frames: newFrames(out), stop: make(chan struct{}), done: make(chan struct{})}
	if err := w.add(HelloFrame, text); err != nil {
		return nil, err
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	go w.flushRegularly()
	return w, nil
}

func (w *Writer) flushRegularly() {
	defer close(w.done)
	tick := time.NewTicker(flushInterval)
	defer tick.Stop()
	for {
		select {
		case <-w.stop:
			return
		case <-tick.C:
			_ = w.Flush() // the next write reports the error
		}
	}
}

func (w *Writer) add(kind FrameKind, payload []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.frames.add(kind, payload)
}

// Record writes one JSON object.
func (w *Writer) Record(line []byte) error { return w.add(RecordFrame, line) }

// Receipts writes packed receipts of an instance (see AppendReceipt).
func (w *Writer) Receipts(instance int, packed []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.frames.receipts(instance, packed)
}

// Progress reports the share done, 0..1, a few times a second at most.
func (w *Writer) Progress(share float64) { w.Step("", share) }

// Step is Progress with the name of the current step. A new step is reported at once.
func (w *Writer) Step(step string, share float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if step == w.step && now.Sub(w.progress) < progressInterval {
		return
	}
	w.progress, w.step = now, step
	if text, err := json.Marshal(Progress{Share: share, Step: step}); err == nil { // NaN is no progress
		_ = w.frames.add(ProgressFrame, text) // the next write reports the error
	}
}

// Result writes what came out.
func (w *Writer) Result(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write down the result: %w", err)
	}
	return w.add(ResultFrame, text)
}

// Flush hands over what was written.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.frames.flush()
}

// end writes why the task ended, and the last frames with it.
func (w *Writer) end(why error) error {
	close(w.stop)
	<-w.done
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.frames.end(why)
}
