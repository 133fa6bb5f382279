package medium

import (
	"runtime"
	"sync"
	"time"
)

// player plays a model against the clock: a request that is handed in is done
// when the model says so. While it is paused everything is done at once.
type player struct {
	began time.Time
	alarm *alarm

	mu      sync.Mutex
	model   Model
	fresh   func() Model
	past    Stats // of models before the last pause
	paused  bool
	nextID  uint64
	waiting map[uint64]*ticket
	armed   time.Duration // when the alarm goes off
	late    Lateness
	tickets sync.Pool
}

// Lateness says how far the simulation fell behind its own times, because the
// machine was busy or the disk below the image slow.
type Lateness struct {
	Requests int64         `json:"requests"`
	Late     int64         `json:"late"` // by more than a tenth of their time and more than 100 us
	Mean     time.Duration `json:"mean"`
	Max      time.Duration `json:"max"`
	sum      time.Duration
}

// ticket stands for a request under way.
type ticket struct {
	since time.Duration
	at    time.Duration // when the model says it was done
	done  chan struct{}
}

// never is an alarm that is not set.
const never = time.Duration(1<<63 - 1)

func newPlayer(fresh func() Model) (*player, error) {
	a, err := newAlarm()
	if err != nil {
		return nil, err
	}
	p := &player{began: time.Now(), alarm: a, model: fresh(), fresh: fresh, waiting: map[uint64]*ticket{}, armed: never}
	p.tickets.New = func() any { return &ticket{done: make(chan struct{}, 1)} }
	return p, nil
}

// run serves the alarm for the life of the process.
func (p *player) run() {
	runtime.LockOSThread() // a thread of its own wakes soonest
	for p.alarm.wait() {
		p.mu.Lock()
		p.armed = never
		p.step(p.now())
		p.mu.Unlock()
	}
}

func (p *player) now() time.Duration { return time.Since(p.began) }

// submit hands a request to the model; nil means that it is done.
func (p *player) submit(r Request) *ticket {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused {
		return nil
	}
	p.nextID++
	t := p.tickets.Get().(*ticket)
	t.since = p.now()
	p.waiting[p.nextID] = t
	p.model.Submit(t.since, p.nextID, r)
	p.step(t.since)
	return t
}

// step completes what is due and sets the alarm for the next event.
func (p *player) step(now time.Duration) {
	for _, d := range p.model.Advance(now) {
		p.complete(d)
	}
	next, ok := p.model.Next()
	if ok && next < p.armed {
		p.armed = next
		p.alarm.set(next - now)
	}
}

func (p *player) complete(d Done) {
	t := p.waiting[d.ID]
	delete(p.waiting, d.ID)
	t.at = d.At
	t.done <- struct{}{}
}

// wait returns when the request is done.
func (p *player) wait(t *ticket) {
	if t == nil {
		return
	}
	<-t.done
	behind := p.now() - t.at
	span := t.at - t.since
	p.tickets.Put(t)
	p.mu.Lock()
	p.late.count(behind, span)
	p.mu.Unlock()
}

func (l *Lateness) count(behind, span time.Duration) {
	l.Requests++
	l.sum += behind
	l.Mean = l.sum / time.Duration(l.Requests)
	l.Max = max(l.Max, behind)
	if behind > 100*time.Microsecond && behind > span/10 {
		l.Late++
	}
}

// pause completes everything at once from now on; the medium is as it was
// switched on when it goes on.
func (p *player) pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused {
		return
	}
	p.paused = true
	now := p.now()
	for id := range p.waiting {
		p.complete(Done{ID: id, At: now})
	}
	p.past = p.past.plus(p.model.Stats())
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
	return Status{Paused: p.paused, Waiting: len(p.waiting), Stats: p.past.plus(p.model.Stats()), Lateness: p.late}
}
