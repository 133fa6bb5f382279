package blockio

import (
	"math"
	"testing"

	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload/mix"

	"pgregory.net/rapid"
)

func places1(t testing.TB, p *Parameters, from, to int64) *places {
	t.Helper()
	if wrong := p.Validate(); len(wrong) > 0 {
		t.Fatalf("%+v: %+v", p, wrong)
	}
	x, err := newPlaces(p, from, to, 1)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestPlacesStayInTheirRangeAndAligned(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := defaults()
		p.Access = rapid.SampledFrom([]string{accessRandom, accessSequential}).Draw(rt, "access")
		p.Distribution = rapid.SampledFrom([]string{"uniform", "zipfian:0.99", "zipfian:1.2", "pareto:0.2", "hotspot:90/10"}).Draw(rt, "distribution")
		p.Block = mix.Sizes{{Bytes: 4096, Weight: 80}, {Bytes: 65536, Weight: 20}}
		p.Alignment = unit.Bytes(rapid.SampledFrom([]int64{0, 512, 4096, 65536}).Draw(rt, "alignment"))
		unit := p.unit()
		blocks := rapid.Int64Range(65536/unit, 1<<20).Draw(rt, "blocks")
		from := rapid.Int64Range(0, 1000).Draw(rt, "from") * 128
		x := places1(t, p, from, from+blocks)
		for range 200 {
			i := x.next()
			bytes := p.Block[i.size].Bytes
			if i.block < from || i.block+i.count > from+blocks || i.count*unit != bytes {
				rt.Fatalf("%+v is outside %d..%d", i, from, from+blocks)
			}
			if (i.block-from)*unit%p.align(bytes) != 0 {
				rt.Fatalf("%+v is not aligned to %d", i, p.align(bytes))
			}
		}
	})
}

func TestSharesOfReadsAndSizes(t *testing.T) {
	p := defaults()
	p.Read, p.Block = 70, mix.Sizes{{Bytes: 4096, Weight: 80}, {Bytes: 65536, Weight: 20}}
	x := places1(t, p, 0, 1<<16)
	const draws = 100_000
	reads, small := 0.0, 0.0
	for range draws {
		i := x.next()
		if i.read {
			reads++
		}
		if i.size == 0 {
			small++
		}
	}
	for name, c := range map[string][2]float64{"reads": {reads / draws, 0.7}, "small ones": {small / draws, 0.8}} {
		if math.Abs(c[0]-c[1]) > 5*math.Sqrt(c[1]*(1-c[1])/draws) {
			t.Errorf("%v of the I/Os are %s, want %v", c[0], name, c[1])
		}
	}
}

func TestStreamFollowsItself(t *testing.T) {
	p := defaults()
	p.Access, p.Block = accessSequential, mix.Sizes{{Bytes: 1 << 20, Weight: 1}}
	x := places1(t, p, 8, 8+5)
	for i := range 12 {
		if got, want := x.next().block, int64(8+i%5); got != want {
			t.Fatalf("I/O %d goes to block %d, want %d", i, got, want)
		}
	}
}

func TestWorkersShareTheSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workers := rapid.IntRange(1, 20).Draw(t, "workers")
		step := rapid.Int64Range(1, 64).Draw(t, "step")
		blocks := rapid.Int64Range(0, 1<<40).Draw(t, "blocks")
		end := int64(0)
		for w := range workers {
			from, to := share(blocks, step, w, workers)
			if from != end || to < from || from%step != 0 {
				t.Fatalf("worker %d has %d..%d after %d", w, from, to, end)
			}
			end = to
		}
		if end != blocks {
			t.Fatalf("the last ends at %d of %d", end, blocks)
		}
	})
}

func BenchmarkPlace(b *testing.B) {
	x := places1(b, defaults(), 0, 1<<18)
	for b.Loop() {
		x.next()
	}
}
