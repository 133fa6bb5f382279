package medium

import (
	"math/rand/v2"
	"testing"
)

// streamsOf are requests of so many streams that take turns, each of n requests of a length.
func streamsOf(streams, n int, length int64, op func(i int) Op) (all []Request) {
	for i := range n {
		for s := range streams {
			all = append(all, Request{Op: op(i), Offset: int64(s)<<32 + int64(i)*length, Length: length})
		}
	}
	return all
}

func noted(all []Request) *order {
	o := &order{}
	for _, r := range all {
		o.note(r)
	}
	return o
}

func TestRequestsOutOfOrder(t *testing.T) {
	writes := func(int) Op { return Write }
	for name, c := range map[string]struct {
		requests []Request
		want     [2]int64 // reads and writes that begin elsewhere
	}{
		"one stream":                     {streamsOf(1, 100, 4096, writes), [2]int64{0, 1}},
		"streams take turns":             {streamsOf(mostStreams, 100, 65536, writes), [2]int64{0, mostStreams}},
		"too many streams":               {streamsOf(mostStreams+1, 100, 4096, writes), [2]int64{0, 100 * (mostStreams + 1)}},
		"reads and writes of one stream": {streamsOf(1, 100, 4096, func(i int) Op { return Op(i % 2) }), [2]int64{1, 0}},
		"backwards":                      {[]Request{{Write, 8192, 4096}, {Write, 4096, 4096}, {Write, 0, 4096}}, [2]int64{0, 3}},
		"with a gap":                     {[]Request{{Read, 0, 4096}, {Read, 4608, 4096}, {Read, 8704, 4096}}, [2]int64{2, 0}},
		"flushes between":                {[]Request{{Write, 0, 4096}, {Op: Flush}, {Write, 4096, 4096}, {Op: Flush}}, [2]int64{0, 1}},
		"again at the same place":        {[]Request{{Write, 4096, 4096}, {Write, 4096, 4096}}, [2]int64{0, 2}},
		"two large ones in pieces":       {[]Request{{Write, 1 << 30, largestTransfer}, {Write, 1<<30 + largestTransfer, largestTransfer}, {Write, 0, largestTransfer}, {Write, largestTransfer, largestTransfer}}, [2]int64{0, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			o := noted(c.requests)
			if o.random != c.want {
				t.Errorf("%v reads and writes are out of order, want %v", o.random, c.want)
			}
			if len(o.ends) > mostStreams {
				t.Errorf("%d streams are followed", len(o.ends))
			}
		})
	}
}

// Random requests seldom begin where an earlier one ended, and a stream among them is still seen.
func TestRandomRequestsAreNotInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const length, places, n = 16384, 1 << 20, 20000
	o, stream := &order{}, int64(places)*length
	for range n {
		o.note(Request{Op: Write, Offset: random.Int64N(places) * length, Length: length})
		o.note(Request{Op: Read, Offset: stream, Length: length})
		stream += length
	}
	if o.random[Write] < n-n/1000 {
		t.Errorf("%d of %d random writes are out of order", o.random[Write], n)
	}
	if o.random[Read] != 1 {
		t.Errorf("%d reads of a stream are out of order, want the first", o.random[Read])
	}
}
