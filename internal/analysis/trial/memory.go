package trial

import (
	"cmp"
	"slices"

	"plimsoll/internal/analysis/bound"
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

// pageSize is what is read at once at random.
const pageSize = 8 << 10

// reading is how fast a medium of a kind reads: the time of a read at random, s, and bytes a second at most
// (vendors' data sheets: a seek and half a turn of 7,200 a minute; SATA and NVMe flash). A medium of no known
// kind is taken for the slowest.
var reading = map[string]struct{ each, rate float64 }{
	describe.HardDisk: {12e-3, 200e6}, describe.SolidState: {150e-6, 500e6}, describe.NVMe: {90e-6, 3e9}, describe.Memory: {1e-6, 10e9},
}

// FromMemory bounds figures of data that were in memory by the reads of the phase that no device served,
// had each waited for the medium: all that the workload asked for, where it says how often that is, or
// else each page of an instance once. Users wait side by side, for a medium that they share.
func FromMemory(t *result.Trial, m Metrics, size float64) bound.Bound {
	medium, known := reading[t.Storage().MediaKind]
	if !known {
		medium = reading[describe.HardDisk]
	}
	rate := 0.0
	for _, d := range t.Devices {
		rate += max(0, d.ReadRate)
	}
	rate = cmp.Or(rate, medium.rate)
	reads, bytes := size/pageSize, size
	for _, r := range t.Profile.Requests {
		if r.Direction == describe.Reads && r.Bytes > 0 {
			bytes = max(0, r.PerUnit*r.Bytes*float64(Ended(t))-ReadByDevices(t, m))
			reads = bytes / r.Bytes
		}
	}
	users := max(1, float64(t.Variant.Load.Users*t.Profile.Together()))
	seconds := max(reads*medium.each/users, bytes/rate)
	return bound.TooHighBy(stats.Ratio(seconds, seconds+Seconds(t)))
}

// Driven is for how long users were at work before the end of the measured phase, s, as far as is known.
func Driven(t *result.Trial) float64 {
	if t.Start.IsZero() {
		return Seconds(t)
	}
	return max(Seconds(t), t.MeasureEnd.Sub(t.Start).Seconds())
}

// SecondsInDevices is how long requests were in the devices of a trial, summed over all, in the time in which
// media count what they lost; 0 where it is not known.
func SecondsInDevices(t *result.Trial, m Metrics) (sum float64) {
	for _, d := range t.Devices {
		queue, _ := m.Mean(describe.DeviceKind, d.Name, "queue")
		sum += max(0, stats.Finite(queue)) * Driven(t)
	}
	return sum
}
