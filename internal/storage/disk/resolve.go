package disk

import (
	"time"

	"plimsoll/internal/storage/medium"
	"plimsoll/internal/text/unit"
)

// specification is the parameters completed by the medium's figures.
type specification struct {
	name    string
	tier    string // the name of its tier's medium, if it has one
	spec    medium.Spec
	size    int64
	fs      fileSystem
	options string
	image   string
	ahead   int64 // of the kernel; 0 is its default
	rated   medium.Rate

	// Of a flash drive, where they are set; else 0.
	readRate, writeRate medium.Rate
	channels            int
}

// resolve overlays the parameters on the medium's defaults.
func (p *Parameters) resolve() specification {
	base := media()[p.Media]
	r := specification{
		name: p.Media, spec: base.spec, size: base.size,
		fs: fileSystemFor(p.FileSystem, fileSystem.lacks), options: or(p.MountOptions, "noatime"), image: or(p.Image, imageFile),
		ahead: int64(p.KernelReadAhead), rated: p.Rated,
	}
	if p.Size > 0 {
		r.size = int64(p.Size)
	}
	r.spec.Lies = p.Lies
	r.spec.RAID = p.RAID.spec()
	r.spec.Tier, r.tier = p.Tier.spec()
	if r.spec.Rotational != nil {
		p.overlayRotational(r.spec.Rotational)
	}
	if r.spec.Flash != nil {
		p.overlayFlash(r.spec.Flash)
		r.readRate, r.writeRate, r.channels = p.ReadRate, p.WriteRate, p.Channels
	}
	return r
}

func (p *Parameters) overlayRotational(s *medium.Rotational) {
	set(&s.RPM, p.RPM)
	setSpan(&s.SeekMin, p.SeekMin)
	setSpan(&s.SeekMax, p.SeekMax)
	if p.Rate > 0 {
		s.OuterRate, s.InnerRate = float64(p.Rate), float64(p.Rate)/2
	}
	set(&s.InnerRate, float64(p.InnerRate))
	set(&s.Interface, float64(p.Interface))
	setSpan(&s.Overhead, p.Overhead)
	set(&s.Queue, p.Queue)
	setSize(&s.ReadAhead, p.ReadAhead)
	p.overlayCache(&s.Cache)
}

func (p *Parameters) overlayFlash(s *medium.Flash) {
	set(&s.Channels, p.Channels)
	set(&s.Page, int64(p.Page))
	setSpan(&s.ReadLatency, p.ReadLatency)
	setSpan(&s.WriteLatency, p.WriteLatency)
	setSpan(&s.Program, p.Program)
	setSpan(&s.Flush, p.Flush)
	set(&s.ReadRate, float64(p.ReadRate))
	set(&s.WriteRate, float64(p.WriteRate))
	set(&s.FastBytes, int64(p.FastBytes))
	s.SlowProgram = 8 * s.Program // the default depth of the cliff
	setSpan(&s.SlowProgram, p.SlowProgram)
	p.overlayCache(&s.Cache)
}

func (p *Parameters) overlayCache(c *medium.Cache) {
	// A RAID controller with its own cache disables the drives' caches, since it cannot
	// vouch for them.
	if p.RAID != nil && p.RAID.Cache > 0 && c.Bytes > 0 && !c.Protected {
		c.Bytes = 0
	}
	setSize(&c.Bytes, p.WriteCache)
	if p.Protected != nil {
		c.Protected = *p.Protected
	}
}

func (r *RAID) spec() *medium.RAID {
	if r == nil {
		return nil
	}
	spec := &medium.RAID{
		Level: r.Level, Drives: r.Drives, Chunk: or(int64(r.Chunk), 64<<10), Degraded: r.Degraded,
		Cache: medium.Cache{Bytes: int64(r.Cache), Protected: r.Protected},
	}
	if r.Groups > 0 {
		spec.Groups, spec.Slice = r.Groups, or(int64(r.Slice), 256<<20)
	}
	return spec
}

func (t *Tier) spec() (spec *medium.Tier, name string) {
	if t == nil {
		return nil, ""
	}
	size := int64(t.Size)
	name = or(t.Media, "nvme")
	spec = &medium.Tier{
		Size: size, Block: or(int64(t.Block), 64<<10), WriteThrough: t.WritesThrough(), Visits: or(t.Visits, 2),
		DirtyStart: size / 100 * int64(or(t.DirtyStart, 10)), DirtyLimit: size / 100 * int64(or(t.DirtyLimit, 70)),
		WriteBack: float64(t.WriteBack),
	}
	if flash := media()[name].spec.Flash; flash != nil {
		spec.Flash = *flash
	}
	return spec, name
}

func set[T int | int64 | float64](to *T, value T) {
	if value > 0 {
		*to = value
	}
}

func setSpan(to *time.Duration, value *unit.Duration) {
	if value != nil {
		*to = value.D()
	}
}

func setSize(to *int64, value *unit.Bytes) {
	if value != nil {
		*to = int64(*value)
	}
}

func or[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}
