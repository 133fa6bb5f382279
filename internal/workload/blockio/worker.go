package blockio

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"plimsoll/internal/host/aio"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/host/thread"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// worker is a session: a user who keeps I/Os under way in a range of the
// volume. No other user writes there, so it knows what each block must hold.
type worker struct {
	p       *Parameters
	volume  *volume
	unit    int64
	from    int64 // first block of the range
	places  *places
	ledger  *ledger
	queue   aio.Queue
	memory  []byte
	slots   []slot
	flying  int
	busy    int  // slots that are not idle
	ended   bool // no I/O begins any more
	given   bool // receipts were given
	broken  bool // the queue cannot be used any more
	failing int  // I/Os that failed since one succeeded
	failed  []failure
	done    []aio.Completion
	turns   thread.Turns
	pace    workload.Pace
}

// failure is an I/O that failed and was not reported yet.
type failure struct {
	operation        int
	due, begun, ends time.Time
	err              error
}

// slot is room for one I/O: idle, waiting for when the next one is due, or
// under way.
type slot struct {
	state  slotState
	due    time.Time // when the I/O should begin; zero for at once
	after  time.Time // it does not begin before: an I/O here failed
	begun  time.Time
	place  place
	buffer []byte
}

type slotState uint8

const (
	idle slotState = iota
	waiting
	underWay
)

var (
	_ workload.Session      = (*worker)(nil)
	_ workload.PacedSession = (*worker)(nil)
)

func openWorker(t workload.Target, p *Parameters, user int, seed uint64) (w *worker, err error) {
	v, err := openVolume(t, p)
	if err != nil {
		return nil, err
	}
	w = &worker{p: p, volume: v, unit: p.unit(), slots: make([]slot, p.Outstanding)}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	step := p.align(p.Block.Largest()) / w.unit
	from, to := share(v.blocks, step, user, max(1, t.Users))
	if (to-from)*w.unit < p.Block.Largest() {
		return w, fmt.Errorf("the space of worker %d is %d bytes, less than a block of %d: use fewer workers or a larger size", user, (to-from)*w.unit, p.Block.Largest())
	}
	w.from = from
	if w.places, err = newPlaces(p, from, to, seed); err != nil {
		return w, err
	}
	w.ledger = newLedger(from, to)
	return w, w.allocate(seed)
}

// allocate makes the queue and the buffers, full of random bytes.
func (w *worker) allocate(seed uint64) (err error) {
	if w.queue, err = aio.New(len(w.slots), ""); err != nil {
		return err
	}
	size := w.p.Block.Largest()
	if w.memory, err = aio.Buffer(int(size) * len(w.slots)); err != nil {
		return err
	}
	w.queue.Keep(w.memory)
	blockcheck.Random(w.memory, seed)
	for i := range w.slots {
		w.slots[i].buffer = w.memory[int64(i)*size:][:size]
	}
	return nil
}

// Pace implements workload.PacedSession.
func (w *worker) Pace(p workload.Pace) { w.pace = p }

// Broken implements workload.Session. The loss of a volume does not break the worker: it
// reopens the volume by itself, because a new worker would lose the state of its blocks.
func (w *worker) Broken() bool { return w.broken }

// Close implements workload.Session.
func (w *worker) Close() error {
	var all []error
	if w.queue != nil {
		all = append(all, w.queue.Close()) // waits for what still uses the buffers
	}
	if w.memory != nil {
		all = append(all, aio.Free(w.memory))
	}
	return errors.Join(append(all, w.volume.file.Close())...)
}

// Do implements workload.Session: it submits the I/Os that are due, waits until some have
// completed, and reports them.
func (w *worker) Do(ctx context.Context, rec workload.Recorder) error {
	if len(w.failed) > 0 {
		return w.fail(rec)
	}
	if err := ctx.Err(); err != nil {
		w.giveReceipts(rec)
		return err
	}
	next, err := w.begin()
	if err == nil && w.ended && w.busy == 0 {
		w.giveReceipts(rec)
		return workload.ErrFinished
	}
	if err == nil {
		w.done, err = w.wait(next)
	}
	if err != nil {
		w.broken = true
		return err
	}
	now := workload.Now()
	for _, c := range w.done {
		w.complete(c, now, rec)
		if _, err := w.start(c.Tag); err != nil { // at once, not after all the others
			w.broken = true
			return err
		}
	}
	w.turns.Yield(now, turnInterval)
	return w.fail(rec)
}

// turnInterval is how often others have their turn: without turns, they are woken more
// often, which costs CPU (docs/driver-measurements.md).
const turnInterval = 8 * time.Millisecond

// fail reports the oldest failure that was not reported yet, if there is one.
func (w *worker) fail(rec workload.Recorder) error {
	if len(w.failed) == 0 {
		return nil
	}
	f := w.failed[0]
	w.failed = w.failed[1:]
	rec.Observe(f.operation, f.begun, f.ends.Sub(f.begun), workload.Failed)
	rec.Observe(0, f.due, f.ends.Sub(f.due), workload.Failed)
	return f.err
}

// begin submits every I/O that is due. Next is when another one will be, zero
// when none waits.
func (w *worker) begin() (next time.Time, err error) {
	for i := range w.slots {
		later, err := w.start(i)
		if err != nil {
			return next, err
		}
		if !later.IsZero() && (next.IsZero() || later.Before(next)) {
			next = later
		}
	}
	return next, nil
}

// start submits the next I/O of a slot if it is due. Later is when it will be,
// zero when it is not known.
func (w *worker) start(tag int) (later time.Time, err error) {
	s := &w.slots[tag]
	if s.state == idle && !w.take(s) || s.state == underWay {
		return later, nil
	}
	later = latest(s.due, s.after)
	if !later.IsZero() && later.After(workload.Now()) {
		return later, nil
	}
	return time.Time{}, w.submit(tag)
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// take asks when the slot's next I/O is due.
func (w *worker) take(s *slot) bool {
	if w.ended {
		return false
	}
	due, more := w.pace.Next()
	if !more {
		w.ended = true
		return false
	}
	s.due, s.state, s.place = due, waiting, w.places.next()
	w.busy++
	return true
}

// submit begins an I/O at a place where nothing is under way that it would
// disturb. If there is none just now the slot goes on waiting.
func (w *worker) submit(tag int) error {
	s := &w.slots[tag]
	if !w.find(s) {
		return nil
	}
	s.state = underWay
	w.flying++
	buffer := s.buffer[:s.place.count*w.unit]
	kind := aio.Read
	if !s.place.read {
		kind = aio.Write
		if w.p.Dsync {
			kind = aio.WriteDsync
		}
		w.mark(s, buffer)
	}
	s.begun = workload.Now()
	if s.due.IsZero() {
		s.due = s.begun
	}
	return w.queue.Submit(aio.Request{Kind: kind, File: int(w.volume.file.Fd()), Buffer: buffer, Offset: s.place.block * w.unit, Tag: tag})
}

// redraws is how often another place is drawn where something is under way.
const redraws = 64

// find moves an I/O to a place without conflicting I/Os. It never turns a write into a
// read: reads do not conflict with each other and would displace writes.
func (w *worker) find(s *slot) bool {
	for range redraws {
		if s.place.read && w.ledger.beginRead(s.place.block, s.place.count) ||
			!s.place.read && w.ledger.beginWrite(s.place.block, s.place.count) {
			return true
		}
		w.places.move(&s.place)
	}
	return false
}

// mark stamps the blocks to be written. Without verification it still changes the first
// bytes, so that no block is written twice with equal contents.
func (w *worker) mark(s *slot, buffer []byte) {
	if !w.p.Verify {
		binary.LittleEndian.PutUint64(buffer, uint64(s.place.block))
		binary.LittleEndian.PutUint32(buffer[8:], w.ledger.written(s.place.block))
		return
	}
	for i := range s.place.count {
		block := s.place.block + i
		w.stamp(block, w.ledger.written(block)).Write(buffer[i*w.unit:][:w.unit])
	}
}

func (w *worker) stamp(block int64, generation uint32) blockcheck.Stamp {
	return blockcheck.Stamp{Volume: w.volume.id, Offset: block * w.unit, Generation: generation}
}

// wait waits for completions, at most until something else is due. While
// nothing is under way it sleeps until then.
func (w *worker) wait(next time.Time) ([]aio.Completion, error) {
	limit := waitLimit
	if !next.IsZero() {
		limit = min(limit, time.Until(next))
	}
	if w.flying == 0 {
		fileio.Sleep(limit)
		return w.done[:0], nil
	}
	return w.queue.Wait(w.done[:0], max(0, limit))
}

// complete reports an I/O that has ended.
func (w *worker) complete(c aio.Completion, now time.Time, rec workload.Recorder) {
	s := &w.slots[c.Tag]
	s.state = idle
	w.busy--
	w.flying--
	err, operation := w.judge(s, c), w.p.operation(s.place)
	w.backOff(s, now, c.Err != nil)
	if err != nil {
		w.failed = append(w.failed, failure{operation, s.due, s.begun, now, err})
		return
	}
	rec.Observe(operation, s.begun, now.Sub(s.begun), workload.Done)
	rec.Observe(0, s.due, now.Sub(s.due), workload.Done)
	rec.Moved(0, int64(c.N))
}

// judge says what was wrong with an I/O, and settles what the ledger knows.
func (w *worker) judge(s *slot, c aio.Completion) error {
	bytes := s.place.count * w.unit
	err := c.Err
	switch {
	case err != nil:
		err = fileio.IOError(s.place.read, s.place.block*w.unit, bytes, err)
	case int64(c.N) != bytes:
		err = &fileio.ShortError{Offset: s.place.block * w.unit, Got: int64(c.N), Want: bytes}
	case s.place.read && w.p.Verify:
		err = w.check(s)
	}
	if s.place.read {
		w.ledger.endRead(s.place.block, s.place.count)
	} else {
		w.ledger.endWrite(s.place.block, s.place.count, err == nil)
	}
	return err
}

// check compares every block that was read with what was acknowledged there.
func (w *worker) check(s *slot) error {
	for i := range s.place.count {
		block := s.place.block + i
		generation, certain := w.ledger.generation(block)
		if !certain {
			continue
		}
		if err := w.stamp(block, generation).Check(s.buffer[i*w.unit:][:w.unit]); err != nil {
			return err
		}
	}
	return nil
}

// backOff has a slot wait after a failure. When all have failed the volume is
// opened again: it may have been replaced.
func (w *worker) backOff(s *slot, now time.Time, failed bool) {
	if !failed {
		w.failing, s.after = 0, time.Time{}
		return
	}
	w.failing++
	s.after = now.Add(fileio.Pause(w.failing))
	if w.flying == 0 {
		w.reopen()
	}
}

// reopen replaces the file by the one that is now at its path, if there is one.
func (w *worker) reopen() {
	f, err := openFile(w.volume.path, w.volume.ways, w.p.Mode == modeDirect)
	if err != nil {
		return // the next failure tries again; it is counted
	}
	_ = w.volume.file.Close() // its I/Os have failed already
	w.volume.file = f
}
