package files

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"time"

	"plimsoll/internal/host/aio"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// worker is a session: a user with files of its own. No other user writes
// them, so it knows what each block must hold.
type worker struct {
	fileio.Home
	fileio.Turn // of blocks
	p           *Parameters
	user        int
	random      *rand.Rand
	number      map[string]int // of operations, by name
	buffer      []byte

	files   []state
	used    []bool // files that were opened before, by this worker
	next    int    // file
	file    *fileio.File
	current pass
	given   bool // receipts were given
}

// pass is one file being written or read from its beginning to its end.
type pass struct {
	file    int
	reading bool
	first   bool // it is read so that it is known when it is read again: no unit of work
	block   int64
	begun   time.Time
}

var _ workload.PacedSession = (*worker)(nil)

func openWorker(t workload.Target, p *Parameters, user int, seed uint64) (w *worker, err error) {
	w = &worker{
		p: p, user: user, random: rand.New(rand.NewPCG(seed, 0)), number: map[string]int{},
		files: make([]state, p.Files), used: make([]bool, p.Files),
		Home: fileio.Home{Target: t, Owner: p.owner(t.Instance), Path: fileio.DirOf(top, user)},
	}
	for i, name := range p.operations() {
		w.number[name] = i
	}
	if err := w.Enter(); err != nil {
		return nil, err
	}
	if err := w.look(); err != nil {
		return nil, errors.Join(err, w.Leave())
	}
	if w.buffer, err = aio.Buffer(int(p.BlockSize)); err != nil {
		return nil, errors.Join(err, w.Leave())
	}
	blockcheck.Random(w.buffer, seed)
	return w, nil
}

// look finds the existing files: Prepare's, or files of another program with unknown
// contents.
func (w *worker) look() error {
	if w.p.Operation != write {
		for i := range w.files {
			w.files[i] = loaded(w.p.blocks())
		}
		return nil
	}
	names, err := w.Dir.Names()
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil && n >= 0 && n < len(w.files) {
			w.files[n].doubt = true
		}
	}
	return err
}

// Broken implements workload.Session. The loss of a volume does not break the worker: it
// reopens the volume by itself, because a new worker would lose the state of its files.
func (w *worker) Broken() bool { return false }

// Close implements workload.Session.
func (w *worker) Close() error {
	var err error
	if w.file != nil {
		err = w.file.Close()
	}
	return errors.Join(err, w.Leave(), aio.Free(w.buffer))
}

// Do implements workload.Session: it writes or reads one block, after opening
// the file before the first and closing it after the last.
func (w *worker) Do(ctx context.Context, rec workload.Recorder) error {
	if err := ctx.Err(); err != nil {
		w.giveReceipts(rec)
		return err
	}
	if !w.more() {
		w.giveReceipts(rec)
		return workload.ErrFinished
	}
	if !w.Ready(longestWait) {
		return nil
	}
	err := w.step(rec)
	w.settle(err)
	return err
}

// more reports whether there is another block.
func (w *worker) more() bool {
	if !w.Waits && w.p.Work == once && w.file == nil && w.next == w.p.Files {
		return false
	}
	return w.Take()
}

// longestWait bounds how long the worker does not look whether it should end.
const longestWait = 100 * time.Millisecond

// step does the I/O of one block, and opens or closes its file if necessary.
func (w *worker) step(rec workload.Recorder) error {
	if w.file == nil {
		if err := w.begin(rec); err != nil {
			w.Waits = false
			w.fail(rec, opBlock, w.Due(workload.Now()))
			return err
		}
	}
	w.Waits = w.current.first // the start of a file is not a block that is due
	err := w.block(rec)
	switch {
	case err != nil && !wrongContent(err):
		w.fail(rec, opFile, w.current.begun)
		return errors.Join(err, w.abandon())
	case w.current.block < w.p.blocks():
		return err
	}
	return errors.Join(err, w.finish(rec))
}

// wrongContent reports whether a block was read whose content is not what
// was written there.
func wrongContent(err error) bool {
	_, is := errors.AsType[*blockcheck.Error](err)
	return is
}

// settle pauses after a failure, and looks whether the volume was replaced.
func (w *worker) settle(err error) {
	if err == nil || wrongContent(err) {
		w.Succeeded()
		return
	}
	w.Failed(workload.Now())
	if w.file == nil {
		w.Reenter()
	}
}

// begin opens the next file.
func (w *worker) begin(rec workload.Recorder) (err error) {
	c := w.choose()
	name, s := strconv.Itoa(c.file), &w.files[c.file]
	if w.p.Operation == write && s.maybe() {
		if err := w.remove(rec, name, s); err != nil {
			return err
		}
	}
	c.begun = workload.Now()
	w.current = c
	err = w.timed(rec, opOpen, func() (err error) {
		w.file, err = w.Dir.Open(name, w.how(c))
		return err
	})
	if err != nil {
		s.doubt = s.doubt || w.p.Operation == write // it may be there by now
		return err
	}
	return w.opened(s)
}

// choose takes the next file, and what to do with it.
func (w *worker) choose() pass {
	c := pass{file: w.next % w.p.Files}
	w.next++
	if w.p.Work == timed {
		w.next %= w.p.Files
	}
	switch w.p.Operation {
	case read:
		c.reading = true
	case reread:
		c.reading, c.first = true, !w.used[c.file]
	case mixed:
		c.reading = w.random.Float64()*100 < w.p.Read
	}
	return c
}

func (w *worker) how(c pass) fileio.OpenMode {
	return fileio.OpenMode{
		Create: w.p.Operation == write, Write: !c.reading,
		Direct: w.p.IO == direct, Dsync: w.p.Dsync && !c.reading,
	}
}

// remove makes room for a new file.
func (w *worker) remove(rec workload.Recorder, name string, s *state) error {
	err := w.timed(rec, opRemove, func() error {
		err := w.Dir.Remove(name)
		if s.doubt && errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	})
	*s = s.removed(err)
	return err
}

// opened notes what becomes of the file.
func (w *worker) opened(s *state) error {
	c := &w.current
	switch {
	case w.p.Operation == write:
		*s = s.created()
	case !c.reading:
		*s = s.rewritten(w.p.blocks())
	case w.used[c.file] && w.p.Operation != reread && w.p.IO == buffered:
		if err := w.file.Forget(); err != nil {
			return errors.Join(err, w.abandon())
		}
	}
	w.used[c.file] = true
	return nil
}

// abandon closes a file that is not gone on with.
func (w *worker) abandon() error {
	err := w.file.Close()
	w.file = nil
	return err
}

// block writes or reads the next block.
func (w *worker) block(rec workload.Recorder) error {
	c := &w.current
	offset, length := w.p.span(c.block)
	buffer, s := w.buffer[:length], &w.files[c.file]
	if !c.reading {
		w.mark(buffer, offset, s)
	}
	began := workload.Now()
	err := w.move(buffer, offset)
	took := time.Since(began)
	switch {
	case c.reading && err == nil:
		err = w.check(buffer, offset, s)
	case err != nil && !c.reading:
		s.doubt = true
	case !c.reading:
		s.written++
	}
	c.block++
	w.report(rec, began, took, length, err)
	return err
}

func (w *worker) move(buffer []byte, offset int64) error {
	if w.current.reading {
		return w.file.Read(buffer, offset)
	}
	return w.file.Write(buffer, offset)
}

// report says how a block went.
func (w *worker) report(rec workload.Recorder, began time.Time, took time.Duration, length int64, err error) {
	outcome := workload.OutcomeOf(err)
	if w.current.first {
		rec.Observe(w.number[opFirst], began, took, outcome)
		return
	}
	if w.p.Operation == mixed {
		verb := map[bool]string{true: read, false: write}[w.current.reading]
		rec.Observe(w.number[verb], began, took, outcome)
	}
	due := w.Due(began)
	rec.Observe(0, due, began.Add(took).Sub(due), outcome)
	if err == nil {
		rec.Moved(0, length)
	}
}

// mark makes a block what the file holds from now on. Without verification its
// first bytes change nevertheless, so that no block is written twice.
func (w *worker) mark(buffer []byte, offset int64, s *state) {
	if w.p.Verify {
		w.content(s.generation).Fill(buffer, offset)
		return
	}
	binary.LittleEndian.PutUint64(buffer, uint64(offset))
	binary.LittleEndian.PutUint64(buffer[8:], w.p.number(w.user, w.current.file)<<32|uint64(s.generation))
}

func (w *worker) check(buffer []byte, offset int64, s *state) error {
	generation := s.expected(w.current.block)
	if !w.p.Verify || generation == 0 {
		return nil
	}
	return w.content(generation).Check(buffer, offset)
}

func (w *worker) content(generation uint32) fileio.Content {
	return fileio.Content{Volume: w.Volume, File: w.p.number(w.user, w.current.file), Generation: generation}
}

// finish flushes and closes a file that was written or read to its end.
func (w *worker) finish(rec workload.Recorder) (err error) {
	c := w.current
	if w.p.flushes() && !c.reading {
		err = w.timed(rec, opFlush, w.file.Flush)
	}
	err = errors.Join(err, w.timed(rec, opClose, w.abandon))
	if err != nil {
		w.doubt(&w.files[c.file], c)
		w.fail(rec, opBlock, workload.Now())
	}
	rec.Observe(w.number[opFile], c.begun, time.Since(c.begun), workload.OutcomeOf(err))
	return err
}

// doubt notes that the content of the file is unknown: its flush failed.
func (w *worker) doubt(s *state, c pass) {
	if !c.reading {
		s.written, s.behind, s.doubt = 0, 0, true
	}
}

// timed does and reports an operation.
func (w *worker) timed(rec workload.Recorder, operation string, do func() error) error {
	return workload.Timed(rec, w.number[operation], do)
}

// fail reports that an operation failed that had begun at a moment.
func (w *worker) fail(rec workload.Recorder, operation string, began time.Time) {
	rec.Observe(w.number[operation], began, time.Since(began), workload.Failed)
}

// giveReceipts gives the receipts of the worker's files, once.
func (w *worker) giveReceipts(rec workload.Recorder) {
	if w.given {
		return
	}
	w.given = true
	for _, r := range receipts(w.Volume, w.user, slices.Clone(w.files)) {
		rec.Receipt(r)
	}
}
