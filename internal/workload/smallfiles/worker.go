package smallfiles

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// worker is a session: a user with files of its own. No other user changes
// them, so it knows how each must be.
type worker struct {
	fileio.Turn
	p       *Parameters
	owner   fileio.Owner
	path    string // of the volume
	number  int64
	tree    tree
	volume  uint64 // its identity
	root    *fileio.Root
	leaves  leaves
	all     *population
	random  *rand.Rand
	records records
	numbers map[string]int // of operations
	turn    int64          // units so far
	given   bool           // receipts were given
	rec     workload.Recorder
	ended   time.Time // of the last operation, and with it of the unit
}

var (
	_ workload.Session      = (*worker)(nil)
	_ workload.PacedSession = (*worker)(nil)
)

func openWorker(t workload.Target, p *Parameters, user int, seed uint64) (*worker, error) {
	at, err := endpoint.As[endpoint.Volume](t.Endpoint(fileio.VolumeRole))
	if err != nil {
		return nil, fmt.Errorf("open the volume: %w", err)
	}
	w := &worker{
		p: p, owner: ownerOf(t, p), path: at.Path, number: int64(user), tree: newTree(p, usersOf(t)),
		random: rand.New(rand.NewPCG(seed, uint64(user))), numbers: p.numbers(),
		all: newPopulation(p), records: newRecords(p, seed),
	}
	if w.number >= w.tree.users {
		return nil, fmt.Errorf("worker %d of %d: the driver did not say how many there are", user, w.tree.users)
	}
	return w, w.open()
}

// open opens the volume that was prepared, or refuses it.
func (w *worker) open() (err error) {
	if w.root, err = fileio.Open(w.path); err != nil {
		return err
	}
	id, err := w.root.Identity(w.owner)
	if err == nil && w.volume != 0 && w.volume != id {
		err = fmt.Errorf("%s holds another volume now", w.path)
	}
	if err != nil {
		return errors.Join(err, w.root.Close())
	}
	w.volume = id
	w.leaves = newLeaves(w.root, w.tree)
	return nil
}

// Broken implements workload.Session. A worker never breaks: it reopens a lost volume by
// itself, because a new worker would not know the state of its files.
func (*worker) Broken() bool { return false }

// Close implements workload.Session.
func (w *worker) Close() error { return errors.Join(w.leaves.close(), w.root.Close()) }

// longestWait is how long Do waits before it looks whether the driver ends.
const longestWait = 50 * time.Millisecond

// Do implements workload.Session: it performs an operation if one is due, and otherwise
// waits.
func (w *worker) Do(ctx context.Context, rec workload.Recorder) error {
	if err := ctx.Err(); err != nil {
		w.giveReceipts(rec)
		return err
	}
	if !w.take() {
		w.giveReceipts(rec)
		return workload.ErrFinished
	}
	if !w.Ready(longestWait) {
		return nil
	}
	w.Waits, w.rec = false, rec
	return w.unit()
}

// take takes the next unit, if there is one.
func (w *worker) take() bool {
	if !w.Waits && w.p.Work == once && w.turn >= w.units() {
		return false
	}
	return w.Take()
}

// units is how many there are when each file, or directory, has its turn once.
func (w *worker) units() int64 {
	if w.p.Operation != list {
		return w.p.Files
	}
	return w.tree.ownLeaves(w.number)
}

// unit does one unit of work and reports it.
func (w *worker) unit() error {
	begun := workload.Now()
	due := w.Due(begun)
	bytes, err := w.perform()
	w.turn++
	if err != nil {
		now := workload.Now()
		w.rec.Observe(0, due, now.Sub(due), workload.Failed)
		w.backOff(now)
		return err
	}
	w.Succeeded()
	w.rec.Observe(0, due, w.ended.Sub(due), workload.Done)
	if bytes > 0 {
		w.rec.Moved(0, bytes)
	}
	return nil
}

// backOff has the worker wait after a failure. The second in a row has it open the
// volume again: it may have been replaced.
func (w *worker) backOff(now time.Time) {
	if w.Failed(now) < 2 {
		return
	}
	before := *w
	if w.open() != nil { // the next failure tries again; it is counted
		w.root, w.leaves = before.root, before.leaves
		return
	}
	_ = errors.Join(before.leaves.close(), before.root.Close()) // nothing is lost with them
}
