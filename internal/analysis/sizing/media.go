package sizing

import (
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
)

// mediaSpeed ranks kinds of media, the slowest first.
var mediaSpeed = map[string]int{describe.HardDisk: 1, describe.SolidState: 2, describe.NVMe: 3, describe.Memory: 4}

// mediaNames are the kinds in words.
var mediaNames = map[string]string{
	describe.HardDisk: say.F("hard disks"), describe.SolidState: say.F("solid-state drives"), describe.NVMe: say.F("NVMe drives"), describe.Memory: say.F("memory"),
}

// slowerMedia forbids to take a line from faster drives than the servers have:
// nothing was measured that says what theirs carry. One from slower drives is
// taken for the least.
func (c *combination) slowerMedia() *FiredRule {
	from, to := c.basis.Media, c.server.Media
	switch {
	case from == "" || to == "" || from == to:
		return nil
	case mediaSpeed[from] > mediaSpeed[to]:
		return &FiredRule{Rule: "media", Source: c.basis.Name,
			Text: say.F("%s was measured on %s and these servers have %s, whose performance was not measured", c.basis.Name, mediaNames[from], mediaNames[to])}
	}
	c.fire("media", c.basis.Name, "%s was measured on %s; these servers have %s, so its load line is taken as a minimum", c.basis.Name, mediaNames[from], mediaNames[to])
	return nil
}

// warnOfMedia warns where a line is carried over to drives of an unknown kind.
func (s *Sizing) warnOfMedia(server ServerModel, bases []Basis) {
	for _, b := range bases {
		from := b.Media
		if b.Nodes == 0 || from != "" && server.Media != "" {
			continue
		}
		measured := say.F("a medium not named in its results")
		if from != "" {
			measured = mediaNames[from]
		}
		has := say.F("a medium not named in the demand (media: hdd, ssd or nvme)")
		if server.Media != "" {
			has = mediaNames[server.Media]
		}
		s.Warnings = append(s.Warnings, trust.Warn(trust.OtherMedia, trust.Caution, trust.OtherMediaServer, trust.Name(b.Name), trust.Name(measured), trust.Name(server.Name), trust.Name(has)))
	}
}
