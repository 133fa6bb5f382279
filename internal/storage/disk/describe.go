package disk

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"plimsoll/internal/describe"
	"plimsoll/internal/host/mounts"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/medium"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/text/words"
)

// Describe describes the simulated medium.
func (c *class) Describe() describe.Storage {
	d := describe.Storage{
		Class: "disk", Media: c.r.media(), MediaKind: c.r.mediaKind(), Simulated: true, Protection: protection(c.r.spec),
		FileSystem: c.r.fs.name, Reflink: c.r.fs.reflink, Durable: !c.r.spec.Lies,
		Options: c.r.figures(), Drives: c.r.drives(), Rated: c.r.ratedRate(),
	}
	d.Text = fmt.Sprintf("A simulated medium: %s, with %s on it.", c.r.spec.Text(), c.r.fs.name)
	if space, err := mounts.SpaceOf(c.fsMount()); err == nil {
		d.Capacity, d.Free = space.Capacity, space.Free
	}
	// The image is sparse: the file system below it may be smaller.
	if below, err := mounts.SpaceOf(c.imageDir); err == nil {
		d.Free = min(d.Free, below.Free)
	}
	d.Notes, d.Hints = c.notes(), c.r.hints()
	return d
}

// media names the medium with its tier.
func (r specification) media() string {
	if r.tier == "" {
		return r.name
	}
	return r.name + " behind a simulated cache on " + r.tier
}

// drives is the number of drives that the medium stands for, not counting its cache's.
func (r specification) drives() int {
	if r.spec.RAID == nil {
		return 1
	}
	return r.spec.RAID.Drives
}

// ratedRate is a drive's rate according to its maker, who names its best: for a rotating
// one the rate of the outer tracks.
func (r specification) ratedRate() int64 {
	if r.rated == 0 && r.spec.Rotational != nil {
		return int64(r.spec.Rotational.OuterRate)
	}
	return int64(r.rated)
}

// mediaKind is the kind of the drive.
func (r specification) mediaKind() string {
	switch {
	case r.spec.Rotational != nil:
		return describe.HardDisk
	case r.name == "nvme":
		return describe.NVMe
	}
	return describe.SolidState
}

// hints name a higher rate where the study sets one that the medium comes to, or else more
// channels where it sets these, since a faster medium would have the same; and else the next
// faster medium.
func (r specification) hints() (all []describe.Hint) {
	for _, set := range []struct {
		rate, parameter string
		at              medium.Rate
	}{{describe.Reads, "read_rate", r.readRate}, {describe.Writes, "write_rate", r.writeRate}} {
		if set.at > 0 {
			all = append(all, describe.Hint{Resource: "device", Rate: set.rate, Parameter: set.parameter, From: exactly(set.at), To: exactly(2 * set.at)})
		}
	}
	if r.channels > 0 {
		all = append(all, describe.Hint{Resource: "device", Parameter: "channels", From: strconv.Itoa(r.channels), To: strconv.Itoa(2 * r.channels)})
	}
	return append(all, Faster(r.name)...)
}

// exactly writes a rate as a study has it.
func exactly(r medium.Rate) string {
	size := unit.Bytes(r)
	if text, err := size.MarshalText(); err == nil {
		return string(text) + "/s"
	}
	return r.String()
}

// Faster hints at the medium that comes after one, where there is one.
func Faster(media string) []describe.Hint {
	next := map[string]string{"hdd-7200": "ssd-sas", "ssd-sas": "nvme"}[media]
	if next == "" {
		return nil
	}
	return []describe.Hint{{Resource: "device", Parameter: "media", From: media, To: next}}
}

func (c *class) notes() []string {
	notes := []string{
		"The medium is simulated: its timing follows a model, but only while instances run. Volumes are created, cloned and deleted at full speed.",
	}
	if c.r.spec.RAID != nil {
		notes = append(notes, "Parity and reconstruction are simulated in timing only; the data is stored once, in one image.")
	}
	if t := c.r.spec.Tier; t != nil {
		notes = append(notes, "The tier is simulated too, and warm: it keeps what was read, and in write-back mode written, while volumes were prepared, as far as that fits.")
	}
	if c.r.spec.Lies {
		notes = append(notes, "The medium lies: it acknowledges flushes without doing them.")
	}
	return notes
}

func protection(s medium.Spec) string {
	if s.RAID == nil {
		return "none"
	}
	text := s.RAID.Text()
	if s.RAID.Degraded > 0 {
		text += fmt.Sprintf(", %d failed", s.RAID.Degraded)
	}
	return text
}

// figures are the settings that matter to results.
func (r specification) figures() map[string]string {
	f := map[string]string{"media": r.name, "size": unit.Bytes(r.size).String(), "mount options": r.options, "image": r.image}
	if r.ahead > 0 {
		f["kernel read-ahead"] = unit.Bytes(r.ahead).String()
	}
	if s := r.spec.Rotational; s != nil {
		f["rpm"] = fmt.Sprintf("%g", s.RPM)
		f["seek"] = fmt.Sprintf("%s to %s", s.SeekMin, s.SeekMax)
		f["rate"] = fmt.Sprintf("%s to %s", medium.Rate(s.OuterRate), medium.Rate(s.InnerRate))
		f["queue"] = fmt.Sprintf("%d", s.Queue)
		f["write cache"] = cacheText(s.Cache)
	}
	if s := r.spec.Flash; s != nil {
		f["channels"] = fmt.Sprintf("%d of pages of %s", s.Channels, unit.Bytes(s.Page))
		f["read"] = fmt.Sprintf("%s, up to %s", s.ReadLatency, medium.Rate(s.ReadRate))
		f["write"] = fmt.Sprintf("%s, programs in %s, up to %s", s.WriteLatency, s.Program, medium.Rate(s.WriteRate))
		f["flush"] = s.Flush.String()
		f["write cache"] = cacheText(s.Cache)
		if s.FastBytes > 0 {
			f["write cliff"] = fmt.Sprintf("after %s programs take %s", unit.Bytes(s.FastBytes), s.SlowProgram)
		}
	}
	if s := r.spec.RAID; s != nil {
		if s.Groups > 0 {
			f["pool"] = fmt.Sprintf("%d groups, slices of %s", s.Groups, unit.Bytes(s.Slice))
		}
		f["raid"] = fmt.Sprintf("level %d, %d drives, %d failed, chunks of %s", s.Level, s.Drives, s.Degraded, unit.Bytes(s.Chunk))
		f["controller cache"] = cacheText(s.Cache)
	}
	if s := r.spec.Tier; s != nil {
		f["tier"] = fmt.Sprintf("%s, %s, %s, blocks of %s", r.tier, unit.Bytes(s.Size), s.Mode(), unit.Bytes(s.Block))
		f["tier admits"] = fmt.Sprintf("a block at its read number %d", s.Visits)
	}
	if s := r.spec.Tier; s != nil && !s.WriteThrough {
		f["tier writes back"] = fmt.Sprintf("from %s dirty, at most %s", unit.Bytes(s.DirtyStart), unit.Bytes(s.DirtyLimit))
		if s.WriteBack > 0 {
			f["tier writes back"] += fmt.Sprintf(", %s in the background", medium.Rate(s.WriteBack))
		}
	}
	return f
}

func cacheText(c medium.Cache) string {
	switch {
	case c.Bytes == 0:
		return "none"
	case c.Protected:
		return unit.Bytes(c.Bytes).String() + ", protected"
	}
	return unit.Bytes(c.Bytes).String() + ", volatile"
}

// Devices names the loop device with the number of actuators it stands for. With a tier the
// two media are devices too, counted by the medium's process.
func (c *class) Devices() []describe.Device {
	loop, behind := filepath.Base(c.loop), c.r.spec.Actuators()
	read, write := c.r.spec.Rates()
	file := func(name string) string { return filepath.Join(c.mediumMount(), name) }
	whole := describe.Device{Name: loop, Role: "data", Actuators: behind, ReadRate: read, WriteRate: write, Order: file(medium.OrderFile)}
	tier := c.r.spec.Tier
	if tier == nil {
		return []describe.Device{whole}
	}
	whole.Actuators, whole.ReadRate, whole.WriteRate = behind+tier.Flash.Channels, 0, 0
	cacheRead, cacheWrite := medium.Spec{Flash: &tier.Flash}.Rates()
	return []describe.Device{
		whole,
		{Name: loop + "-tier", Role: describe.RoleTier, Actuators: tier.Flash.Channels, ReadRate: cacheRead, WriteRate: cacheWrite, Media: c.r.tier, Stat: file(medium.TierStat), Order: file(medium.TierOrder)},
		{Name: loop + "-slow", Role: describe.RoleBehindTier, Actuators: behind, ReadRate: read, WriteRate: write, Media: c.r.name, Stat: file(medium.SlowStat), Order: file(medium.SlowOrder)},
	}
}

// Nodes name the process that plays the medium: it stands for hardware and not
// for a server, but the processor time that it takes must not be taken for a
// neighbour's.
func (c *class) Nodes() []storage.Node {
	p, _, err := c.ready()
	if err != nil {
		return nil
	}
	return []storage.Node{{Name: "medium-" + c.name, PIDs: []int{p.pid}}}
}

// Doubts says when the simulation fell behind its own times since the last
// Settle.
func (c *class) Doubts(context.Context) []storage.Doubt {
	p, _, err := c.ready()
	if err != nil {
		return nil
	}
	now, err := p.status()
	if err != nil {
		return []storage.Doubt{{Said: words.Say("the simulated medium does not answer: %s", err)}}
	}
	c.mu.Lock()
	before := c.settled.Lateness
	c.mu.Unlock()
	return doubts(before, now.Lateness)
}

// A medium is in doubt when a sufficient number of requests took a twentieth longer in
// total than its model predicts. One request in eleven that is a tenth late changes no
// figure.
const (
	mostBehind    = 0.05
	fewestToDoubt = 50
)

func doubts(before, now medium.Lateness) []storage.Doubt {
	requests, behind, span := now.Requests-before.Requests, now.Sum-before.Sum, now.Span-before.Span
	if requests < fewestToDoubt || float64(behind) <= mostBehind*float64(span) {
		return nil
	}
	return []storage.Doubt{{Lost: behind, Said: words.Say(
		"the simulated medium was late for %.0f %% of %d requests, and took %.0f %% longer in all than it should: the machine was too busy, or its disk too slow",
		100*float64(now.Late-before.Late)/float64(requests), requests, 100*float64(behind)/float64(span))}}
}
