package aio_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/aio"
	"plimsoll/internal/host/thread"
)

const block = 4096

// queues runs a test with every engine.
func queues(t *testing.T, depth int, test func(t *testing.T, q aio.Queue)) {
	for _, name := range aio.Names() {
		t.Run(name, func(t *testing.T) { queue(t, depth, name, test) })
	}
}

// queue runs a test with one engine.
func queue(t *testing.T, depth int, name string, test func(t *testing.T, q aio.Queue)) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	q, err := aio.New(depth, name)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		t.Skipf("this machine does not permit %s: %v", name, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if q.Name() != name {
		t.Fatalf("asked for %s, got %s", name, q.Name())
	}
	test(t, q)
	if err := q.Close(); err != nil {
		t.Error(err)
	}
}

// file makes a file of so many blocks, each filled with its number, with
// direct I/O where the file system has it.
func file(t *testing.T, blocks int) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data")
	var content []byte
	for i := range blocks {
		content = append(content, bytes.Repeat([]byte{byte(i)}, block)...)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_DIRECT, 0)
	if errors.Is(err, unix.EINVAL) {
		f, err = os.OpenFile(path, os.O_RDWR, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func buffer(t *testing.T, size int) []byte {
	t.Helper()
	b, err := aio.Buffer(size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = aio.Free(b) })
	return b
}

// all waits for so many completions, by tag.
func all(t *testing.T, q aio.Queue, count int) map[int]aio.Completion {
	t.Helper()
	byTag := map[int]aio.Completion{}
	for deadline := time.Now().Add(time.Minute); len(byTag) < count; {
		done, err := q.Wait(nil, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range done {
			if _, twice := byTag[c.Tag]; twice {
				t.Fatalf("request %d completed twice", c.Tag)
			}
			byTag[c.Tag] = c
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d requests completed within a minute", len(byTag), count)
		}
	}
	return byTag
}

func TestReadsFindTheirBlocks(t *testing.T) {
	queues(t, 16, func(t *testing.T, q aio.Queue) {
		f := file(t, 16)
		memory := buffer(t, 16*block)
		q.Keep(memory[:8*block]) // and the rest not
		for i := range 16 {
			at := (i * 7) % 16 // not in order
			err := q.Submit(aio.Request{Kind: aio.Read, File: int(f.Fd()), Buffer: memory[at*block : (at+1)*block], Offset: int64(at * block), Tag: at})
			if err != nil {
				t.Fatal(err)
			}
		}
		for tag, c := range all(t, q, 16) {
			if c.Err != nil || c.N != block {
				t.Errorf("read of block %d: %d bytes, %v", tag, c.N, c.Err)
			}
			if want := bytes.Repeat([]byte{byte(tag)}, block); !bytes.Equal(memory[tag*block:(tag+1)*block], want) {
				t.Errorf("block %d holds what belongs elsewhere", tag)
			}
		}
	})
}

func TestWritesAndFlushes(t *testing.T) {
	queues(t, 4, func(t *testing.T, q aio.Queue) {
		f := file(t, 4)
		memory := buffer(t, 2*block)
		q.Keep(memory)
		copy(memory, bytes.Repeat([]byte{'w'}, block))
		copy(memory[block:], bytes.Repeat([]byte{'d'}, block))
		err := q.Submit(
			aio.Request{Kind: aio.Write, File: int(f.Fd()), Buffer: memory[:block], Offset: block, Tag: 1},
			aio.Request{Kind: aio.WriteDsync, File: int(f.Fd()), Buffer: memory[block:], Offset: 2 * block, Tag: 2},
		)
		if err != nil {
			t.Fatal(err)
		}
		for tag, c := range all(t, q, 2) {
			if c.Err != nil || c.N != block {
				t.Errorf("write %d: %d bytes, %v", tag, c.N, c.Err)
			}
		}
		if err := q.Submit(aio.Request{Kind: aio.Flush, File: int(f.Fd()), Tag: 3}); err != nil {
			t.Fatal(err)
		}
		if c := all(t, q, 1)[3]; c.Err != nil {
			t.Errorf("flush: %v", c.Err)
		}
		content, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if content[block] != 'w' || content[2*block] != 'd' || content[0] != 0 || content[3*block] != 3 {
			t.Error("the writes are not where they belong")
		}
	})
}

func TestErrorsAndShortReadsBelongToTheirRequest(t *testing.T) {
	queues(t, 4, func(t *testing.T, q aio.Queue) {
		f := file(t, 1)
		readOnly, err := os.Open(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		defer readOnly.Close()
		memory := buffer(t, 4*block)
		err = q.Submit(
			aio.Request{Kind: aio.Read, File: int(f.Fd()), Buffer: memory[:2*block], Tag: 1},
			aio.Request{Kind: aio.Read, File: int(f.Fd()), Buffer: memory[2*block : 3*block], Offset: 8 * block, Tag: 2},
		)
		if err != nil {
			t.Fatal(err)
		}
		done := all(t, q, 2)
		if c := done[1]; c.N != block || c.Err != nil {
			t.Errorf("a read across the end gave %d bytes, %v; want the %d that are there", c.N, c.Err, block)
		}
		if c := done[2]; c.N != 0 || c.Err != nil {
			t.Errorf("a read behind the end gave %d bytes, %v", c.N, c.Err)
		}
		if err := q.Submit(aio.Request{Kind: aio.Write, File: int(readOnly.Fd()), Buffer: memory[3*block:], Tag: 3}); err != nil {
			t.Fatal(err)
		}
		if c := all(t, q, 1)[3]; !errors.Is(c.Err, unix.EBADF) {
			t.Errorf("a write to a read-only descriptor gave %v, want EBADF", c.Err)
		}
	})
}

func TestFullQueueRefuses(t *testing.T) {
	queues(t, 2, func(t *testing.T, q aio.Queue) {
		f := file(t, 1)
		memory := buffer(t, 3*block)
		request := func(i int) aio.Request {
			return aio.Request{Kind: aio.Read, File: int(f.Fd()), Buffer: memory[i*block : (i+1)*block], Tag: i}
		}
		if err := q.Submit(request(0), request(1)); err != nil {
			t.Fatal(err)
		}
		if err := q.Submit(request(2)); !errors.Is(err, aio.ErrFull) {
			t.Errorf("a third request at depth 2 gave %v, want ErrFull", err)
		}
		all(t, q, 2)
	})
}

func TestWaitEndsInTime(t *testing.T) {
	queues(t, 1, func(t *testing.T, q aio.Queue) {
		r, w, err := os.Pipe() // a read that nothing answers
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if q.Name() == "libaio" { // a pipe has no asynchronous reads there
			t.Skip("libaio carries this read out while it is submitted")
		}
		memory := buffer(t, block)
		if q.Name() == "threads" {
			t.Skip("pread refuses a pipe")
		}
		if err := q.Submit(aio.Request{Kind: aio.Read, File: int(r.Fd()), Buffer: memory, Offset: -1, Tag: 1}); err != nil {
			t.Fatal(err)
		}
		for _, timeout := range []time.Duration{20 * time.Millisecond, 150 * time.Millisecond, 150 * time.Millisecond} {
			done, err := q.Wait(nil, timeout)
			if err != nil || len(done) != 0 {
				t.Fatalf("nothing can have completed: %v, %v", done, err)
			}
		}
		if _, err := w.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		w.Close()
		if c := all(t, q, 1)[1]; c.N != 1 {
			t.Errorf("the read gave %d bytes, %v", c.N, c.Err)
		}
	})
}

// A program with a single thread and a single user still runs other goroutines and collects
// garbage: here, a goroutine that writes the data being waited for.
func TestWhoIsAloneLetsOthersRun(t *testing.T) {
	defer thread.Settings{Threads: 1, Alone: true}.Use()()
	queue(t, 1, "io_uring", func(t *testing.T, q aio.Queue) {
		var ends [2]int
		if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		defer unix.Close(ends[0])
		defer unix.Close(ends[1])
		if err := q.Submit(aio.Request{Kind: aio.Read, File: ends[0], Buffer: buffer(t, block), Offset: -1}); err != nil {
			t.Fatal(err)
		}
		go func() {
			runtime.GC()
			_, _ = unix.Write(ends[1], make([]byte, 100)) // the read shows it
		}()
		var done []aio.Completion
		for len(done) == 0 {
			var err error
			if done, err = q.Wait(done, 10*time.Second); err != nil {
				t.Fatal(err)
			}
			runtime.Gosched()
		}
		if done[0].N != 100 {
			t.Errorf("it was told %+v", done[0])
		}
	})
}

func TestImpossibleQueues(t *testing.T) {
	for _, depth := range []int{0, -1, 1 << 20} {
		if q, err := aio.New(depth, ""); err == nil {
			t.Errorf("depth %d was accepted", depth)
			_ = q.Close()
		}
	}
	if _, err := aio.New(1, "sync"); err == nil {
		t.Error("an engine that does not exist was accepted")
	}
}
