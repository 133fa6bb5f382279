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
func ReadByDevices(t *result.Trial, m Metrics) (bytes float64) { return byDevices(t, m, "read_bytes") }

func byDevices(t *result.Trial, m Metrics, metric string) (bytes float64) {
	for _, d := range backing(t) {
		mean, _ := m.Mean(describe.DeviceKind, d.Name, metric)
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

// speed is how fast a medium is: the time of a read at random, and of a write once its cache is full, s, and bytes
// a second at most.
type speed struct{ read, write, rate float64 }

// serving has the speeds of kinds of media (vendors' data sheets: a seek and half a turn of 7,200 a minute; SATA and
// NVMe flash, whose writes take four times as long as reads). A medium of no known kind is taken for the slowest.
var serving = map[string]speed{
	describe.HardDisk: {12e-3, 12e-3, 200e6}, describe.SolidState: {150e-6, 600e-6, 500e6}, describe.NVMe: {90e-6, 360e-6, 3e9}, describe.Memory: {1e-6, 1e-6, 10e9},
}

// FromMemory bounds figures of data that were in memory by the requests of the phase that no device served,
// had each waited for the medium: all that the workload asked for, where it says how many these are, or
// else a read of each page of an instance. Users wait side by side, for media that serve only so many at once.
func FromMemory(t *result.Trial, m Metrics, size float64) bound.Bound {
	medium, known := serving[t.Storage().MediaKind]
	if !known {
		medium = serving[describe.HardDisk]
	}
	asked := slices.DeleteFunc(slices.Clone(t.Profile.Requests), func(r describe.Request) bool { return r.Bytes <= 0 })
	busy, moving := 0.0, 0.0
	if len(asked) == 0 {
		bytes := size * float64(max(1, t.Ran()))
		busy, moving = bytes/pageSize*medium.read, bytes/medium.rateOf(t, describe.Reads)
	}
	for _, r := range asked {
		of, each := "read_bytes", medium.read
		if r.Direction == describe.Writes {
			of, each = "write_bytes", medium.write
		}
		if r.Sequential != nil {
			each *= 1 - *r.Sequential
		}
		missing := max(0, r.PerUnit*r.Bytes*float64(Ended(t))-byDevices(t, m, of))
		busy, moving = busy+missing/r.Bytes*each, moving+missing/medium.rateOf(t, r.Direction)
	}
	seconds := max(busy/sideBySide(t), moving)
	return bound.TooHighBy(stats.Ratio(seconds, seconds+Seconds(t)))
}

// rateOf is how many bytes a second the devices of a trial move at most, or a medium of their kind.
func (s speed) rateOf(t *result.Trial, direction string) (rate float64) {
	for _, d := range backing(t) {
		if direction == describe.Writes {
			rate += max(0, d.WriteRate)
		} else {
			rate += max(0, d.ReadRate)
		}
	}
	return cmp.Or(rate, s.rate)
}

// backing are the devices that hold a trial's data, each once.
func backing(t *result.Trial) []describe.Device {
	return slices.DeleteFunc(slices.Clone(t.Devices), describe.Device.IsPart)
}

// sideBySide is how many requests of a trial's users its media serve at once, as far as that is known.
func sideBySide(t *result.Trial) float64 {
	users, width := t.Variant.Load.Users*t.Profile.Together()*max(1, t.Ran()), 0
	for _, d := range backing(t) {
		if d.Actuators <= 0 {
			return float64(max(1, users))
		}
		width += d.Actuators
	}
	if width > 0 {
		users = min(users, width)
	}
	return float64(max(1, users))
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
