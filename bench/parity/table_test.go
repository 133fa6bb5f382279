package main

import (
	"context"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"plimsoll/test/quick"
)

func TestRatioOf(t *testing.T) {
	// Log ratios ln 2, ln 2, ln 2: no spread.
	r := ratioOf([]float64{2, 4, 8}, []float64{1, 2, 4})
	if math.Abs(r.mean-2) > 1e-9 || math.Abs(r.low-2) > 1e-9 || math.Abs(r.high-2) > 1e-9 {
		t.Errorf("got %+v", r)
	}
	// Log ratios -0.1 and 0.1: mean 0, standard error 0.1, t(0.975, 1) = 12.706.
	r = ratioOf([]float64{math.Exp(-0.1), math.Exp(0.1)}, []float64{1, 1})
	if math.Abs(r.mean-1) > 1e-9 || math.Abs(math.Log(r.high)-1.2706) > 1e-3 {
		t.Errorf("got %+v", r)
	}
}

func TestVerdict(t *testing.T) {
	throughput, p95, cpu := measures()[0], measures()[2], measures()[4]
	for _, tt := range []struct {
		m    measure
		r    ratio
		want string
	}{
		{throughput, ratio{0.96, 0.9, 1}, ""},
		{throughput, ratio{0.94, 0.9, 0.98}, "?"},
		{throughput, ratio{0.9, 0.88, 0.94}, "!"},
		{throughput, ratio{1.3, 1.2, 1.4}, ""},
		{p95, ratio{1.04, 1, 1.2}, ""},
		{p95, ratio{1.1, 1.06, 1.2}, "!"},
		{p95, ratio{1.1, 1.02, 1.2}, "?"},
		{cpu, ratio{1.02, 0.99, 1.05}, "?"},
		{cpu, ratio{1.02, 1.01, 1.05}, "!"},
		{cpu, ratio{0.8, 0.7, 0.9}, ""},
	} {
		bound, ok := comparison{bound: 0.05}.boundOf(tt.m)
		if got := tt.m.verdict(tt.r, bound); got != tt.want || !ok {
			t.Errorf("%s of %+v: %q, want %q", tt.m.name, tt.r, got, tt.want)
		}
	}
}

func TestBounds(t *testing.T) {
	for _, tt := range []struct {
		c    comparison
		want string
	}{
		{comparison{}, "throughput p50 p95 p99 CPU "},
		{comparison{rateOnly: true}, "throughput CPU "},
		{comparison{cpuOnly: true}, "CPU "},
	} {
		got := ""
		for _, m := range measures() {
			if _, ok := tt.c.boundOf(m); ok {
				got += m.name + " "
			}
		}
		if got != tt.want {
			t.Errorf("%+v bounds %q, want %q", tt.c, got, tt.want)
		}
	}
}

// Tables of generators with a known difference, of 24 rows each.
func TestWhatCountsAsOutOfBounds(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, tt := range []struct {
		name         string
		speed, noise float64 // of ours to the peer's; standard deviation of a turn's logarithm
		least, most  float64 // share of the tables in which something is out
	}{
		{"equal ones pass", 1, 0.05, 0, 0.02},
		{"at the bound, seldom one is out", 0.95, 0.05, 0, 0.1},
		{"a halving is found", 0.5, 0.1, 1, 1},
		{"and 15 %", 0.85, 0.02, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			const tables, rows = 300, 24
			out := 0
			for range tables {
				made := newTable(io.Discard, io.Discard, settings{pairs: 5})
				for range rows {
					if err := made.compare(context.Background(), madeUp(random, tt.speed, tt.noise)); err != nil {
						t.Fatal(err)
					}
				}
				if made.end() != nil {
					out++
				}
			}
			if share := float64(out) / tables; share < tt.least || share > tt.most {
				t.Errorf("something is out in %.3f of the tables, want %g to %g", share, tt.least, tt.most)
			}
		})
	}
}

// madeUp is a comparison of generators whose turns vary by chance alone.
func madeUp(random *rand.Rand, speed, noise float64) comparison {
	turn := func(speed float64) func(context.Context) (sample, error) {
		return func(context.Context) (sample, error) {
			vary := func(mean float64) float64 { return mean * math.Exp(noise*random.NormFloat64()) }
			return sample{throughput: vary(speed), p50: vary(1 / speed), p95: vary(1 / speed), p99: vary(1 / speed), cpu: vary(1)}, nil
		}
	}
	return comparison{bound: 0.05, cpu: 0.15, own: turn(speed), peer: turn(1)}
}
