package trial

import (
	"sync"
	"time"

	"plimsoll/internal/campaign/progress"
)

// batch is something that is done for many instances, as far as it is.
type batch struct {
	t     *trial
	what  string
	total int

	mu    sync.Mutex
	done  int
	marks []mark // each time it was shown
}

type mark struct {
	done int
	at   time.Time
}

func (t *trial) newBatch(what string, of int) *batch {
	return &batch{t: t, what: what, total: of, marks: []mark{{0, time.Now()}}}
}

// did shows the watcher that one more is done.
func (d *batch) did() {
	e := progress.Event{Kind: progress.Stage, Text: d.what, CountOf: d.total}
	d.mu.Lock()
	d.done++
	e.Count = d.done
	shown := telling(d.done, d.total)
	if shown {
		e.Share, e.StageLeft = float64(d.done)/float64(d.total), d.left(time.Now())
	}
	d.mu.Unlock()
	if shown {
		d.t.say(e)
	}
}

// left estimates the time for the remaining items from the pace of the later half of the finished
// ones, because fewer may have been under way at first. The caller holds mu.
func (d *batch) left(at time.Time) time.Duration {
	half := d.marks[0]
	for _, m := range d.marks {
		if m.done <= d.done/2 {
			half = m
		}
	}
	d.marks = append(d.marks, mark{d.done, at})
	return time.Duration(float64(d.total-d.done) / float64(d.done-half.done) * float64(at.Sub(half.at)))
}
