package trial

import (
	"slices"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
)

// Directly reports whether all servers that keep data move them past the memory of their
// machines.
func Directly(t *result.Trial) bool {
	keep := dataServers(t)
	return len(keep) > 0 && !slices.ContainsFunc(keep, func(s result.Server) bool { return !s.Direct })
}

// dataServers are the servers that keep data.
func dataServers(t *result.Trial) []result.Server {
	return slices.DeleteFunc(slices.Clone(t.Servers), func(s result.Server) bool { return s.Stateless })
}

// Memory adds up what the servers of an instance that keep data may use for them, and says
// whether all of those limits were enforced.
func Memory(t *result.Trial) (bytes float64, limited bool) {
	limited = true
	for _, s := range dataServers(t) {
		bytes += float64(s.Memory) * float64(max(1, s.Count))
		limited = limited && s.Limited
	}
	return bytes, limited
}

// ReadByDevices is what the devices that volumes lie on read in the measured phase, in bytes.
func ReadByDevices(t *result.Trial, m Metrics) (bytes float64) {
	for _, d := range t.Devices {
		mean, _ := m.Mean(describe.DeviceKind, d.Name, "read_bytes")
		bytes += max(0, stats.Finite(mean)) * Seconds(t)
	}
	return bytes
}

// Dataset is the size of the data set of one instance of a trial, 0 when not known.
func Dataset(p *plan.Plan, t *result.Trial) float64 {
	if p == nil {
		return 0
	}
	for _, d := range p.Datasets {
		if slices.Contains(d.Variants, t.Variant.Name) {
			return float64(d.Of(p.Study.Ladder.Load(t.Variant.Load, t.Rung).Users))
		}
	}
	return 0
}
