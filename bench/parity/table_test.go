package main

import (
	"math"
	"testing"
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
