package metrics

import (
	"strconv"
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// bounds are the upper ends of the buckets of response times in seconds: five to a
// decade, from 10 us to 100 s.
var bounds = []float64{
	1e-5, 1.6e-5, 2.5e-5, 4e-5, 6.3e-5, 1e-4, 1.6e-4, 2.5e-4, 4e-4, 6.3e-4,
	.001, .0016, .0025, .004, .0063, .01, .016, .025, .04, .063,
	.1, .16, .25, .4, .63, 1, 1.6, 2.5, 4, 6.3, 10, 16, 25, 40, 63, 100,
}

// mostClasses bounds the classes of errors that are told apart; the others are "other".
const mostClasses = 30

// trial is what was counted of one.
type trial struct {
	id      string
	labels  []string                 // variant, rung, repetition
	profile describe.Profile         // of an only member
	units   map[string]describe.Unit // by the operation that is a member's unit of work
	counts  map[[2]string]*count     // by phase and operation
	classes map[string]bool
	drivers map[string]*driver
	seconds map[string]float64 // of CPU, by driver
}

type count struct {
	done, rolledBack, bytes int64
	errors                  map[string]int64
	buckets                 []uint64 // not cumulative; the last is beyond all bounds
	sum                     float64  // seconds
}

// driver is what one said last.
type driver struct {
	users   int
	backlog int64
	late    map[int]float64 // by second
}

// newTrial has all series of the trial begin at zero, so that nothing of their
// increase is missed.
func newTrial(t result.Tile) *trial {
	rung := strconv.Itoa(t.Rung)
	if t.Alone != "" {
		rung = plan.AlonePrefix + t.Alone
	}
	made := &trial{
		id: t.ID, labels: []string{t.Variant.Name, rung, strconv.Itoa(t.Repetition)},
		units: map[string]describe.Unit{}, counts: map[[2]string]*count{}, classes: map[string]bool{},
		drivers: map[string]*driver{}, seconds: map[string]float64{},
	}
	for _, m := range t.Members {
		made.units[study.Of(m.Name, m.Profile.Whole())] = m.Profile.Unit
		for _, operation := range m.Profile.Operations {
			for _, phase := range []result.Phase{result.Warmup, result.Measure} {
				made.count(phase, study.Of(m.Name, operation))
			}
		}
	}
	if len(t.Members) == 1 {
		made.profile = t.Members[0].Profile
	}
	return made
}

func (t *trial) count(phase result.Phase, operation string) *count {
	key := [2]string{string(phase), operation}
	c := t.counts[key]
	if c == nil {
		c = &count{errors: map[string]int64{}, buckets: make([]uint64, len(bounds)+1)}
		t.counts[key] = c
	}
	return c
}

func (t *trial) take(r result.Record) {
	switch r.Kind {
	case result.KindOperation:
		c := t.count(r.Phase, r.Operation)
		c.done, c.rolledBack, c.bytes = c.done+r.Count, c.rolledBack+r.RolledBack, c.bytes+r.Bytes
		for class, n := range r.Errors {
			c.errors[t.class(class)] += n
		}
		c.add(r.Histogram)
	case result.KindDriver:
		t.takeDriver(r)
	}
}

// class gives a label that is bounded in length and number.
func (t *trial) class(name string) string {
	name = strings.ToValidUTF8(name, "?")
	if t.classes[name] {
		return name
	}
	if len(t.classes) >= mostClasses || len(name) > 80 {
		return "other"
	}
	t.classes[name] = true
	return name
}

// add counts the response times of a histogram. One that cannot be read is for the
// result to report.
func (c *count) add(encoded string) {
	at := 0
	_ = result.EachBucket(encoded, func(seconds float64, count int64) {
		for at < len(bounds) && seconds > bounds[at] {
			at++
		}
		c.buckets[at] += uint64(count)
		c.sum += seconds * float64(count)
	})
}

// lateWindow is how many seconds back the largest lateness is looked for, so that a
// scrape every 15 s misses none.
const lateWindow = 15

func (t *trial) takeDriver(r result.Record) {
	d := t.drivers[r.Driver]
	if d == nil {
		d = &driver{late: map[int]float64{}}
		t.drivers[r.Driver] = d
	}
	d.users, d.backlog = r.Users, r.Backlog
	d.late[r.Second] = r.LateMax
	for second := range d.late {
		if second <= r.Second-lateWindow {
			delete(d.late, second)
		}
	}
	t.seconds[r.Driver] += r.CPUUser + r.CPUSystem
}

func (d *driver) latest() (worst float64) {
	for _, late := range d.late {
		worst = max(worst, late)
	}
	return worst
}
