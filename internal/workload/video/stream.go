package video

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"

	"plimsoll/internal/host/aio"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// stream is a session: a camera that records one frame after the other, and reads back a
// few of the recorded ones.
type stream struct {
	recording
	home    fileio.Home
	random  *rand.Rand
	numbers map[string]int // of operations, by name
	memory  []byte
	buffer  []byte // for a frame
	sample  []byte // for a read
	turn    int64  // number of the next operation
	next    int64  // number of the next frame
	lost    map[int64]bool
	file    *fileio.File // the segment that is recorded into; nil between two
}

func openStream(t workload.Target, p *Parameters, user int, seed uint64) (s *stream, err error) {
	s = &stream{
		recording: recording{p: p, user: user}, random: rand.New(rand.NewPCG(seed, 0)), numbers: map[string]int{},
		next: p.historyFrames(), lost: map[int64]bool{},
		home: fileio.Home{Target: t, Owner: p.owner(t.Instance), Path: fileio.DirOf(top, user)},
	}
	for i, name := range p.names() {
		s.numbers[name] = i
	}
	if p.Reads > 0 { // streams do not all read at the same moment
		s.turn = s.random.Int64N(max(1, int64(100/p.Reads)))
	}
	if err := s.home.Enter(); err != nil {
		return nil, err
	}
	s.volume = s.home.Volume
	if s.memory, err = aio.Buffer(int(p.frame() + int64(p.ReadSize))); err != nil {
		return nil, errors.Join(err, s.home.Leave())
	}
	blockcheck.Random(s.memory, seed)
	s.buffer, s.sample = s.memory[:p.frame()], s.memory[p.frame():]
	return s, nil
}

// Broken implements workload.Session. A volume that is gone does not break the stream,
// which enters it again by itself: which frames it has recorded would be lost with it.
func (s *stream) Broken() bool { return false }

// Close implements workload.Session.
func (s *stream) Close() error {
	return errors.Join(s.leave(), s.home.Leave(), aio.Free(s.memory))
}

// leave closes the segment that is recorded into.
func (s *stream) leave() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}

// Do implements workload.Session: the next operation of the stream.
func (s *stream) Do(ctx context.Context, rec workload.Recorder) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	do := s.record
	if s.p.reading(s.turn) {
		do = s.look
	}
	s.turn++
	began := workload.Now()
	moved, err := do(rec)
	rec.Observe(operation, began, time.Since(began), workload.OutcomeOf(err))
	if err == nil {
		rec.Moved(operation, moved)
	}
	return err
}

// timed does and reports an operation.
func (s *stream) timed(rec workload.Recorder, name string, do func() error) error {
	return workload.Timed(rec, s.numbers[name], do)
}

// record writes the next frame. One that could not be written is lost: the camera goes on
// with the next, as its picture does.
func (s *stream) record(rec workload.Recorder) (moved int64, err error) {
	frame := s.next
	s.next++
	segment, offset := s.p.place(frame)
	s.fill(s.buffer, frame)
	if s.file == nil {
		err = s.timed(rec, opOpen, func() error { return s.open(segment) })
	}
	if err == nil {
		err = s.timed(rec, opWrite, func() error { return s.file.Write(s.buffer, offset) })
	}
	if err != nil {
		s.lose(rec, frame, frame)
		s.reenter()
		return 0, err
	}
	rec.Receipt(s.receipt(frame, acknowledged))
	if (frame+1)%s.p.segmentFrames() == 0 {
		err = s.finish(rec, frame)
	}
	return int64(len(s.buffer)), err
}

// open makes a segment, or goes on with one that is there: the history may end within
// one, and a frame within it may have failed.
func (s *stream) open(segment string) (err error) {
	how := fileio.OpenMode{Create: true, Direct: s.p.IO == direct}
	s.file, err = s.home.Dir.Open(segment, how)
	if errors.Is(err, syscall.EEXIST) {
		how.Create, how.Write = false, true
		s.file, err = s.home.Dir.Open(segment, how)
	}
	return err
}

// finish ends a segment whose last frame was written. What cannot be flushed may be lost.
func (s *stream) finish(rec workload.Recorder, last int64) error {
	if !s.p.Flush {
		return s.leave()
	}
	err := s.timed(rec, opFlush, func() error { return errors.Join(s.file.Flush(), s.leave()) })
	if err != nil {
		first := max(s.p.historyFrames(), last/s.p.segmentFrames()*s.p.segmentFrames())
		s.lose(rec, first, last)
	}
	return err
}

// lose notes frames that may or may not have been written.
func (s *stream) lose(rec workload.Recorder, first, last int64) {
	for frame := first; frame <= last; frame++ {
		s.lost[frame] = true
		rec.Receipt(s.receipt(frame, inDoubt))
	}
}

// reenter makes the next operation open everything anew.
func (s *stream) reenter() {
	_ = s.leave() // the frame has failed already
	s.home.Reenter()
	s.volume = s.home.Volume
}

// look reads a little somewhere in what was recorded.
func (s *stream) look(rec workload.Recorder) (moved int64, err error) {
	frame := s.random.Int64N(s.next)
	for s.lost[frame] {
		frame = s.random.Int64N(s.next)
	}
	from := s.random.Int64N((s.p.frame()-int64(len(s.sample)))/block+1) * block
	err = s.timed(rec, opRead, func() error { return s.read(frame, from) })
	if err != nil {
		s.reenter()
		return 0, fmt.Errorf("frame %d of stream %d: %w", frame, s.user, err)
	}
	return int64(len(s.sample)), nil
}

// read reads and checks a part of a frame, as a viewer does that opens the file for it.
func (s *stream) read(frame, from int64) error {
	segment, offset := s.p.place(frame)
	f, err := s.home.Dir.Open(segment, fileio.OpenMode{Direct: s.p.IO == direct})
	if err != nil {
		return err
	}
	err = f.Read(s.sample, offset+from)
	if err == nil {
		err = s.check(s.sample, frame, from)
	}
	return errors.Join(err, f.Close())
}
