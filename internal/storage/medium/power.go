package medium

import (
	"errors"
	"math/rand/v2"

	"golang.org/x/sys/unix"
)

// cut cuts the power: outstanding requests fail, as does everything until powerOn, and some
// of the writes not covered by a completed flush are lost.
func (p *player) cut(seed uint64) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.off = true
	p.failAll()
	p.loss, err = p.undo.lose(p.image, rand.New(rand.NewPCG(seed, uint64(p.size))))
	return err
}

// failAll ends all outstanding requests with errors. The caller holds mu.
func (p *player) failAll() {
	for _, o := range p.underWay {
		o.err = unix.EIO
		p.skip(o)
	}
	p.restart()
}

// dead reports whether nothing can be read or written.
func (p *player) dead() bool { return p.off || p.failed }

// loseTier takes the tier away; when it was dirty the whole medium fails.
func (p *player) loseTier() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tier == nil || p.tier.lost {
		return errors.New("it has no tier")
	}
	if p.failed = p.tier.lose(p.now()); p.failed {
		p.failAll()
	}
	return nil
}

// restoreTier brings the tier back, with its contents at the time of the fault.
func (p *player) restoreTier() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tier == nil || !p.tier.lost {
		return errors.New("its tier is not lost")
	}
	p.tier.restore(p.failed)
	p.failed = false
	return nil
}

func (p *player) powerOn() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.off = false
}

// overwrites saves the data that a write is about to replace and returns the write's
// number. While latencies are not simulated nothing can be lost. The caller holds mu.
func (p *player) overwrites(at, length int64) (uint64, error) {
	if p.dead() {
		return 0, unix.EIO
	}
	if p.paused {
		return 0, nil
	}
	return p.undo.overwrites(p.image, at, length)
}

// settle notes the promise in the answer to an operation.
func (p *player) settle(o *operation) {
	switch {
	case o.err != 0:
	case o.op == Write && o.safe:
		p.undo.keep(o.number)
	case o.op == Write:
		p.undo.answer(o.number)
	case o.op == Flush:
		p.undo.flushed(o.number)
	}
}
