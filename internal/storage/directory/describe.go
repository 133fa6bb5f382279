package directory

import (
	"fmt"
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/host/mounts"
)

// Describe describes the storage behind the directory.
func (c *class) Describe() describe.Storage {
	d := describe.Storage{
		Class: "directory", Media: c.media(), Protection: "none",
		FileSystem: c.mount.Type, Durable: !c.mount.InMemory(), Reflink: c.reflink, Drives: c.p.Drives, Rated: int64(c.p.Rated),
		Options: map[string]string{
			"path": c.p.Path, "mount": c.mount.Point, "source": c.mount.Source,
			"mount options": strings.Join(c.mount.Options, ","),
		},
	}
	if c.tier != nil {
		d.Options["tier"] = c.tier.String()
		d.Media += " behind " + c.tier.kind
	}
	if space, err := mounts.SpaceOf(c.home); err == nil {
		d.Capacity, d.Free = space.Capacity, space.Free
	}
	d.Text, d.MediaKind = c.text(), describe.MediaKindIn(d.Media)
	if c.mount.InMemory() {
		d.Notes = append(d.Notes, "The volumes are in memory: flushes are free and nothing survives a power cut. The results are an upper bound, not those of a disk.")
	}
	return d
}

func (c *class) text() string {
	if c.mount.InMemory() {
		return fmt.Sprintf("A directory in memory (%s at %s).", c.mount.Type, c.mount.Point)
	}
	behind := c.mount.Source
	if names := c.mount.Devices(); len(names) > 0 {
		behind = strings.Join(names, ", ")
	}
	return fmt.Sprintf("A directory on %s at %s, on %s.", c.mount.Type, c.mount.Point, behind)
}

// media names the medium as far as the kernel knows it.
func (c *class) media() string {
	if c.mount.InMemory() {
		return "memory"
	}
	names := c.mount.Devices()
	if len(names) == 0 {
		return c.mount.Type
	}
	switch last := names[len(names)-1]; {
	case mounts.Virtual(last):
		return "virtual disk"
	case mounts.Rotates(last):
		return "rotating disk"
	}
	return "flash"
}
