package trial

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// live takes what drivers record and shows the watcher the numbers of the last
// seconds.
type live struct {
	t       *trial
	mu      sync.Mutex
	seconds map[int]*liveSecond
}

type liveSecond struct {
	count, bytes int64
	times        result.Times
}

// The shown numbers cover liveWindow whole seconds, or slowWindow where a unit of
// work takes so long that its rate is given per hour. A record is waited for until
// liveLag after the end of its second.
const (
	liveWindow = 5
	slowWindow = 60
	liveLag    = 1
)

func (t *trial) newLive() *live { return &live{t: t, seconds: map[int]*liveSecond{}} }

func (l *live) tick() {
	now := int(time.Since(l.t.result.Start).Seconds())
	l.forget(now)
	l.t.say(l.event(now))
}

// take takes a record; several drivers' at once.
func (l *live) take(line []byte) {
	var r result.Record
	if json.Unmarshal(line, &r) != nil {
		return
	}
	fed := r
	if r.Operation != "" {
		fed.Operation = study.Of(r.Member, r.Operation)
	}
	l.t.Watch.Feed().Record(fed)
	if r.Kind != result.KindOperation || !l.t.isWhole(r) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.seconds[r.Second]
	if s == nil {
		s = &liveSecond{}
		l.seconds[r.Second] = s
	}
	s.count += r.Count
	s.bytes += r.Bytes
	_ = s.times.Add(r.Histogram) // one that cannot be read is reported when all is summed
}

// isWhole reports whether a record is of its member's unit of work.
func (t *trial) isWhole(r result.Record) bool {
	return slices.ContainsFunc(t.members, func(m *member) bool {
		return m.Variant.Member == r.Member && m.result.Profile.Whole() == r.Operation
	})
}

// unit is what the numbers are in: what the only member counts, or whatever each does.
func (t *trial) unit() describe.Unit {
	if len(t.members) == 1 {
		return t.members[0].result.Profile.Unit
	}
	return describe.Unit{Name: "unit of work", Plural: "units of work", Throughput: "units/s", Seconds: 1}
}

// window is the seconds that the numbers cover at a time after the common start:
// from one up to, not including, another.
func (l *live) window(now int) (from, to int) {
	whole := liveWindow
	if l.t.unit().Seconds >= time.Hour.Seconds() {
		whole = slowWindow
	}
	to = max(0, now-liveLag)
	return max(0, to-whole), to
}

func (l *live) forget(now int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	from, _ := l.window(now)
	for second := range l.seconds {
		if second < from {
			delete(l.seconds, second)
		}
	}
}

func (l *live) event(now int) progress.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := progress.Event{Kind: progress.Live, Phase: l.t.phaseAt(now)}
	var count, bytes int64
	h := result.NewHistogram()
	from, to := l.window(now)
	for second := from; second < to; second++ {
		if s := l.seconds[second]; s != nil {
			count += s.count
			bytes += s.bytes
			s.times.AddTo(h)
		}
	}
	if to > from {
		u := l.t.unit()
		e.Throughput, e.Unit = u.Rate(count, bytes, time.Duration(to-from)*time.Second), u.Throughput
	}
	if h.TotalCount() > 0 {
		e.Mean, e.P95, e.P99 = result.Mean(h), result.Quantile(h, 0.95), result.Quantile(h, 0.99)
	}
	r := l.t.result
	whole := r.MeasureEnd.Sub(r.Start).Seconds()
	e.Share = min(1, float64(now)/whole)
	return e
}
