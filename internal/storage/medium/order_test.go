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

func TestRequestsInOrder(t *testing.T) {
	writes := func(int) Op { return Write }
	for name, c := range map[string]struct {
		requests []Request
		read     [2]int64 // all, and those in order
		written  [2]int64
	}{
		"one stream":         {requests: streamsOf(1, 100, 4096, writes), written: [2]int64{100, 99}},
		"streams take turns": {requests: streamsOf(mostStreams, 100, 65536, writes), written: [2]int64{6400, 6336}},
		"too many streams":   {requests: streamsOf(mostStreams+1, 100, 4096, writes), written: [2]int64{6500, 0}},
		"reads and writes of one stream": {
			requests: streamsOf(1, 100, 4096, func(i int) Op { return Op(i % 2) }),
			read:     [2]int64{50, 49}, written: [2]int64{50, 50},
		},
		"backwards":  {requests: []Request{{Write, 8192, 4096}, {Write, 4096, 4096}, {Write, 0, 4096}}, written: [2]int64{3, 0}},
		"with a gap": {requests: []Request{{Read, 0, 4096}, {Read, 4608, 4096}, {Read, 8704, 4096}}, read: [2]int64{3, 1}},
		"flushes between": {
			requests: []Request{{Write, 0, 4096}, {Op: Flush}, {Write, 4096, 4096}, {Op: Flush}}, written: [2]int64{2, 1},
		},
		"again at the same place": {requests: []Request{{Write, 4096, 4096}, {Write, 4096, 4096}}, written: [2]int64{2, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			o := noted(c.requests)
			got := [2][2]int64{{o.all[Read], o.inOrder[Read]}, {o.all[Write], o.inOrder[Write]}}
			if want := [2][2]int64{c.read, c.written}; got != want {
				t.Errorf("reads and writes, and those in order: %v, want %v", got, want)
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
	if o.inOrder[Write] > n/1000 {
		t.Errorf("%d of %d random writes are in order", o.inOrder[Write], n)
	}
	if o.inOrder[Read] != n-1 {
		t.Errorf("%d of %d reads of a stream are in order", o.inOrder[Read], n)
	}
}
