package training

import (
	"math"
	"sort"
	"testing"
	"time"
)

// medium is a made-up one that moves so many bytes a second and serves whoever asked first, in
// made-up time.
type medium struct {
	rate float64
	free time.Time
}

// load is when something has been moved that was asked for at a moment.
func (m *medium) load(asked time.Time, bytes float64) time.Time {
	if asked.After(m.free) {
		m.free = asked
	}
	m.free = m.free.Add(time.Duration(bytes / m.rate * float64(time.Second)))
	return m.free
}

// fed is an accelerator in made-up time, with the moments at which its batches are loaded.
type fed struct {
	clock
	medium *medium
	loaded []time.Time // that are loaded ahead, or will be
	waits  bool        // for the others
}

// utilisation plays accelerators on media, which they have in turn, and gives the share of the time in which they
// computed, after a warm-up. Together, each waits for all others after each batch.
func utilisation(accelerators, ahead int, together bool, rates []float64, bytes float64, compute, warmup, measure time.Duration) float64 {
	start := time.Unix(0, 0)
	var media []medium
	for _, rate := range rates {
		media = append(media, medium{rate: rate, free: start})
	}
	all := make([]fed, accelerators)
	for i := range all {
		all[i].free, all[i].medium = start, &media[i%len(media)]
	}
	for range ahead {
		for i := range all {
			all[i].loaded = append(all[i].loaded, all[i].medium.load(start, bytes))
		}
	}
	from, to := start.Add(warmup), start.Add(warmup+measure)
	computed := time.Duration(0)
	waiting, last := []*fed{}, start
	for {
		a := earliest(all)
		begin, end := a.step(a.loaded[0], compute)
		if begin.After(to) {
			return computed.Seconds() / (measure.Seconds() * float64(accelerators))
		}
		if end.After(from) && !end.After(to) {
			computed += compute
		}
		a.loaded = append(a.loaded[1:], a.medium.load(begin, bytes)) // into the place of the one that was taken
		if !together {
			continue
		}
		if end.After(last) {
			last = end
		}
		if waiting, a.waits = append(waiting, a), true; len(waiting) == accelerators {
			for _, w := range waiting {
				w.free, w.waits = last, false
			}
			waiting = waiting[:0]
		}
	}
}

// earliest is the accelerator that takes its next batch first.
func earliest(all []fed) *fed {
	var first *fed
	var at time.Time
	for i := range all {
		if all[i].waits {
			continue
		}
		begin := all[i].free
		if all[i].loaded[0].After(begin) {
			begin = all[i].loaded[0]
		}
		if first == nil || begin.Before(at) {
			first, at = &all[i], begin
		}
	}
	return first
}

// A medium of rate R feeds R·C/B accelerators which compute for C on batches of B bytes; at a
// utilisation of u, as many more as that is less than all of the time. That they wait for each other
// changes nothing, where the medium serves all alike.
func TestLoadLineIsArithmetic(t *testing.T) {
	const least = 0.9
	for _, c := range []struct {
		rate, bytes float64
		compute     time.Duration
		ahead       int
	}{
		{3e9, 7 * 146_600_628, 323 * time.Millisecond, 8},
		{50e9, 7 * 146_600_628, 323 * time.Millisecond, 8},
		{20e9, 400 * 114_660, 224 * time.Millisecond, 16},
		{40e9, 2_828_486, 3500 * time.Microsecond, 8},
		{500e6, 7 * 1_466_006, 323 * time.Millisecond, 1},
	} {
		want := c.rate * c.compute.Seconds() / c.bytes
		for _, together := range []bool{false, true} {
			computing := func(accelerators int) float64 {
				return utilisation(accelerators, c.ahead, together, []float64{c.rate}, c.bytes, c.compute, 50*c.compute, 200*c.compute)
			}
			for _, share := range []float64{0.5, 0.9, 1.2, 2} {
				n := max(1, int(math.Round(share*want)))
				got, exact := computing(n), min(1, want/float64(n))
				if c.ahead > 1 && math.Abs(got-exact) > 0.05*exact {
					t.Errorf("%+v, together %t: %d accelerators compute for %.3f of the time, want %.3f", c, together, n, got, exact)
				}
				if got > exact*1.05 {
					t.Errorf("%+v, together %t: %d accelerators compute for %.3f of the time, of which %.3f can be fed", c, together, n, got, exact)
				}
			}
			line := sort.Search(int(2*want)+2, func(more int) bool { return computing(more+1) < least })
			if exact := want / least; c.ahead > 1 && math.Abs(float64(line)-exact) > max(1, 0.05*exact) {
				t.Errorf("%+v, together %t: the line is %d accelerators, want %.1f", c, together, line, exact)
			}
		}
	}
}

// Accelerators that wait for each other are all as slow as the one that is served worst.
func TestTheSlowestOfAStep(t *testing.T) {
	const bytes, compute, need = 1e6, 100 * time.Millisecond, 1e7 // bytes/s
	rates := []float64{10 * need, 2 * need, need / 2, 3 * need}
	for together, want := range map[bool]float64{false: 3.5 / 4, true: 0.5} {
		if got := utilisation(4, 4, together, rates, bytes, compute, 50*compute, 200*compute); math.Abs(got-want) > 0.05*want {
			t.Errorf("together %t: they compute for %.3f of the time, want %.3f", together, got, want)
		}
	}
}

// An accelerator computes as long as it is to, whenever who plays it wakes, and the time in which
// nobody plays it is none of its own.
func TestClock(t *testing.T) {
	at := func(ms int) time.Time { return time.Unix(0, 0).Add(time.Duration(ms) * time.Millisecond) }
	var c clock
	c.enter(at(10))
	if begin, end := c.step(at(15), 10*time.Millisecond); begin != at(15) || end != at(25) {
		t.Errorf("first from %v to %v", begin, end)
	}
	c.leave(at(28)) // 3 ms late
	c.enter(at(28))
	if begin, end := c.step(at(20), 10*time.Millisecond); begin != at(25) || end != at(35) {
		t.Errorf("second from %v to %v", begin, end)
	}
	c.leave(at(35))
	c.enter(at(135))
	if begin, _ := c.step(at(30), 10*time.Millisecond); begin != at(135) {
		t.Errorf("after a pause it begins at %v", begin)
	}
}
