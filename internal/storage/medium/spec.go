// Package medium simulates a storage medium: a state machine in virtual time
// that says when each request is done (a rotating drive, a flash drive, a RAID
// set of either, a tier before any of them), and a process that plays it against the clock behind a block
// file served through FUSE. It takes a Config and gives a file named "disk"
// that loop devices can sit on.
package medium

import (
	"fmt"
	"time"

	"plimsoll/internal/text/unit"
)

// Spec is the physics of a medium. Exactly one of Rotational and Flash is set.
type Spec struct {
	Rotational *Rotational `json:"rotational,omitempty"`
	Flash      *Flash      `json:"flash,omitempty"`
	// RAID makes a set of such drives.
	RAID *RAID `json:"raid,omitempty"`
	// Tier caches all of that.
	Tier *Tier `json:"tier,omitempty"`
	// Lies acknowledges every flush at once without doing it.
	Lies bool `json:"lies,omitempty"`
}

// Rotational is a drive with one actuator.
type Rotational struct {
	RPM float64 `json:"rpm"`
	// A seek over the share d of the drive takes
	// SeekMin + (SeekMax-SeekMin)*sqrt(d): acceleration-bound, as measured by
	// Ruemmler and Wilkes, "An introduction to disk drive modeling", IEEE
	// Computer 27(3), 1994.
	SeekMin time.Duration `json:"seek_min"`
	SeekMax time.Duration `json:"seek_max"`
	// OuterRate and InnerRate are the sustained rates at the first and the
	// last byte, in bytes a second; between them the rate falls linearly.
	OuterRate float64 `json:"outer_rate"`
	InnerRate float64 `json:"inner_rate"`
	// Interface is the rate of the link and of the drive's own memory.
	Interface float64 `json:"interface"`
	// Overhead is the time of the electronics for each command.
	Overhead time.Duration `json:"overhead"`
	// Queue is how many waiting requests the drive chooses from, the one with
	// the shortest access first; 1 serves them as they come.
	Queue int `json:"queue"`
	// ReadAhead is how much the drive goes on reading after a read.
	ReadAhead int64 `json:"read_ahead"`
	Cache     Cache `json:"cache"`
}

// Cache holds writes that the medium has not got yet.
type Cache struct {
	Bytes int64 `json:"bytes"` // 0 for none: a write is done when it is on the medium
	// Protected reports whether it survives a power cut, so that a flush need not
	// drain it.
	Protected bool `json:"protected"`
}

// Flash is a solid-state drive: channels in parallel behind a cache.
type Flash struct {
	Channels int `json:"channels"`
	// Page is the unit that one channel reads or programs at once. A smaller write costs a
	// whole program.
	Page         int64         `json:"page"`
	ReadLatency  time.Duration `json:"read_latency"`  // of a page from its channel
	WriteLatency time.Duration `json:"write_latency"` // of a write into the cache
	Program      time.Duration `json:"program"`       // of a page on its channel
	Flush        time.Duration `json:"flush"`         // of a flush, besides draining
	ReadRate     float64       `json:"read_rate"`     // ceiling of the link, bytes a second
	WriteRate    float64       `json:"write_rate"`
	Cache        Cache         `json:"cache"`
	// FastBytes is how much can be written before programs become slow (the
	// write cliff); idle channels regain it. 0 is no cliff.
	FastBytes int64 `json:"fast_bytes,omitempty"`
	// SlowProgram is the time of a program past the cliff.
	SlowProgram time.Duration `json:"slow_program,omitempty"`
}

// RAID is how drives form a set. Parity costs time only: the data itself is in one linear
// image.
type RAID struct {
	Level  int   `json:"level"` // 0, 5, 6 or 10
	Drives int   `json:"drives"`
	Chunk  int64 `json:"chunk"`
	// Degraded is how many drives have failed.
	Degraded int `json:"degraded,omitempty"`
	// Cache is the controller's.
	Cache Cache `json:"cache"`
	// Groups makes a pool of so many equal sets, whose space is given out in
	// slices, in turns; 0 is one set.
	Groups int   `json:"groups,omitempty"`
	Slice  int64 `json:"slice,omitempty"` // bytes
}

// Actuators is how many requests the medium serves at once, without its tier.
func (s Spec) Actuators() int {
	n := 1
	if s.Flash != nil {
		n = s.Flash.Channels
	}
	if s.RAID != nil {
		n *= s.RAID.Drives - s.RAID.Degraded
	}
	return n
}

// Rates are the bytes/s that the medium reads and writes at most, one after the other,
// without its tier and its caches. The heads of rotating drives pass over the parity that
// is not read.
func (s Spec) Rates() (read, write float64) {
	if s.Rotational != nil {
		read, write = s.Rotational.OuterRate, s.Rotational.OuterRate
	}
	if f := s.Flash; f != nil {
		read, write = f.ReadRate, min(f.WriteRate, float64(int64(f.Channels)*f.Page)/f.Program.Seconds())
	}
	if s.RAID == nil {
		return read, write
	}
	groups := max(s.RAID.Groups, 1)
	set := *s.RAID
	set.Drives /= groups
	columns := int64(groups) * newLayout(set).columns
	reading := columns
	if s.Flash != nil || set.Level == 10 {
		reading = int64(s.RAID.Drives - s.RAID.Degraded)
	}
	return read * float64(reading), write * float64(columns)
}

// Text is one sentence for people.
func (s Spec) Text() string {
	text := ""
	switch {
	case s.Rotational != nil:
		text = fmt.Sprintf("a drive of %g rpm, seeks of %s to %s", s.Rotational.RPM, s.Rotational.SeekMin, s.Rotational.SeekMax)
	case s.Flash != nil:
		text = fmt.Sprintf("a flash drive of %d channels, reads in %s", s.Flash.Channels, s.Flash.ReadLatency)
	}
	if s.RAID != nil {
		text = fmt.Sprintf("%s, each %s", s.RAID.Text(), text)
	}
	if s.Tier != nil {
		text = fmt.Sprintf("%s, behind a %s cache of %s on a flash drive of %d channels",
			text, s.Tier.Mode(), unit.Bytes(s.Tier.Size), s.Tier.Flash.Channels)
	}
	return text
}

// Text names the set: RAID 5 of 9 drives.
func (r RAID) Text() string {
	if r.Groups > 0 {
		return fmt.Sprintf("a pool of %d RAID %d groups of %d drives", r.Groups, r.Level, r.Drives/r.Groups)
	}
	return fmt.Sprintf("RAID %d of %d drives", r.Level, r.Drives)
}
