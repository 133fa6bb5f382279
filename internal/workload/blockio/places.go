package blockio

import (
	"math/rand/v2"

	"plimsoll/internal/workload/distribution"
	"plimsoll/internal/workload/mix"
)

// place is what one I/O is about: so many blocks (of Parameters.unit bytes)
// from one on.
type place struct {
	read  bool
	size  int // number in the mix
	block int64
	count int64
}

// places draws the I/Os of one worker within its range.
type places struct {
	random     *rand.Rand
	readShare  float64 // 0..1
	mix        mix.Sizes
	unit       int64
	from       int64   // first block of the range
	spots      []spots // by size of the mix
	sequential bool    // each I/O begins where the one before it ended
	at, blocks int64   // of a stream; blocks of the range
}

// spots are the places where I/Os of one size may begin.
type spots struct {
	count, step int64 // blocks
	ranks       distribution.Ranks
	scatter     distribution.Scatter
	scattered   bool
}

// newPlaces takes the range of a worker in blocks. Every size of the mix has
// room in it.
func newPlaces(p *Parameters, from, to int64, seed uint64) (*places, error) {
	ranks, err := p.distribution()
	if err != nil {
		return nil, err
	}
	x := &places{
		random: rand.New(rand.NewPCG(seed, 0xb10c)), readShare: p.Read / 100, mix: p.Block, unit: p.unit(),
		from: from, blocks: to - from, sequential: p.Access == accessSequential,
	}
	for _, w := range p.Block {
		s := spots{step: p.align(w.Bytes) / x.unit, count: w.Bytes / x.unit}
		n := (x.blocks-s.count)/s.step + 1
		s.ranks = ranks(n)
		// Scatter the popular places, except for a hot spot.
		switch s.ranks.(type) {
		case distribution.Zipf, distribution.Pareto:
			s.scatter, s.scattered = distribution.NewScatter(n, seed), true
		}
		x.spots = append(x.spots, s)
	}
	return x, nil
}

// next draws an I/O.
func (x *places) next() place {
	p := place{size: x.mix.Draw(x.random)}
	p.read = x.readShare == 1 || x.readShare > 0 && x.random.Float64() < x.readShare
	p.count = x.spots[p.size].count
	x.move(&p)
	return p
}

// move draws another place for an I/O.
func (x *places) move(p *place) {
	s := &x.spots[p.size]
	if x.sequential {
		p.block = x.from + x.follow(s)
		return
	}
	rank := s.ranks.Next(x.random)
	if s.scattered {
		rank = s.scatter.Place(rank)
	}
	p.block = x.from + rank*s.step
}

// follow returns the place after the one before, from the start again where the
// range ends.
func (x *places) follow(s *spots) int64 {
	at := (x.at + s.step - 1) / s.step * s.step
	if at+s.count > x.blocks {
		at = 0
	}
	x.at = at + s.count
	return at
}

// share cuts a space of blocks into equal ranges, one for each of so many
// workers, that begin at multiples of a step.
func share(blocks, step int64, worker, workers int) (from, to int64) {
	cut := func(i int) int64 { return blocks * int64(i) / int64(workers) / step * step }
	if worker == workers-1 {
		return cut(worker), blocks
	}
	return cut(worker), cut(worker + 1)
}
