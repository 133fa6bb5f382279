package medium

import (
	"fmt"
	"slices"
)

// mostStreams is how many streams of requests a medium follows at once: more than a laptop's
// servers have under way, and few enough that a random request seldom continues one by chance.
const mostStreams = 64

// order counts requests that are out of order: they do not begin where an earlier one ended. Several
// streams may be mixed, and reads and writes may take turns in one of them. A large request that
// arrives in pieces is one at most, as it is to who sent it whole.
type order struct {
	ends   []int64  // of streams, the one that went on last first
	random [2]int64 // by Op
}

// note counts a request. Flushes have no place.
func (o *order) note(r Request) {
	if r.Op == Flush {
		return
	}
	at := slices.Index(o.ends, r.Offset)
	if at < 0 {
		o.random[r.Op]++
		if len(o.ends) < mostStreams {
			o.ends = append(o.ends, 0)
		}
		at = len(o.ends) - 1 // the stream that has rested for longest is forgotten
	}
	copy(o.ends[1:at+1], o.ends[:at])
	o.ends[0] = r.end()
}

// text has the format of OrderFile.
func (o *order) text() string {
	return fmt.Sprintln(o.random[Read], o.random[Write])
}
