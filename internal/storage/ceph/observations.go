package ceph

import (
	"sync"
	"time"

	"plimsoll/internal/storage"
)

// observations are the cluster's last known status, and the changes since they were last
// collected.
type observations struct {
	mu        sync.Mutex
	unwell    bool // a fault or an OSD reported trouble, and no status since has been healthy
	last      status
	at        time.Time // of last
	matter    map[string]int
	scrubbing map[string]bool    // by OSD
	recovered map[string]float64 // how many objects, by OSD, at the last answer
	changes   []storage.Event
}

// disturbed notes that something was done to the cluster.
func (s *observations) disturbed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unwell = true
}

func (s *observations) isUnwell() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unwell
}

// latest is the last status, and whether it is fresh.
func (s *observations) latest() (status, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last, !s.at.IsZero() && time.Since(s.at) < askedEvery
}

// status notes a status of a cluster with so many OSDs. trusted is whether the manager has
// had the time to notice the last action.
func (s *observations) status(now status, osds int, trusted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	matter := now.matter()
	if text := now.text(s.matter, matter); text != "" {
		s.happened(text)
	}
	s.last, s.at, s.matter = now, time.Now(), matter
	if clean := now.clean(osds); !clean {
		s.unwell = true
	} else if trusted {
		s.unwell = false
	}
}

// scrubs notes whether an OSD leads a scrub.
func (s *observations) scrubs(osd string, is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scrubbing == nil {
		s.scrubbing = map[string]bool{}
	}
	if was := s.scrubbing[osd]; was != is {
		s.happened(osd + map[bool]string{true: " scrubs", false: " scrubs no more"}[is])
	}
	s.scrubbing[osd] = is
}

// recoveries notes that an OSD recovers objects without anybody having done something.
func (s *observations) recoveries(osd string, all []storage.Count) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.recovered == nil {
		s.recovered = map[string]float64{}
	}
	for _, c := range all {
		if c.Metric != "recoveries" {
			continue
		}
		if was, known := s.recovered[osd]; known && c.Value > was {
			s.unwell = true
		}
		s.recovered[osd] = c.Value
	}
}

// happened needs the lock.
func (s *observations) happened(text string) {
	s.changes = append(s.changes, storage.Event{At: time.Now(), Text: text})
}

// Happened lists what changed since it was last asked.
func (p *Pool) Happened() []storage.Event {
	p.seen.mu.Lock()
	defer p.seen.mu.Unlock()
	all := p.seen.changes
	p.seen.changes = nil
	return all
}
