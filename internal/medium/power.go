package medium

import (
	"math/rand/v2"

	"golang.org/x/sys/unix"
)

// cut cuts the power: what is under way fails, as does everything until
// powerOn, and a part of what no completed flush covers is lost.
func (p *player) cut(seed uint64) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.off = true
	for _, o := range p.underWay {
		o.err = unix.EIO
		p.skip(o)
	}
	p.restart()
	p.loss, err = p.unflushed.lose(p.image, rand.New(rand.NewPCG(seed, uint64(p.size))))
	return err
}

func (p *player) powerOn() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.off = false
}

// overwrites keeps what a write is about to replace and gives its number. While
// the times are not simulated nothing can be lost. The caller holds mu.
func (p *player) overwrites(at, length int64) (uint64, error) {
	if p.off {
		return 0, unix.EIO
	}
	if p.paused {
		return 0, nil
	}
	return p.unflushed.overwrites(p.image, at, length)
}

// settle notes what the answer to an operation promises.
func (p *player) settle(o *operation) {
	switch {
	case o.err != 0:
	case o.op == Write:
		p.unflushed.answer(o.number)
	case o.op == Flush:
		p.unflushed.flushed(o.number)
	}
}
