package disk

import (
	"reflect"
	"slices"
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/study"
)

// Places for the data of a medium.
const (
	imageFile   = "file"
	imageMemory = "memory"
)

// smallest is the least size that file systems and RAID sets work with.
const smallest = 512 << 20

// mostReadAhead is more than any memory has to spare for one reader.
const mostReadAhead = 1 << 30

// Keys that only one sort of medium has.
var (
	rotatingKeys = []string{"rpm", "seek_min", "seek_max", "rate", "inner_rate", "interface", "overhead", "queue", "read_ahead"}
	flashKeys    = []string{"channels", "page", "read_latency", "write_latency", "program", "flush", "read_rate", "write_rate", "fast_bytes", "slow_program"}
)

func (p *Parameters) validate() []describe.Problem {
	var bad describe.Problems
	base, known := media()[p.Media]
	bad.Unless(known, "media", "unknown medium %q; choose one of %s", p.Media, strings.Join(mediaNames(), ", "))
	bad.Unless(oneOf(p.FileSystem, append(fileSystemNames(), "")...), "file_system", "%q is not one of %s", p.FileSystem, strings.Join(fileSystemNames(), ", "))
	bad.Unless(oneOf(p.Image, "", imageFile, imageMemory), "image", "%q is neither %s nor %s", p.Image, imageFile, imageMemory)
	elsewhere := study.Elsewhere(p.MountOptions)
	bad.Unless(elsewhere == "", "mount_options", "%q is neither this disk's nor a number: root mounts with these options, and a study may not name files or devices of the machine", elsewhere)
	if !known {
		return bad
	}
	wrong, sort := flashKeys, "flash medium"
	if base.spec.Flash != nil {
		wrong, sort = rotatingKeys, "rotating medium"
	}
	for _, key := range p.given(wrong) {
		bad.Unless(false, key, "only a %s has it; %s is not one", sort, p.Media)
	}
	r := p.resolve()
	bad.Unless(r.size >= smallest, "size", "%s is less than 512MiB, too little for a file system", p.Size)
	r.validateRotational(&bad)
	r.validateFlash(&bad)
	bad.Unless(r.ahead >= 0 && r.ahead <= mostReadAhead, "kernel_read_ahead", "%s is not between 4KiB and 1GiB", p.KernelReadAhead)
	p.RAID.validate(&bad)
	p.Tier.validate(&bad)
	bad.Unless(p.Tier == nil || !p.Lies, "lies", "a medium behind a tier cannot lie: whether the tier or the medium does is not clear")
	return bad
}

func (r specification) validateRotational(bad *describe.Problems) {
	s := r.spec.Rotational
	if s == nil {
		return
	}
	bad.Unless(s.RPM >= 100 && s.RPM <= 100_000, "rpm", "%g is not between 100 and 100000", s.RPM)
	bad.Unless(s.SeekMax >= s.SeekMin, "seek_max", "%s is less than seek_min, %s", s.SeekMax, s.SeekMin)
	bad.Unless(s.InnerRate <= s.OuterRate, "inner_rate", "must not be above rate: inner tracks hold less than outer ones")
	bad.Unless(s.Queue >= 1, "queue", "%d is less than 1", s.Queue)
}

func (r specification) validateFlash(bad *describe.Problems) {
	s := r.spec.Flash
	if s == nil {
		return
	}
	bad.Unless(s.Channels >= 1 && s.Channels <= 4096, "channels", "%d is not between 1 and 4096", s.Channels)
	bad.Unless(s.Page >= 4096 && s.Page%4096 == 0, "page", "%d is not a multiple of 4KiB", s.Page)
	bad.Unless(s.Cache.Bytes >= s.Page, "write_cache", "must be at least one page (%d bytes): a flash drive programs pages from its cache", s.Page)
	bad.Unless(s.Program > 0, "program", "it cannot be 0")
	bad.Unless(s.SlowProgram >= s.Program, "slow_program", "%s is less than program, %s", s.SlowProgram, s.Program)
}

// fewestDrives by level.
func fewestDrives() map[int]int { return map[int]int{0: 2, 5: 3, 6: 4, 10: 4} }

func (r *RAID) validate(bad *describe.Problems) {
	if r == nil {
		return
	}
	fewest, known := fewestDrives()[r.Level]
	bad.Unless(known, "raid.level", "must be 0, 5, 6 or 10, got %d", r.Level)
	bad.Unless(r.Drives >= fewest && r.Drives <= 256, "raid.drives", "RAID %d needs %d to 256 drives, got %d", r.Level, fewest, r.Drives)
	bad.Unless(r.Level != 10 || r.Drives%2 == 0, "raid.drives", "RAID 10 needs an even number of drives, got %d", r.Drives)
	bad.Unless(r.Chunk == 0 || r.Chunk >= 4096 && r.Chunk%4096 == 0, "raid.chunk", "%s is not a multiple of 4KiB", r.Chunk)
	r.validatePool(bad, fewest)
	survives := map[int]int{5: 1, 6: 2, 10: r.Drives / 2}[r.Level] * max(1, r.Groups)
	if r.Level == 10 {
		survives = r.Drives / 2
	}
	bad.Unless(r.Degraded >= 0 && r.Degraded <= survives, "raid.degraded",
		"RAID %d of %d drives survives the loss of at most %d, got %d", r.Level, r.Drives, survives, r.Degraded)
}

func (r *RAID) validatePool(bad *describe.Problems, fewest int) {
	bad.Unless(r.Groups >= 0, "raid.groups", "must be 1 or more, got %d", r.Groups)
	if r.Groups <= 0 {
		bad.Unless(r.Slice == 0, "raid.slice", "only a pool has it: give raid.groups as well")
		return
	}
	each := r.Drives / r.Groups
	bad.Unless(r.Drives%r.Groups == 0 && each >= fewest && (r.Level != 10 || each%2 == 0), "raid.groups",
		"%d drives do not make %d equal groups of RAID %d, which needs at least %d drives each", r.Drives, r.Groups, r.Level, fewest)
	bad.Unless(r.Slice == 0 || r.Slice >= 1<<20 && r.Slice%4096 == 0, "raid.slice", "%s is less than 1MiB or no multiple of 4KiB", r.Slice)
}

// Modes of a tier.
const (
	writeBack    = "write-back"
	writeThrough = "write-through"
)

// WritesThrough reports whether nothing is ever on the tier alone.
func (t *Tier) WritesThrough() bool { return t.Mode == writeThrough }

func (t *Tier) validate(bad *describe.Problems) {
	if t == nil {
		return
	}
	spec, name := t.spec()
	bad.Unless(media()[name].spec.Flash != nil, "tier.media", "%q is no flash medium; choose nvme or ssd-sas", t.Media)
	bad.Unless(oneOf(t.Mode, "", writeBack, writeThrough), "tier.mode", "%q is neither %s nor %s", t.Mode, writeBack, writeThrough)
	bad.Unless(spec.Block >= 4<<10 && spec.Block <= 256<<10 && spec.Block&(spec.Block-1) == 0, "tier.block",
		"%s is not a power of two from 4KiB to 256KiB", t.Block)
	bad.Unless(spec.Size >= 1<<20, "tier.size", "%s is less than 1MiB", t.Size)
	bad.Unless(spec.Visits == 1 || spec.Visits == 2, "tier.visits", "%d is neither 1 nor 2", t.Visits)
	bad.Unless(percent(t.DirtyStart), "tier.dirty_start", "%d is not a percentage from 1 to 100", t.DirtyStart)
	bad.Unless(percent(t.DirtyLimit), "tier.dirty_limit", "%d is not a percentage from 1 to 100", t.DirtyLimit)
	bad.Unless(spec.DirtyStart <= spec.DirtyLimit, "tier.dirty_start", "writing back cannot begin above dirty_limit")
	bad.Unless(t.WriteBack >= 0, "tier.write_back", "a rate must not be negative")
	bad.Unless(!t.WritesThrough() || t.DirtyStart == 0 && t.DirtyLimit == 0 && t.WriteBack == 0, "tier.mode",
		"nothing is dirty in mode %s: leave dirty_start, dirty_limit and write_back out", writeThrough)
}

// percent reports whether a share can be one; 0 is the default.
func percent(n int) bool { return n >= 0 && n <= 100 }

// given lists which of some keys are set.
func (p *Parameters) given(keys []string) []string {
	var set []string
	v := reflect.ValueOf(*p)
	for i := range v.NumField() {
		key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		if slices.Contains(keys, key) && !v.Field(i).IsZero() {
			set = append(set, key)
		}
	}
	return set
}

func oneOf(s string, allowed ...string) bool { return slices.Contains(allowed, s) }
