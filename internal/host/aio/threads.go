package aio

import (
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// threads is a Queue by blocking calls, each on an operating-system thread of
// its own: dearer than the others, but permitted everywhere.
type threads struct {
	slots
	work chan int
	done chan threadResult
	all  sync.WaitGroup
}

type threadResult struct {
	slot   int
	result int64
}

func newThreads(depth int) (Queue, error) {
	t := &threads{slots: newSlots(depth), work: make(chan int, depth), done: make(chan threadResult, depth)}
	for range depth {
		t.all.Go(t.serve)
	}
	return t, nil
}

func (t *threads) serve() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for slot := range t.work {
		t.done <- threadResult{slot, perform(t.requests[slot])}
	}
}

// perform does a request as the kernel's queues would: bytes, or the negative
// error number.
func perform(q Request) int64 {
	for {
		n, err := call(q)
		errno, failed := err.(unix.Errno)
		switch {
		case errno == unix.EINTR:
			continue
		case failed:
			return -int64(errno)
		}
		return int64(n)
	}
}

func call(q Request) (int, error) {
	switch q.Kind {
	case Read:
		return unix.Pread(q.File, q.Buffer, q.Offset)
	case Write:
		return unix.Pwrite(q.File, q.Buffer, q.Offset)
	case WriteDsync:
		return unix.Pwritev2(q.File, [][]byte{q.Buffer}, q.Offset, unix.RWF_DSYNC)
	}
	return 0, unix.Fdatasync(q.File)
}

func (t *threads) Name() string { return "threads" }

// Keep implements Queue; there is nothing to gain.
func (*threads) Keep([]byte) {}

func (t *threads) Submit(requests ...Request) error {
	for _, q := range requests {
		slot, ok := t.take(q)
		if !ok {
			return ErrFull
		}
		t.work <- slot
	}
	return nil
}

func (t *threads) Wait(done []Completion, timeout time.Duration) ([]Completion, error) {
	if t.busy() == 0 {
		return done, nil
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case e := <-t.done:
		done = append(done, t.end(e.slot, e.result))
	case <-timer.C:
		return done, nil
	}
	for {
		select {
		case e := <-t.done:
			done = append(done, t.end(e.slot, e.result))
		default:
			return done, nil
		}
	}
}

func (t *threads) Close() error {
	err := drain(t, t.busy)
	close(t.work)
	t.all.Wait()
	return err
}
