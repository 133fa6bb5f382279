package medium

import "time"

// Op is the operation of a request.
type Op uint8

// The requests that a medium knows.
const (
	Read Op = iota
	Write
	Flush
)

// Request is one command to the medium. A Flush has no place or length.
type Request struct {
	Op     Op
	Offset int64
	Length int64
}

func (r Request) end() int64 { return r.Offset + r.Length }

// Completion is the time at which a request completed. All times are virtual: they
// count from when the medium was switched on.
type Completion struct {
	ID uint64
	At time.Duration
}

// Model is a medium in virtual time: its answers depend only on the calls it receives.
// Times must not go backwards. It is not safe for concurrent use.
type Model interface {
	// Submit hands a request over. IDs are chosen by the caller and must be
	// unique among those under way.
	Submit(now time.Duration, id uint64, r Request)
	// Next is when something happens next; false when nothing is under way.
	Next() (time.Duration, bool)
	// Advance lets time pass and gives what was completed, in order.
	Advance(now time.Duration) []Completion
	// Stats counts since the start.
	Stats() Stats
}

// Stats count a medium's work.
type Stats struct {
	Reads      int64         `json:"reads"`
	Writes     int64         `json:"writes"`
	Flushes    int64         `json:"flushes"`
	ReadBytes  int64         `json:"read_bytes"`
	WriteBytes int64         `json:"write_bytes"`
	CacheHits  int64         `json:"cache_hits"` // reads answered by the drive's memory
	Stalls     int64         `json:"stalls"`     // writes that found the cache full
	Busy       time.Duration `json:"busy"`       // of all actuators or channels together
	// Accesses are the times that an actuator moved to a place, or that a
	// channel read or programmed a page; Seek, Rotation and Transfer are what
	// actuators spent on them.
	Accesses int64         `json:"accesses"`
	Seek     time.Duration `json:"seek"`
	Rotation time.Duration `json:"rotation"`
	Transfer time.Duration `json:"transfer"`
	// Of a tier: reads that it answered alone, and those that it could not; writes
	// that passed it by since too much of it was dirty; bytes that were copied to
	// it, that were written back, and that are dirty now.
	TierHits    int64 `json:"tier_hits,omitempty"`
	TierMisses  int64 `json:"tier_misses,omitempty"`
	Bypassed    int64 `json:"bypassed,omitempty"`
	Promoted    int64 `json:"promoted,omitempty"`
	WrittenBack int64 `json:"written_back,omitempty"`
	Dirty       int64 `json:"dirty,omitempty"`
}

// addWork adds the work of a member's actuators or channels.
func (s *Stats) addWork(m Stats) {
	s.Busy += m.Busy
	s.Accesses += m.Accesses
	s.Seek += m.Seek
	s.Rotation += m.Rotation
	s.Transfer += m.Transfer
}

func (s *Stats) count(r Request) {
	switch r.Op {
	case Read:
		s.Reads++
		s.ReadBytes += r.Length
	case Write:
		s.Writes++
		s.WriteBytes += r.Length
	case Flush:
		s.Flushes++
	}
}

// plus adds a later count.
func (s Stats) plus(o Stats) Stats {
	return Stats{
		Reads: s.Reads + o.Reads, Writes: s.Writes + o.Writes, Flushes: s.Flushes + o.Flushes,
		ReadBytes: s.ReadBytes + o.ReadBytes, WriteBytes: s.WriteBytes + o.WriteBytes,
		CacheHits: s.CacheHits + o.CacheHits, Stalls: s.Stalls + o.Stalls,
		Busy: s.Busy + o.Busy, Accesses: s.Accesses + o.Accesses,
		Seek: s.Seek + o.Seek, Rotation: s.Rotation + o.Rotation, Transfer: s.Transfer + o.Transfer,
		TierHits: s.TierHits + o.TierHits, TierMisses: s.TierMisses + o.TierMisses, Bypassed: s.Bypassed + o.Bypassed,
		Promoted: s.Promoted + o.Promoted, WrittenBack: s.WrittenBack + o.WrittenBack, Dirty: o.Dirty,
	}
}

// New makes the model of a spec. Size is the capacity in bytes.
func New(s Spec, size int64) Model {
	var m Model
	switch {
	case s.Tier != nil:
		behind := s
		behind.Tier = nil
		m = newTier(*s.Tier, func() (fast, slow Model) { return newFlash(s.Tier.Flash), New(behind, size) })
	case s.RAID != nil && s.RAID.Groups > 0:
		m = newPool(*s.RAID, memberSpec(s), size)
	case s.RAID != nil:
		m = newArray(*s.RAID, memberSpec(s), size)
	case s.Rotational != nil:
		m = newDrive(*s.Rotational, size)
	default:
		m = newFlash(*s.Flash)
	}
	if s.Lies && s.Tier == nil {
		return &liar{Model: m}
	}
	return m
}

// liar acknowledges flushes at once.
type liar struct {
	Model
	pending []Completion
	flushes int64
}

func (l *liar) Submit(now time.Duration, id uint64, r Request) {
	if r.Op != Flush {
		l.Model.Submit(now, id, r)
		return
	}
	l.flushes++
	l.pending = append(l.pending, Completion{ID: id, At: now})
}

func (l *liar) Next() (time.Duration, bool) {
	if len(l.pending) > 0 {
		return l.pending[0].At, true
	}
	return l.Model.Next()
}

func (l *liar) Advance(now time.Duration) []Completion {
	done := append(l.pending, l.Model.Advance(now)...)
	l.pending = nil
	return done
}

func (l *liar) Stats() Stats {
	s := l.Model.Stats()
	s.Flushes += l.flushes
	return s
}
