package campaign

import (
	"context"
	"sync"
	"time"

	"plimsoll/internal/campaign/climit"
	"plimsoll/internal/platform"
)

// limits holds, for each kind of step, how many instances the campaign works on at once. On a
// platform with several machines it learns these numbers and keeps them for the whole campaign.
type limits struct {
	machines int // of the platform; 0 is one machine that everything shares

	mu      sync.Mutex
	learned map[string]*climit.Limit
	most    map[string]int // that were under way at once when it was done last
}

// limit returns the limit for one kind of step. The limit starts at first and may grow to first for
// each machine; on a platform that is one shared machine it stays at first.
func (l *limits) limit(what string, first int) *climit.Limit {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.machines == 0 {
		return climit.Fixed(first)
	}
	if l.learned == nil {
		l.learned = map[string]*climit.Limit{}
	}
	if l.learned[what] == nil {
		l.learned[what] = climit.New(first, first*l.machines)
	}
	return l.learned[what]
}

// manyAtOnce does something n times, at first so many at once. The first error cancels the
// rest.
func (c *Campaign) manyAtOnce(ctx context.Context, what string, first, n int, do func(context.Context, int) error) error {
	refused := platform.CapabilitiesOf(c.platform).Refused
	most, err := climit.Each(ctx, c.limits.limit(what, first), n, refused, do)
	c.limits.mu.Lock()
	defer c.limits.mu.Unlock()
	if c.limits.most == nil {
		c.limits.most = map[string]int{}
	}
	c.limits.most[what] = most
	return err
}

// mostAtOnce is how many were under way at once when something was done last.
func (c *Campaign) mostAtOnce(what string) int {
	c.limits.mu.Lock()
	defer c.limits.mu.Unlock()
	return c.limits.most[what]
}

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
	e := Event{Kind: Stage, Text: d.what, CountOf: d.total}
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
