package medium

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// player plays a model against the clock: one thread takes requests from the kernel, moves
// the data to or from the image at once, and answers each at the model's time of
// completion. While it is paused it answers at once.
type player struct {
	kernel *connection
	image  *os.File
	size   int64
	began  time.Time

	mu       sync.Mutex
	model    Model
	order    order // of the host's requests
	fresh    func() Model
	tier     *tier // the model, when it is one
	past     Stats // of models before the last pause
	paused   bool
	off      bool // the power is cut: nothing can be read or written
	failed   bool // nor after the loss of a tier that was dirty
	undo     *undoLog
	loss     Loss                  // of the last power cut
	underWay map[uint64]*operation // by the kernel's number
	late     Lateness

	small, large sync.Pool // buffers for reads
}

// operation is a request under way. It is answered when the model has it done
// and, of a read, the data is there.
type operation struct {
	unique      uint64
	op          Op
	length      int
	data        []byte // of a read
	err         unix.Errno
	number      uint64 // of a write, or of the first that comes after a flush; see undoLog
	since, at   time.Duration
	safe        bool // a write that no power cut undoes
	loading     bool // the image's disk is being asked
	simulated   bool // the model has it done
	skipped     bool // without simulated time
	recycleable *sync.Pool
}

// Lateness is how far the simulation fell behind its own times, because the machine was
// busy or the disk below the image slow.
type Lateness struct {
	Requests int64         `json:"requests"`
	Late     int64         `json:"late"` // by more than a tenth of their time and more than 100 us
	Mean     time.Duration `json:"mean"`
	Max      time.Duration `json:"max"`
	Sum      time.Duration `json:"sum"`
	Span     time.Duration `json:"span"` // that the model says all requests took
}

func newPlayer(kernel *connection, image *os.File, c Config) *player {
	fresh := func() Model { return New(c.Spec, c.Size) }
	p := &player{
		kernel: kernel, image: image, size: c.Size, began: time.Now(),
		model: fresh(), fresh: fresh, underWay: map[uint64]*operation{},
	}
	p.tier, _ = p.model.(*tier)
	if c.PowerCuts {
		p.undo = newUndoLog(c.Spec)
	}
	p.small.New = func() any { return make([]byte, smallRead) }
	p.large.New = func() any { return make([]byte, largestTransfer) }
	return p
}

// smallRead is the size below which reads share small buffers.
const smallRead = 16 << 10

// run serves until the file system is unmounted.
func (p *player) run() error {
	runtime.LockOSThread() // its timer slack and priority are its own
	defer runtime.UnlockOSThread()
	exact()
	for {
		if err := p.kernel.wait(p.step()); err != nil {
			return ended(err)
		}
		for range 64 { // then the due answers go first
			h, err := p.kernel.next()
			if err != nil {
				return ended(err)
			}
			if h == nil {
				break
			}
			p.handle(h)
		}
	}
}

func ended(err error) error {
	if errors.Is(err, errUnmounted) {
		return nil
	}
	return err
}

func (p *player) now() time.Duration { return time.Since(p.began) }

// step answers all requests that are due and returns the nanoseconds until the next event,
// negative when there is none.
func (p *player) step() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	for _, d := range p.model.Advance(now) {
		p.done(d)
	}
	next, ok := p.model.Next()
	if !ok {
		return -1
	}
	return max(0, int64(next-p.now()))
}

func (p *player) done(d Completion) {
	o := p.underWay[d.ID]
	o.simulated, o.at = true, d.At
	p.answerIfReady(o)
}

func (p *player) answerIfReady(o *operation) {
	if !o.simulated || o.loading {
		return
	}
	delete(p.underWay, o.unique)
	p.settle(o)
	p.answer(o)
	if !o.skipped {
		p.late.count(p.now()-o.at, o.at-o.since)
	}
}

func (l *Lateness) count(behind, span time.Duration) {
	l.Requests++
	l.Sum += behind
	l.Span += span
	l.Mean = l.Sum / time.Duration(l.Requests)
	l.Max = max(l.Max, behind)
	if behind > 100*time.Microsecond && behind > span/10 {
		l.Late++
	}
}

// submit hands an operation to the model.
func (p *player) submit(o *operation, r Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin(o, r)
}

// begin is submit for who holds mu.
func (p *player) begin(o *operation, r Request) {
	p.underWay[o.unique] = o
	if o.op == Flush {
		o.number = p.undo.mark()
	}
	if p.dead() {
		o.err = unix.EIO
		p.skip(o)
		return
	}
	if p.paused {
		p.tier.untimed(r)
		p.skip(o)
		return
	}
	o.since = p.now()
	p.order.note(r)
	p.model.Submit(o.since, o.unique, r)
	o.safe = o.op == Write && p.tier.absorbs()
}

// skip answers without simulated time.
func (p *player) skip(o *operation) {
	o.simulated, o.skipped = true, true
	p.answerIfReady(o)
}

// pause answers everything at once from now on; the medium is as it was
// switched on when it goes on.
func (p *player) pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused {
		return
	}
	p.paused = true
	for _, o := range p.underWay {
		p.skip(o)
	}
	p.undo.clear()
	p.restart()
	p.tier.settle()
}

// restart switches the medium off and on.
func (p *player) restart() {
	p.past = p.past.plus(p.model.Stats())
	if p.tier != nil {
		p.tier.restart(p.now())
		return
	}
	p.model = p.fresh()
}

func (p *player) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused = false
}

// status counts since the start, without what happened while paused.
func (p *player) status() Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Status{Paused: p.paused, TierLost: p.tier != nil && p.tier.lost, Failed: p.failed, Waiting: len(p.underWay), Stats: p.past.plus(p.model.Stats()), Lateness: p.late, Loss: p.loss}
}
