package campaign

import (
	"encoding/json"
	"time"

	"plimsoll/internal/result"
)

// live reads the drivers' streams while they are written and tells the
// watcher the numbers of the last seconds.
type live struct {
	t         *trial
	followers []*follower
	seconds   map[int]*liveSecond
}

type liveSecond struct {
	phase      result.Phase
	count      int64
	bytes      int64
	histograms []string
}

// liveWindow is how many whole seconds the shown numbers cover.
const liveWindow = 5

func (t *trial) newLive() *live {
	l := &live{t: t, seconds: map[int]*liveSecond{}}
	for _, d := range t.drivers {
		l.followers = append(l.followers, &follower{path: d.job.Records})
	}
	return l
}

func (l *live) tick() {
	for _, f := range l.followers {
		for _, line := range f.lines() {
			l.take(line)
		}
	}
	now := int(time.Since(l.t.result.Start).Seconds())
	l.forget(now)
	l.t.say(l.event(now))
}

func (l *live) take(line []byte) {
	var r result.Record
	if json.Unmarshal(line, &r) != nil || r.Kind != result.KindOperation || r.Operation != l.t.result.Profile.Whole() {
		return
	}
	s := l.seconds[r.Second]
	if s == nil {
		s = &liveSecond{phase: r.Phase}
		l.seconds[r.Second] = s
	}
	s.count += r.Count
	s.bytes += r.Bytes
	s.histograms = append(s.histograms, r.Histogram)
}

func (l *live) forget(now int) {
	for second := range l.seconds {
		if second < now-liveWindow-1 {
			delete(l.seconds, second)
		}
	}
}

func (l *live) event(now int) Event {
	e := Event{Kind: Live, Phase: l.t.phaseAt(now)}
	var count, bytes int64
	var histograms []string
	for _, s := range l.seconds {
		count += s.count
		bytes += s.bytes
		histograms = append(histograms, s.histograms...)
	}
	if n := len(l.seconds); n > 0 {
		e.setRate(l.t.result.Profile.Unit, count, bytes, time.Duration(n)*time.Second)
	}
	if h, err := result.MergeHistograms(histograms...); err == nil && h.TotalCount() > 0 {
		e.Mean, e.P95 = h.Mean()/1e6, float64(h.ValueAtQuantile(95))/1e6
	}
	r := l.t.result
	whole := r.MeasureEnd.Sub(r.Start).Seconds()
	e.Share = min(1, float64(now)/whole)
	return e
}

// phaseAt names the phase of a second after the common start.
func (t *trial) phaseAt(second int) string {
	at := float64(second)
	switch {
	case at < t.result.RampSeconds:
		return string(result.Ramp)
	case at < t.result.RampSeconds+t.result.WarmupSeconds:
		return string(result.Warmup)
	}
	return string(result.Measure)
}
