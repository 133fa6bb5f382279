// Package climittest has made-up systems that do work for an climit.Limit, in made-up time.
package climittest

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"time"

	"plimsoll/internal/campaign/climit"
)

// Beyond is what becomes of work that is more than a system takes at once.
type Beyond string

// Kinds of systems.
const (
	Waits   Beyond = "waits"   // until there is room, first come first served
	Refused Beyond = "refused" // and sent again after a while, until there is room
	Shared  Beyond = "shared"  // all of it gets an equal part
	Slows   Beyond = "slows"   // likewise, and the whole gets slower by the root of its excess
)

// System is one that takes so many pieces of work at once.
type System struct {
	Takes  int
	Beyond Beyond
	Work   time.Duration // that a piece takes alone, on average
	Noise  float64       // how it varies: standard deviation of its logarithm
	Again  time.Duration // until refused work is sent again
	Seed   uint64
}

// Run is how a system did some work.
type Run struct {
	Took    time.Duration
	Refused int
	Limits  []int // that held when each piece ended
}

// Do has the system do n pieces of work under a limit.
func (s System) Do(l *climit.Limit, n int) Run {
	w := &world{System: s, random: rand.New(rand.NewPCG(s.Seed, 1)), limit: l, left: n}
	l.Begin(start)
	for done := 0; done < n; {
		for w.left > 0 && w.underWay < l.Now() {
			w.left--
			w.underWay++
			w.arrive()
		}
		w.next()
		if w.ended {
			done++
			w.run.Limits = append(w.run.Limits, l.Now())
		}
	}
	w.run.Took = w.at
	return w.run
}

var start = time.Unix(0, 0)

// world is a system at work. Work in it ends in the order of its due times, which for equal
// parts are in work done for each instead of time.
type world struct {
	System
	random         *rand.Rand
	limit          *climit.Limit
	left, underWay int
	at             time.Duration
	each           float64 // work done for each that is shared with, s
	inside         times
	again          times // when refused work is sent again
	waiting        int
	pushed, ended  bool
	run            Run
}

// alone is how long the next piece of work takes, s.
func (w *world) alone() float64 {
	return w.Work.Seconds() * math.Exp(w.random.NormFloat64()*w.Noise-w.Noise*w.Noise/2)
}

func (w *world) shares() bool { return w.Beyond == Shared || w.Beyond == Slows }

func (w *world) arrive() {
	switch {
	case w.shares():
		heap.Push(&w.inside, w.each+w.alone())
	case len(w.inside) < w.Takes:
		heap.Push(&w.inside, w.at.Seconds()+w.alone())
	case w.Beyond == Refused:
		w.pushed = true
		w.run.Refused++
		heap.Push(&w.again, (w.at + w.Again).Seconds())
	default:
		w.waiting++
	}
}

// speed is how much work is done a second for each of those that share.
func (w *world) speed() float64 {
	n, k := float64(len(w.inside)), float64(w.Takes)
	if n <= k {
		return 1
	}
	if w.Beyond == Slows {
		return k / n * math.Sqrt(k/n)
	}
	return k / n
}

// next goes on to the next thing that happens.
func (w *world) next() {
	w.ended = false
	if len(w.again) > 0 && (len(w.inside) == 0 || w.again[0] < w.inside[0]) {
		w.at = seconds(heap.Pop(&w.again).(float64))
		w.arrive()
		return
	}
	due := heap.Pop(&w.inside).(float64)
	if w.shares() {
		heap.Push(&w.inside, due) // it is there until then
		w.at += seconds((due - w.each) / w.speed())
		w.each = heap.Pop(&w.inside).(float64)
	} else {
		w.at = seconds(due)
	}
	if w.waiting > 0 {
		w.waiting--
		w.arrive()
	}
	w.limit.Ended(start.Add(w.at), w.underWay, w.pushed)
	w.pushed, w.ended = false, true
	w.underWay--
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// times is a heap of due times, s.
type times []float64

func (t times) Len() int           { return len(t) }
func (t times) Less(a, b int) bool { return t[a] < t[b] }
func (t times) Swap(a, b int)      { t[a], t[b] = t[b], t[a] }
func (t *times) Push(x any)        { *t = append(*t, x.(float64)) }
func (t *times) Pop() any {
	last := len(*t) - 1
	x := (*t)[last]
	*t = (*t)[:last]
	return x
}
